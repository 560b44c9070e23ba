"""Builds that this user has made in any clone, for the others: by the state of what they are made
of, as builds.folder_for names it.

A build is not kept where its files say where its sources lay: in another clone they lie elsewhere.
Debug symbols do, and are kept all the same: only the traces of errors name files by them.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from benchbook_kernels.base import paths
from benchbook_kernels.base.files import write_atomically

VARIABLE = "BENCHBOOK_BUILDS"  # a folder for them instead of the usual one; empty: none are kept
BUILT, FROM = "built.txt", "from.txt"  # FROM: the root of the clone in which it was made
UNUSED_SECONDS = 30 * 24 * 3600.0
MOST_BYTES = 1 << 30
SETTINGS = "*.runtimeconfig.json"  # they name the source of a file-based app, which few ask for
SYMBOLS = ".pdb"


def folder() -> Path | None:
    """Where they are kept; None where none are."""
    if (given := os.environ.get(VARIABLE)) is not None:
        return Path(given) if given else None
    try:
        return paths.cache() / "benchbook" / "builds"
    except RuntimeError:  # a user without a home
        return None


def place(build: Path) -> Path | None:
    """Where a build is kept or would be; None where none are, or the folder is another user's."""
    there = folder()
    if not there or (
        there.exists() and hasattr(os, "getuid") and there.stat().st_uid != os.getuid()
    ):
        return None
    return there / build.name


def has(build: Path) -> bool:
    """Is a build kept that is to lie in this folder?"""
    there = place(build)
    return bool(there and (there / BUILT).is_file())


def restore(build: Path) -> bool:
    """Copy a build to where it is to lie, in the place of what lies there; was it kept? To be
    called where nobody else builds. Raises nothing: what can't be copied is built."""
    there = place(build)
    if not there or not has(build):
        return False
    copy = build.with_name(f".{build.name}-{secrets.token_hex(4)}")
    try:
        os.utime(there)
        shutil.copytree(there, copy, symlinks=True)
        formerly, now = ((copy / FROM).read_text("utf-8"), str(paths.root()))
        for settings in (copy / "out").glob(SETTINGS):
            text = settings.read_text(encoding="utf-8")
            write_atomically(settings, text.replace(quoted(formerly), quoted(now)))
        shutil.rmtree(build, ignore_errors=True)
        copy.rename(build)
    except OSError:
        return False
    finally:
        shutil.rmtree(copy, ignore_errors=True)
    return True


def keep(build: Path) -> None:
    """Keep a copy of a build, unless it tells where its sources lie, and let old ones go. Raises
    nothing: a full disk is no reason to fail."""
    there = place(build)
    if not there or has(build) or tells_place(build / "out"):
        return
    copy = there.with_name(f".{build.name}-{secrets.token_hex(4)}")
    try:
        there.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.copytree(build / "out", copy / "out", symlinks=True)
        (copy / FROM).write_text(str(paths.root()), encoding="utf-8")
        shutil.copyfile(build / BUILT, copy / BUILT)
        copy.rename(there)  # fails where another clone was faster
        forget_old(there.parent)
    except OSError:
        pass
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def tells_place(out: Path) -> bool:
    """Does a file say where this clone lies, or static files of the sources?

    A library names its symbols by their path, which is not meant. Text in it is UTF-8, or UTF-16.
    """
    root = str(paths.root())
    every = [os.fsencode(root), root.encode("utf-16-le"), quoted(root).encode()]
    named = b"|".join(re.escape(each) for each in dict.fromkeys(every))
    meant = re.compile(rb"(?:" + named + rb")(?![^\0\n\"]*\.pdb\0)")
    for path in files_in(out):
        if path.name.endswith(".staticwebassets.runtime.json"):
            return True
        if path.suffix != SYMBOLS and not path.match(SETTINGS) and meant.search(path.read_bytes()):
            return True
    return False


def quoted(root: str) -> str:
    """As JSON has it."""
    return json.dumps(root)[1:-1]


def files_in(top: Path) -> Iterator[Path]:
    return (path for path in top.rglob("*") if path.is_file())


def forget_old(kept: Path) -> None:
    """Remove builds that nobody has used for a month, and the oldest of too many."""
    there = sorted(kept.iterdir(), key=lambda each: each.stat().st_mtime, reverse=True)
    total = 0
    for each in there:
        total += sum(path.stat().st_size for path in files_in(each))
        if total > MOST_BYTES or time.time() - each.stat().st_mtime > UNUSED_SECONDS:
            with contextlib.suppress(OSError):
                shutil.rmtree(each)
