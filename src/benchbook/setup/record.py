"""The record of a finished set-up, .benchbook/ready: what it made, and from what."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from benchbook_kernels.base import paths
from benchbook_kernels.base.platforms import WINDOWS
from benchbook_kernels.base.running import run

# A change of any of these, or of a file of ours that sets up: set-up has to look again.
MADE_FROM = (
    "requirements.txt",
    "requirements-apt.txt",
    "environment.yml",
    "package.json",
    "package-lock.json",
    "global.json",
)


def inputs() -> list[str]:
    """What set-up is made from, by path from the checkout; the launcher reads it in `ready`."""
    folders = (Path(__file__).parent, paths.PACKAGE / "base", paths.PACKAGE / "install")
    own = (path for folder in folders for path in sorted(folder.rglob("*.py")))
    return [*MADE_FROM, *(path.relative_to(paths.OWN).as_posix() for path in own)]


@dataclass(frozen=True)
class ReadyRecord:
    """What .benchbook/ready says."""

    root: str
    python: str
    path: str
    dotnet_root: str
    inputs: str
    made_from: str


def checksums(root: Path) -> str:
    """cksum of the inputs, as the launcher computes it; on Windows, where bench.cmd asks here, and
    only some shells have cksum, SHA-256."""
    if not WINDOWS and shutil.which("cksum"):
        return run(["cksum", *inputs()], timeout=60, cwd=root).stdout.rstrip("\n")
    return "\n".join(
        f"{hashlib.sha256((root / name).read_bytes()).hexdigest()} {name}"
        for name in inputs()
        if (root / name).exists()
    )


def read_ready(root: Path) -> ReadyRecord | None:
    """The record of the last finished set-up, if there is one and it is whole."""
    try:
        lines = (root / ".benchbook" / "ready").read_text(encoding="utf-8").split("\n")
    except OSError:
        return None
    if len(lines) < 6:
        return None
    at, python, path, dotnet_root, names, *made_from = lines
    return ReadyRecord(at, python, path, dotnet_root, names, "\n".join(made_from).rstrip("\n"))


def is_ready(root: Path) -> bool:
    """Whether a finished set-up is there and nothing that it was made from has changed."""
    ready = read_ready(root)
    return (
        ready is not None
        and ready.root == str(root)
        and os.access(ready.python, os.X_OK)
        and (root / "node_modules" / ".benchbook").exists()
        and ready.made_from == checksums(root)
    )


def route_taken(root: Path) -> tuple[str, str]:
    """The route of the last finished set-up and why it was taken; empty strings before that."""
    try:
        record = json.loads((root / ".benchbook" / "route.json").read_text(encoding="utf-8"))
        return str(record["route"]), str(record["why"])
    except (OSError, ValueError, KeyError, TypeError):
        return "", ""
