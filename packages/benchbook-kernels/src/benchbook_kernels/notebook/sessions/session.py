"""What a language session is to the kernel: run, complete, inspect, interrupt, restart, close."""

import asyncio
import sys
from abc import ABC, abstractmethod
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.install.languages import Language

Status = Literal["ok", "error", "interrupted", "ended"]

# How long the main thread may sleep: on Windows only one that wakes up sees an interrupt.
WAKE_SECONDS = 0.5 if sys.platform == "win32" else None

UNKNOWN_DIRECTIVE = "Benchbook.UnknownDirective"
SHARED_TYPE = "application/vnd.benchbook.shared"  # a value as JSON text, which no limit cuts


class SessionError(BenchError):
    """A session that can't be started or doesn't answer; says why and what to do."""


class CellOutput(Protocol):
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
    def submit(self, code: str, name: str, output: CellOutput) -> Future[Result]:
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

    def version(self, timeout: float) -> str | None:
        """The version of the language, waiting up to `timeout` seconds; None where not known."""
        return None

    @abstractmethod
    def import_code(self, name: str, text: str) -> str:
        """Code that declares a variable with the value of a JSON text."""

    def records_code(self, name: str, text: str) -> str:
        """Code that declares a variable with a list of records of one shape, of a JSON text. One
        that a cell has declared, and that can't be declared again, stays."""
        return self.import_code(name, text)

    def foreign_records_code(self, name: str, text: str) -> str:
        """The same for other people's kernels of the language."""
        return self.records_code(name, text)

    @abstractmethod
    def export_code(self, name: str) -> str:
        """Code whose value has a variable as JSON under SHARED_TYPE."""

    @abstractmethod
    def printing_code(self, name: str) -> str:
        """Code that prints a variable as JSON, also in other people's kernels of the language."""

    def directive_code(self, line: str) -> str:
        """Code that carries out a `#!` line which a cell has added; a kernel of .NET Interactive
        takes the line itself. In our own, the error UNKNOWN_DIRECTIVE says that no cell has."""
        return line

    def variables_code(self, values: bool) -> str:
        """Code whose value is a table of the session's variables, or their names alone.

        Raises SessionError where the session can't list them.
        """
        raise SessionError("only C# sessions list their variables", "%whos lists Python's")

    def restart(self) -> None:
        """Begin anew, without state. Raises SessionError where it can't be started."""
        self.close()
        self.start()

    async def run(self, code: str, name: str, output: CellOutput) -> Result:
        """Run a cell from a coroutine; cancelling it leaves the cell running."""
        return await asyncio.shield(asyncio.wrap_future(self.submit(code, name, output)))

    def run_sync(self, code: str, name: str, output: CellOutput) -> Result:
        """Run a cell and wait for it; KeyboardInterrupt interrupts the cell, not the caller."""
        future = self.submit(code, name, output)
        while True:
            try:
                return future.result(WAKE_SECONDS)
            except TimeoutError:
                continue
            except KeyboardInterrupt:
                self.interrupt()
