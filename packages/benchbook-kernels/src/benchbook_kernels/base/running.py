"""Short commands whose output is wanted, and how processes are ended. Standard library only."""

from __future__ import annotations

import contextlib
import getpass
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

COLOUR_VARIABLES = ("FORCE_COLOR", "CLICOLOR_FORCE")  # ipykernel sets them for all that it starts
NUGET_LOCKS = "NUGET_SCRATCH"
LEFT_SECONDS = 5.0  # for the output of what was killed
AnyPopen = subprocess.Popen[str] | subprocess.Popen[bytes]


def uncoloured(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment that asks no program for colours: what is captured is shown as plain text.

    Node.js would also say that it can't have both of FORCE_COLOR and NO_COLOR.
    """
    return {name: value for name, value in environment.items() if name not in COLOUR_VARIABLES}


def temporary_files(folder: Path) -> dict[str, str]:
    """The variables with which a process puts its temporary files into a folder (not on Windows).

    NuGet's locks stay where all look for them: it is with those that two processes don't unpack the
    same package at once (NuGetEnvironment.GetFolderPath of https://github.com/NuGet/NuGet.Client).
    """
    user = str(os.getuid()) if hasattr(os, "getuid") else ""
    with contextlib.suppress(KeyError, OSError):  # a user without a name
        user = getpass.getuser()
    locks = Path(tempfile.gettempdir(), "NuGetScratch" + (user if sys.platform == "linux" else ""))
    return {"TMPDIR": str(folder), NUGET_LOCKS: os.environ.get(NUGET_LOCKS, str(locks))}


def own_group() -> dict[str, Any]:
    """Popen's arguments for a process group of its own, and on Windows no console window.

    A terminal's Ctrl-C then reaches this process only, which ends the others in good order.
    """
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


def signal_group(process: AnyPopen, signal_number: int) -> None:
    """Signal a process and its group, as long as its id is still its own (not yet waited for)."""
    if process.poll() is not None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.terminate()
        else:
            os.killpg(process.pid, signal_number)


def kill_group(process: AnyPopen) -> None:
    signal_group(process, getattr(signal, "SIGKILL", signal.SIGTERM))


def run(
    command: Sequence[str | Path],
    *,
    timeout: float,
    input: str | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """What a command printed, and its exit code.

    env: what differs from this process's environment. The command never reads this process's
    standard input. It is ended, with all that it started, after `timeout` seconds or where this
    process is interrupted. Raises OSError where it can't be started, subprocess.TimeoutExpired.
    """
    words = [str(word) for word in command]
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env={**uncoloured(os.environ), **(env or {})},
        cwd=cwd,
        **own_group(),
    )
    try:
        stdout, stderr = process.communicate(input, timeout)
    except BaseException:
        kill_group(process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            # what it has left behind may hold its output open
            process.communicate(timeout=LEFT_SECONDS)
        raise
    return subprocess.CompletedProcess(words, process.returncode, stdout, stderr)


def output_of(command: Sequence[str | Path], timeout: float = 20) -> str | None:
    """What a command prints to stdout, or None where it is missing, fails or hangs."""
    try:
        done = run(command, timeout=timeout)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def become(
    command: Sequence[str | Path], env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> NoReturn:
    """Let a program take this process's place: signals reach it, its exit code is ours.

    On Windows, where a process can't do that, wait for it and exit with its code.
    """
    words = [str(word) for word in command]
    whole = {**os.environ, **(env or {})}
    sys.stdout.flush()
    sys.stderr.flush()
    if sys.platform == "win32":
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program gets Ctrl-C, too
        raise SystemExit(subprocess.call(words, env=whole, cwd=cwd))
    if cwd:
        os.chdir(cwd)
    os.execvpe(words[0], words, whole)
