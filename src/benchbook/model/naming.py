"""What an experiment is called, and what somebody may have meant by a name."""

import re
from collections.abc import Sequence
from pathlib import Path

from benchbook.setup.nearest import did_you_mean

FEW = 8  # names that are listed although one of them is near


def unknown(kind: str, name: str, known: Sequence[str]) -> str:
    """That there is none of that name: which one may be meant, and where that is not clear all."""
    hint = did_you_mean(name, known)
    listed = "" if hint and len(known) > FEW else f" (there are: {', '.join(known) or 'none'})"
    return f"no {kind} '{name}'{hint}{listed}"


NUMBERED = re.compile(r"\d\d[a-z]?-")


def home(folder: Path) -> Path:
    """The folder of an experiment, or the one that holds all parts of it ("07-serializers")."""
    is_part = NUMBERED.match(folder.parent.name) and not NUMBERED.match(folder.name)
    return folder.parent if is_part else folder


def name_of(folder: Path) -> str:
    """What the experiment in a folder is called: "04-name", a part of one "07-name/part"."""
    return folder.relative_to(home(folder).parent).as_posix()


def is_called(which: str, folder: Path) -> bool:
    """Is an experiment meant by 4, 04, 04-name, or a part by 07, 07/http, 07-name, 07-name/http?"""
    wanted, _, wanted_part = which.partition("/")
    whole, _, part = name_of(folder).partition("/")
    number = wanted.zfill(2) if wanted.isdigit() else wanted
    return number in (whole, whole.partition("-")[0]) and wanted_part in ("", part)
