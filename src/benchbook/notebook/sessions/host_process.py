"""The process of a session's host: started with its pipes, interrupted, killed with all it started.

On Windows, where a process inherits only the three standard streams, messages travel on those;
elsewhere on two descriptors of their own, so that output can't be mistaken for a message.
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

import psutil

from benchbook.notebook.sessions.messages import StreamName
from benchbook.notebook.sessions.session import SessionError

WINDOWS = os.name == "nt"
OWN_DESCRIPTORS = not WINDOWS
CAUSES = {
    "out of memory": "out of memory",
    "Out of memory": "out of memory",
    "OutOfMemoryException": "out of memory",
    "Stack overflow": "stack overflow",
}

# Given the descriptors for messages in and out: command line and environment.
Command = Callable[[int, int], tuple[list[str], dict[str, str]]]


@dataclass
class HostProcess:
    """A started host. printed: the standard streams on which it may print."""

    process: subprocess.Popen[bytes]
    to_host: IO[bytes]
    messages: IO[bytes]
    printed: list[tuple[StreamName, IO[bytes]]]

    @classmethod
    def start(cls, title: str, command: Command, directory: str) -> "HostProcess":
        """Start a host. Raises SessionError where it can't be started."""
        try:
            return (
                cls._on_descriptors(command, directory)
                if OWN_DESCRIPTORS
                else cls._on_streams(command, directory)
            )
        except OSError as error:
            raise SessionError(f"the {title} session can't be started: {error}") from error

    @classmethod
    def _on_streams(cls, command: Command, directory: str) -> "HostProcess":
        process = _popen(*command(0, 1), directory, stdin=subprocess.PIPE)
        assert process.stdin and process.stdout and process.stderr
        return cls(process, process.stdin, process.stdout, [("stderr", process.stderr)])

    @classmethod
    def _on_descriptors(cls, command: Command, directory: str) -> "HostProcess":
        in_read, in_write = os.pipe()
        out_read, out_write = os.pipe()
        try:
            process = _popen(
                *command(in_read, out_write),
                directory,
                stdin=subprocess.DEVNULL,
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
        """Wait for its end; what it has started goes with it, also where it ended by itself."""
        self.process.wait()
        if not WINDOWS:
            with contextlib.suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)

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


def _popen(
    command: list[str], environment: dict[str, str], directory: str, **options: Any
) -> subprocess.Popen[bytes]:
    """The process, in a group of its own: a terminal's or Jupyter's Ctrl-C is not for it."""
    if sys.platform == "win32":
        options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP
    else:
        options["start_new_session"] = True
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=directory,
        env=environment,
        **options,
    )
