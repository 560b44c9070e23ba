"""A session in a host process: started on demand, spoken with in messages, ended with the kernel.

What a message is: see messages.py.
"""

import atexit
import os
import threading
import time
import weakref
from abc import abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from benchbook_kernels.notebook.sessions.host import Host
from benchbook_kernels.notebook.sessions.messages import Message
from benchbook_kernels.notebook.sessions.session import (
    CellOutput,
    Completion,
    Completions,
    Result,
    Session,
    SessionError,
)

T = TypeVar("T")

MAX_OUTPUT_CHARS = 2_000_000  # Notebook drops a cell's output from about 3 MB in 3 s
STUBBORN_SECONDS = 2.5  # an interrupt repeated after so long ends the session


class ProcessSession(Session):
    """Starts the host on demand, speaks with it, and reports its death.

    Subclasses say how it is started (`command`) and what a user needs to know when it can't be.
    """

    def __init__(self, directory: str | None = None, max_output_chars: int = MAX_OUTPUT_CHARS):
        self.directory = directory or os.getcwd()
        self.max_output_chars = max_output_chars
        self._lock = threading.RLock()
        self._host: Host | None = None
        self._interrupted_at = 0.0
        _close_at_exit(self)

    @abstractmethod
    def command(self, in_fd: int, out_fd: int, folder: Path) -> tuple[list[str], dict[str, str]]:
        """The host's command line and environment, given the descriptors of its messages and a
        folder that goes when it ends.

        Raises SessionError where what it needs is missing.
        """

    def start(self) -> None:
        self._running_host()

    @property
    def alive(self) -> bool:
        host = self._host
        return host is not None and host.alive

    @property
    def pid(self) -> int | None:
        """The host's process id, None where it doesn't run."""
        host = self._host
        return host.pid if host is not None and host.alive else None

    def version(self, timeout: float) -> str | None:
        """What the host said it is, waiting up to `timeout` seconds for it to say so."""
        host = self._host
        if host is None or not host.ready.wait(timeout):
            return None
        return host.version

    def submit(self, code: str, name: str, output: CellOutput) -> Future[Result]:
        try:
            with self._lock:
                self._interrupted_at = 0.0
                return self._running_host().run(code, name, output)
        except SessionError as error:
            future: Future[Result] = Future()
            future.set_result(
                Result("ended", ename="SessionError", evalue=str(error), traceback=(str(error),))
            )
            return future

    def complete(self, code: str, pos: int) -> Future[Completions]:
        def convert(reply: dict[str, Any]) -> Completions:
            return Completions(
                tuple(Completion(**match) for match in reply.get("matches", ())),
                from_utf16(code, reply.get("start", 0)),
                from_utf16(code, reply.get("end", 0)),
            )

        return self._ask(
            {"op": "complete", "code": code, "pos": to_utf16(code, pos)},
            convert,
            Completions((), pos, pos),
        )

    def inspect(self, code: str, pos: int, detail: int) -> Future[dict[str, Any] | None]:
        return self._ask(
            {"op": "inspect", "code": code, "pos": to_utf16(code, pos), "detail": detail},
            lambda reply: reply.get("data"),
            None,
        )

    def interrupt(self) -> None:
        with self._lock:
            host, now = self._host, time.monotonic()
            if host is None or not host.alive:
                return
            if self._interrupted_at and now - self._interrupted_at > STUBBORN_SECONDS:
                host.end("it did not stop when interrupted twice")
                return
            self._interrupted_at = self._interrupted_at or now
            host.interrupt()

    def close(self) -> None:
        with self._lock:
            host, self._host = self._host, None
        if host is not None:
            host.close()

    def _ask(self, message: Message, convert: Callable[[Message], T], otherwise: T) -> Future[T]:
        host = self._host
        if host is not None and host.alive:
            return host.ask(message, convert, otherwise)
        future: Future[T] = Future()
        future.set_result(otherwise)
        return future

    def _running_host(self) -> Host:
        with self._lock:
            if self._host is None or not self._host.alive:
                self._host = Host(
                    self.language.title, self.command, self.directory, self.max_output_chars
                )
            return self._host


def to_utf16(code: str, pos: int) -> int:
    """A position in characters as one in UTF-16 units."""
    return len(code[:pos].encode("utf-16-le", "surrogatepass")) // 2


def from_utf16(code: str, pos: int) -> int:
    """A position in UTF-16 units as one in characters."""
    encoded = code.encode("utf-16-le", "surrogatepass")[: 2 * pos]
    return len(encoded.decode("utf-16-le", "ignore"))


def _close_at_exit(session: ProcessSession) -> None:
    reference = weakref.ref(session)

    def close() -> None:
        if (living := reference()) is not None:
            living.close()

    atexit.register(close)
