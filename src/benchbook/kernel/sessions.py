"""What a language session is to the kernel: run, complete, inspect, interrupt, restart, close."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from benchbook.errors import BenchError

Status = Literal["ok", "error", "interrupted", "ended"]

SHARED_TYPE = "application/vnd.benchbook.shared"  # a value as JSON text, which no limit cuts


class SessionError(BenchError):
    """A session that can't be started or doesn't answer; says why and what to do."""


class Output(Protocol):
    """Where a cell's output goes, while it runs and after; called from a thread of the session."""

    def stream(self, name: str, text: str) -> None:
        """Text for `stdout` or `stderr`."""

    def display(
        self,
        data: dict[str, Any],
        metadata: dict[str, Any],
        display_id: str | None,
        update: bool,
    ) -> None:
        """A MIME bundle; with `update`, in place of the one shown before under `display_id`."""

    def input(self, prompt: str, password: bool) -> str | None:
        """A line from the reader; None where nobody can be asked."""


class Collected:
    """Keeps what a cell prints, and shows nothing."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def stream(self, name: str, text: str) -> None:
        if name == "stdout":
            self.texts.append(text)

    def display(self, *_: Any) -> None:
        pass

    def input(self, prompt: str, password: bool) -> str | None:
        return None


@dataclass(frozen=True)
class Result:
    """How a cell ended. `data` is the MIME bundle of its value, None where it has none."""

    status: Status
    data: dict[str, Any] | None = None
    ename: str = ""
    evalue: str = ""
    traceback: tuple[str, ...] = ()


@dataclass(frozen=True)
class Completion:
    text: str
    type: str = ""


@dataclass(frozen=True)
class Completions:
    """What may stand in place of code[start:end]."""

    matches: tuple[Completion, ...] = ()
    start: int = 0
    end: int = 0


@dataclass(frozen=True)
class Language:
    """How a session's language presents itself to readers and to front ends."""

    name: str  # as in %%name
    title: str
    info: Mapping[str, Any] = field(default_factory=dict)  # Jupyter's language_info


class Session(ABC):
    """Interactive state of one language. Methods may be called from any thread.

    Positions in code count characters as Python does. The futures of `submit`, `complete` and
    `inspect` are set from a thread of the session.
    """

    language: Language

    @abstractmethod
    def start(self) -> None:
        """Start in the background, unless it runs. Raises SessionError where it can't be."""

    @property
    @abstractmethod
    def alive(self) -> bool:
        ...

    @abstractmethod
    def submit(self, code: str, name: str, output: Output) -> Future[Result]:
        """Run a cell; `name` is what its stack frames are called, such as `cell 3`.

        Starts the session where it isn't. The future doesn't fail: what went wrong is in the
        result, also where the session can't be started or ends.
        """

    @abstractmethod
    def complete(self, code: str, pos: int) -> Future[Completions]:
        """What may stand at `pos`; empty where the session doesn't run."""

    @abstractmethod
    def inspect(self, code: str, pos: int, detail: int) -> Future[dict[str, Any] | None]:
        """A MIME bundle that tells what stands at `pos`, or None; `detail` 1 asks for source."""

    @abstractmethod
    def interrupt(self) -> None:
        """End what runs and keep the state. Asked again in vain, end the session."""

    @abstractmethod
    def close(self) -> None:
        """End the session and all that it started."""

    def export_code(self, name: str) -> str:
        """Code for #!share whose value has a variable as JSON under SHARED_TYPE, or that prints it.

        Raises SessionError without it.
        """
        raise SessionError(f"values of {self.language.title} can't be shared", "print them instead")

    def import_code(self, name: str, text: str) -> str:
        """Code that declares a variable with the value of a JSON text. Raises as export_code."""
        raise SessionError(f"{self.language.title} can't be given values", "write them as code")

    def restart(self) -> None:
        """Begin anew, without state. Raises SessionError where it can't be started."""
        self.close()
        self.start()

    async def run(self, code: str, name: str, output: Output) -> Result:
        """Run a cell from a coroutine; cancelling it leaves the cell running."""
        return await asyncio.shield(asyncio.wrap_future(self.submit(code, name, output)))

    def run_sync(self, code: str, name: str, output: Output) -> Result:
        """Run a cell and wait for it; KeyboardInterrupt interrupts the cell, not the caller."""
        future = self.submit(code, name, output)
        while True:
            try:
                return future.result()
            except KeyboardInterrupt:
                self.interrupt()
