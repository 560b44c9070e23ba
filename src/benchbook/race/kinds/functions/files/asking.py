"""A process that tells of functions, in lines of JSON, and ends: answers.mjs, Methods.cs."""

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchbook.race.kinds.functions.executor import MARK
from benchbook_kernels.base import running
from benchbook_kernels.base.errors import BenchError

PATIENCE_SECONDS = 60.0  # for all calls of a function
Failed = Callable[[subprocess.CompletedProcess[str], str], BenchError]


def asked(
    command: Sequence[str],
    env: Mapping[str, str],
    folder: Path,
    what: str,
    failed: Failed,
    count: int = 1,
) -> list[dict[str, Any]]:
    """The objects that a process prints; what a function prints itself is passed over.

    what: is asked, in words; failed: makes the error of a process that fails; count: of the
    objects. Raises BenchError where it fails, does not end, or ends before it has told all.
    """
    try:
        done = running.run(command, timeout=PATIENCE_SECONDS, env=env, cwd=folder)
    except subprocess.TimeoutExpired:
        problem = f"{what} gave no answer within {PATIENCE_SECONDS:g} s"
        raise BenchError(problem, "is there an endless loop in it?") from None
    lines = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    quiet = done.returncode >= 0 and not done.stderr.strip()  # nobody killed it, or says why
    if len(lines) < count and (quiet or not done.returncode):
        problem = f"{what} ended its process (exit code {done.returncode})"
        raise BenchError(problem, "let it return: process.exit and Environment.Exit end all")
    if done.returncode:
        raise failed(done, what)
    return [json.loads(line.removeprefix(MARK)) for line in lines]
