"""What an experiment is called."""

import re
from pathlib import Path

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
