"""Ask the operating system: small files of Linux's /proc and /sys, and psutil where it is there.

psutil is loaded only when it is needed: doctor runs before set-up, too.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any

PROC = Path("/proc")
SYS = Path("/sys")


def read(path: Path) -> str:
    """The text of a small file; empty where it cannot be read (much of /sys depends on the CPU)."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip("\x00\n ")
    except OSError:
        return ""


def number(path: Path) -> int | None:
    text = read(path)
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def psutil_or_none() -> ModuleType | None:
    """psutil, or None before set-up, when doctor runs with whichever Python there is."""
    try:
        import psutil
    except ImportError:
        return None
    module: ModuleType = psutil
    return module


def ask(name: str, *arguments: Any, **options: Any) -> Any:
    """psutil's answer; None where it is absent, has no such question, or /sys has no answer."""
    psutil = psutil_or_none()
    try:
        return getattr(psutil, name)(*arguments, **options)
    except (AttributeError, OSError, NotImplementedError, RuntimeError, ValueError):
        return None
