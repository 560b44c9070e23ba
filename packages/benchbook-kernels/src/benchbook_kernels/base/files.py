"""Files that are old or new but never half, and locks that end with the process that holds them."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write beside the file, flush to disk, then rename over it: a reader sees the old or the new.

    Folders above it are made. What a symbolic link names is replaced, not the link; a pipe or a
    device is written to. Raises OSError with the file's name where it can't be written.
    """
    path = Path(os.path.realpath(path))
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():
            _write_through(path, data)
        else:
            _replace(path, data)
    except OSError as error:
        if error.filename != str(path):  # none, or the temporary one's
            raise OSError(error.errno, error.strerror or str(error), str(path)) from None
        raise


def check_folder(folder: Path) -> None:
    """Make a folder and those above it, and try whether files can be written there.

    Raises OSError with its name where they can't.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(folder)) from None


def _write_through(path: Path, data: bytes) -> None:
    """Write to a pipe or a device; a pipe that nobody reads is an error, and not waited for."""
    try:
        descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(error.errno, "is a pipe that nobody reads", str(path)) from None
        raise
    with os.fdopen(descriptor, "wb") as file:
        if hasattr(os, "set_blocking"):
            os.set_blocking(descriptor, True)
        file.write(data)


def _replace(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def try_lock(descriptor: int) -> bool:
    """Lock an open file for this process and those that inherit it; False where another has it.

    Raises OSError where the file can't be locked at all, as on some network drives.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


@contextlib.contextmanager
def lock(
    path: Path, patience_seconds: float, waiting: Callable[[], None] = lambda: None
) -> Iterator[int]:
    """Hold the lock that is this file; yields its descriptor, for child processes to inherit.

    `waiting` is called once where another process holds it. Raises TimeoutError where that process
    does not let go in time.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    deadline = time.monotonic() + patience_seconds
    told = False
    try:
        while not try_lock(descriptor):
            if not told:
                told = True
                waiting()
            if time.monotonic() > deadline:
                raise TimeoutError(f"{path} is locked")
            time.sleep(0.05)
        yield descriptor
    finally:
        os.close(descriptor)
