"""What an experiment is called."""

import re
from pathlib import Path

NUMBERED = re.compile(r"\d\d[a-z]?-")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")  # of a file that an experiment.toml names


def home(folder: Path) -> Path:
    """The folder of an experiment, or the one that holds all parts of it ("07-serializers")."""
    is_part = NUMBERED.match(folder.parent.name) and not NUMBERED.match(folder.name)
    return folder.parent if is_part else folder


def name_of(folder: Path) -> str:
    """What the experiment in a folder is called: "04-name", a part of one "07-name/part"."""
    return folder.relative_to(home(folder).parent).as_posix()


def short(name: str) -> str:
    """How a reader calls the experiment of that name: "04"; a part "07/http"; without a number by
    the whole name."""
    whole, _, part = name.partition("/")
    number = whole.partition("-")[0] if NUMBERED.match(whole) else whole
    return "/".join(filter(None, [number, part]))


def is_called(which: str, folder: Path) -> bool:
    """Is an experiment meant by 4, 04, 04-name, or a part by 07, 07/http, 07-name, 07-name/http?"""
    wanted, _, wanted_part = which.partition("/")
    whole, _, part = name_of(folder).partition("/")
    number = wanted.zfill(2) if wanted.isdigit() else wanted
    return number in (whole, short(whole)) and wanted_part in ("", part)
