"""A process that is asked line by line: a line to its standard input, an object in JSON back.

Harnesses, clients and drivers are such: they live as long as a launch, and wait until asked.
"""

import contextlib
import json
import math
import os
import select
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

from benchbook_kernels.base.processes import Keeper, Process

CHUNK_BYTES = 1 << 16


class Ended(Exception):
    """The process is gone: said() and process.returncode tell more."""


class Silent(Exception):
    """The process gave no answer in time, and was ended."""


@dataclass
class Dialogue:
    """questions, answers: its standard input and output; words: what it prints to stderr; pending:
    what was read of a line that has no end yet, or of those behind it."""

    process: Process
    questions: IO[bytes]
    answers: IO[bytes]
    words: IO[bytes]
    pending: bytes = b""

    @classmethod
    def start(cls, keeper: Keeper, command: Sequence[str], **options: Any) -> "Dialogue":
        """Start a process; options as Keeper.start takes them. Raises OSError as that does."""
        words = tempfile.TemporaryFile()
        pipe = subprocess.PIPE
        try:
            process = keeper.start(command, stdin=pipe, stdout=pipe, stderr=words, **options)
        except BaseException:
            words.close()
            raise
        assert process.stdin and process.stdout  # pipes, as asked for
        return cls(process, process.stdin, process.stdout, words)

    def ask(self, line: str, limit_seconds: float | None = None, mark: str = "") -> dict[str, Any]:
        """Say a line and hear the answer. Raises Ended, Silent."""
        with contextlib.suppress(OSError):  # it has ended: hear says so
            self.questions.write(f"{line}\n".encode())
            self.questions.flush()
        return self.hear(limit_seconds, mark)

    def hear(self, limit_seconds: float | None = None, mark: str = "") -> dict[str, Any]:
        """The next line that is `mark` and a JSON object behind it; others are passed over.

        limit_seconds: None where the process keeps time limits of its own. Raises Ended, Silent.
        """
        lines = self.polled if hasattr(select, "poll") else self.watched
        for line in lines(limit_seconds):
            answer = parse(line.decode("utf-8", "replace"), mark)
            if answer is not None:
                return answer
        self.process.wait()
        raise Ended()

    def polled(self, limit_seconds: float | None) -> Iterator[bytes]:
        """The lines that it prints, until it ends. Raises Silent.

        A thread that keeps the time (below) takes 0.15 ms of the CPU, much beside a slice of two.
        """
        until = time.monotonic() + limit_seconds if limit_seconds else math.inf
        there = select.poll()
        there.register(self.answers, select.POLLIN)
        while True:
            line, end, rest = self.pending.partition(b"\n")
            if end:
                self.pending = rest
                yield line
                continue
            left = None if math.isinf(until) else 1000 * max(0.0, until - time.monotonic())
            if not there.poll(left):
                self.process.kill()
                self.process.wait()
                raise Silent()
            read = os.read(self.answers.fileno(), CHUNK_BYTES)
            if not read:
                yield from [self.pending] if self.pending else []
                return
            self.pending += read

    def watched(self, limit_seconds: float | None) -> Iterator[bytes]:
        """The same on Windows, whose pipes can't be waited for. Raises Silent."""
        late = threading.Event()

        def end() -> None:
            late.set()
            self.process.kill()

        watchdog = threading.Timer(limit_seconds or 0, end)
        watchdog.daemon = True
        try:
            if limit_seconds:
                watchdog.start()  # in the try: an interrupt may come while it starts
            yield from self.answers
        finally:
            watchdog.cancel()
        if late.is_set():
            self.process.wait()
            raise Silent()

    def said(self) -> list[str]:
        """The lines that it printed to stderr so far, blank ones left out."""
        self.words.seek(0)
        lines = self.words.read().decode("utf-8", "replace").splitlines()
        return [line for line in lines if line.strip()]

    def forget(self) -> None:
        """Forget what it printed to stderr so far."""
        self.words.seek(0)
        self.words.truncate()

    def hang_up(self) -> None:
        """No more questions: most end by themselves then."""
        with contextlib.suppress(OSError):  # it went before it had read its input
            self.questions.close()

    def close(self, keeper: Keeper) -> None:
        end_all([self], keeper)


def parse(line: str, mark: str) -> dict[str, Any] | None:
    if not line.startswith(mark):
        return None
    try:
        found = json.loads(line.removeprefix(mark))
    except ValueError:
        return None  # printed by the program for somebody else
    return found if isinstance(found, dict) else None


def end_all(dialogues: Sequence[Dialogue], keeper: Keeper) -> None:
    keeper.end_all([dialogue.process for dialogue in dialogues])
    for dialogue in dialogues:
        dialogue.hang_up()
        dialogue.answers.close()
        dialogue.words.close()
