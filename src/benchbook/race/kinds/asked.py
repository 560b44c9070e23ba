"""A process of a variant that is asked, for kinds whose variants answer line by line."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from benchbook.model.variants import Variant
from benchbook.programs.programs import VariantError
from benchbook.system.dialogue import Dialogue, Ended, Silent

PATIENCE_SECONDS = 30.0  # for a first line, and for an answer beyond what was asked for


@dataclass
class AskedProcess(ABC):
    """A variant's process that waits for a line, and answers with a line of JSON behind `mark`."""

    mark: ClassVar[str] = ""

    variant: Variant
    dialogue: Dialogue

    def first(self) -> dict[str, Any]:
        """What it tells by itself, once it can be asked. Raises VariantError."""
        return self.answer(lambda limit: self.dialogue.hear(limit, self.mark), PATIENCE_SECONDS)

    def ask(self, line: str, limit_seconds: float) -> dict[str, Any]:
        """What it answers to a line. Raises VariantError where it ends, or is silent so long."""
        return self.answer(lambda limit: self.dialogue.ask(line, limit, self.mark), limit_seconds)

    def answer(
        self, hear: Callable[[float], dict[str, Any]], limit_seconds: float
    ) -> dict[str, Any]:
        try:
            return hear(limit_seconds)
        except Silent:
            problem = f"gave no result within {limit_seconds:g} s"
            raise VariantError(self.variant, problem, self.where_to_look()) from None
        except Ended:
            raise self.ended() from None

    @abstractmethod
    def where_to_look(self) -> str:
        """For one that is silent: what a reader can do."""

    @abstractmethod
    def ended(self) -> VariantError:
        """The error of one that is gone: what it said, and where."""
