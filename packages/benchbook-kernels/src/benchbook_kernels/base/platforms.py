"""What differs from system to system, and from user to user. Standard library only."""

from __future__ import annotations

import os
import shlex
import shutil
import sys

WINDOWS = sys.platform == "win32"


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def has_sudo() -> bool:
    return shutil.which("sudo") is not None


def for_this_user(command: str) -> str:
    """A command that is written with sudo, as this user types it: root needs none, and where sudo
    is not installed su serves."""
    if "sudo " not in command or (has_sudo() and not is_root()):
        return command
    plain = command.replace("sudo ", "")
    return plain if is_root() else f"su -c {shlex.quote(plain)}"


def major(version: str | None) -> int:
    """The major number of a version such as v20.11.0; 0 where there is none."""
    digits = (version or "").strip().lstrip("v").split(".")[0]
    return int(digits) if digits.isdigit() else 0
