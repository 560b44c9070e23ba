"""Fake commands, and what a user may do."""

import stat
from pathlib import Path

from benchbook_kernels.base import platforms


def fake(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)


def as_root(monkeypatch, root: bool, sudo: bool = True) -> None:
    """Let set-up think that the user is root or not, and has sudo or not."""
    monkeypatch.setattr(platforms, "is_root", lambda: root)
    monkeypatch.setattr(platforms, "has_sudo", lambda: sudo)
