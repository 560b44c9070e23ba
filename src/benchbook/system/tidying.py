"""Removes what can be made again: copies of edited variants, and compiled programs."""

import os
import re
import shutil
import stat
import time
from pathlib import Path

from benchbook.system import paths

OLD_SECONDS = 7 * 24 * 3600.0


def remove_old() -> None:
    """Remove scratch folders and builds that nobody has used for a week. Raises nothing: a folder
    that can't be removed stays."""
    builds = [path for path in entries(paths.builds()) if is_build(path)]
    for each in [*entries(paths.scratch()), *builds, *entries(paths.builds() / "artifacts")]:
        try:
            if time.time() - each.lstat().st_mtime > OLD_SECONDS:
                remove(each)
        except OSError:
            pass  # another process has just removed it, or it is not ours


def entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def is_build(path: Path) -> bool:
    """Is it a folder of a build, or of one that was left half-way?"""
    return bool(re.search(r"-[0-9a-f]{16}$|^\.", path.name)) and path.is_dir()


def remove_made() -> int:
    """Remove all scratch folders and all compiled programs; how many bytes that were.

    Raises OSError with the name of what can't be removed.
    """
    return remove_all(paths.scratch(), paths.builds())


def remove_versions() -> int:
    """Remove the versions of runtimes and packages that were got; as remove_made."""
    return remove_all(paths.versions())


def remove_all(*places: Path) -> int:
    folders = [folder for folder in places if folder.is_dir()]
    total = sum(size(path) for folder in folders for path in folder.rglob("*"))
    for folder in folders:
        remove(folder)
    return total


def remove(path: Path) -> None:
    """Remove a file or a folder; of a symbolic link the link. Raises OSError."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def touch(folder: Path) -> None:
    """Somebody uses this scratch folder: it stays for another week."""
    os.utime(folder)


def size(path: Path) -> int:
    found = path.lstat()
    return found.st_size if stat.S_ISREG(found.st_mode) else 0
