"""The process of a session's host: started with its pipes, interrupted, killed with all it started.

On Windows, where a process inherits only the three standard streams, messages travel on those;
elsewhere on two descriptors of their own, so that output can't be mistaken for a message.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import psutil

from benchbook_kernels.base.processes import Keeper, Process
from benchbook_kernels.notebook.sessions.messages import StreamName
from benchbook_kernels.notebook.sessions.session import SessionError

WINDOWS = os.name == "nt"
OWN_DESCRIPTORS = not WINDOWS
CAUSES = {
    "out of memory": "out of memory",
    "Out of memory": "out of memory",
    "OutOfMemoryException": "out of memory",
    "Stack overflow": "stack overflow",
}

# Given the descriptors for messages in and out, and a folder that goes when it ends: command line
# and environment.
Command = Callable[[int, int, Path], tuple[list[str], dict[str, str]]]


@dataclass
class HostProcess:
    """A started host. keeper: ends what it started; printed: the standard streams on which it may
    print."""

    keeper: Keeper
    process: Process
    to_host: IO[bytes]
    messages: IO[bytes]
    printed: list[tuple[StreamName, IO[bytes]]]

    @classmethod
    def start(cls, title: str, command: Command, directory: str) -> "HostProcess":
        """Start a host. Raises SessionError where it can't be started."""
        keeper = Keeper()
        try:
            start = cls._on_descriptors if OWN_DESCRIPTORS else cls._on_streams
            return start(keeper, command, Path(directory))
        except BaseException as error:
            keeper.close()
            if isinstance(error, OSError):
                raise SessionError(f"the {title} session can't be started: {error}") from error
            raise

    @classmethod
    def _on_streams(cls, keeper: Keeper, command: Command, directory: Path) -> "HostProcess":
        process = _start(keeper, *command(0, 1, keeper.folder), directory, stdin=subprocess.PIPE)
        assert process.stdin and process.stdout and process.stderr
        return cls(keeper, process, process.stdin, process.stdout, [("stderr", process.stderr)])

    @classmethod
    def _on_descriptors(cls, keeper: Keeper, command: Command, directory: Path) -> "HostProcess":
        in_read, in_write = os.pipe()
        out_read, out_write = os.pipe()
        try:
            process = _start(
                keeper,
                *command(in_read, out_write, keeper.folder),
                directory,
                pass_fds=(in_read, out_write),
            )
        except BaseException:
            os.close(in_write)
            os.close(out_read)
            raise
        finally:
            os.close(in_read)
            os.close(out_write)
        assert process.stdout and process.stderr
        return cls(
            keeper,
            process,
            open(in_write, "wb", buffering=0),
            open(out_read, "rb", buffering=0),
            [("stdout", process.stdout), ("stderr", process.stderr)],
        )

    def interrupt_children(self) -> None:
        """Give Ctrl-C to all that the host has started."""
        with contextlib.suppress(psutil.Error):
            for child in psutil.Process(self.process.pid).children(recursive=True):
                child.terminate() if WINDOWS else child.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """Kill the host and all that it has started."""
        with contextlib.suppress(OSError, psutil.Error):
            if WINDOWS:
                for child in psutil.Process(self.process.pid).children(recursive=True):
                    child.kill()
                self.process.kill()
            elif self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)

    def wait(self) -> None:
        """Wait for its end; what it has started goes with it, also where it ended by itself, and
        what left its group."""
        self.process.wait()
        if not WINDOWS:
            with contextlib.suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.keeper.close()

    def cause(self, last_words: str) -> str:
        """Why it ended, from its exit code and the end of what it printed."""
        for sign, cause in CAUSES.items():
            if sign in last_words:
                return cause
        code = self.process.returncode
        if code is not None and code < 0:
            try:
                return f"killed by {signal.Signals(-code).name}"
            except ValueError:
                return f"killed by signal {-code}"
        return f"exit code {code}"


def _start(
    keeper: Keeper, command: list[str], environment: dict[str, str], directory: Path, **options: Any
) -> Process:
    """The process, in a group of its own: a terminal's or Jupyter's Ctrl-C is not for it."""
    return keeper.start(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=directory,
        inherited=environment,
        **options,
    )
