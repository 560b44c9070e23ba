"""A command of Benchbook in the tests' own process: to start Python for it takes a second."""

import contextlib
import io
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchbook.commands import cli

HANDLED = [name for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name)]


@dataclass(frozen=True)
class Called:
    """A command that has ended, with what it wrote."""

    code: int
    out: str
    err: str


@contextlib.contextmanager
def as_it_was() -> Iterator[None]:
    """The environment and the handlers of signals, which a process of its own would take along."""
    environment = dict(os.environ)
    handlers = {name: signal.getsignal(getattr(signal, name)) for name in HANDLED}
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(environment)
        for name, handler in handlers.items():
            signal.signal(getattr(signal, name), handler)


def call(*words: object, folder: str | Path, **environment: str) -> Called:
    """`bench WORDS` in a folder, with this in the environment. A fault of it is the test's."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    with as_it_was(), contextlib.chdir(folder), contextlib.redirect_stdout(streams[0]):
        os.environ |= {name: str(value) for name, value in environment.items()}
        with contextlib.redirect_stderr(streams[1]):
            try:
                cli.main([str(word) for word in words], prog_name="bench")
                code = 0
            except SystemExit as ended:
                code = int(ended.code or 0)
    out, err = (stream.buffer.getvalue().decode("utf-8") for stream in streams)
    return Called(code, out, err)
