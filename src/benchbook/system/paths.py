"""Where things are: what `benchbook_kernels.base.paths` says, and what only Benchbook has."""

import os
from pathlib import Path

from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.files import write_atomically
from benchbook_kernels.base.paths import (
    beside_bench,
    builds,
    cache,
    checkout,
    home,
    pythonpath,
    relative,
    root,
    scratch,
    sources,
    state,
    typed,
)

__all__ = [
    "beside_bench",
    "builds",
    "cache",
    "checkout",
    "home",
    "pythonpath",
    "relative",
    "root",
    "scratch",
    "sources",
    "state",
    "typed",
]

PACKAGE = Path(__file__).resolve().parents[1]
PATH = "BENCHBOOK_PATH"  # folders with experiments, beside those of the checkout
ONLY = "BENCHBOOK_IN"  # what --in names: this folder's experiments and no others, in kernels, too


def near(path: Path) -> str:
    """The path as who typed it knows it: from the current folder where it lies in it."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except ValueError:
        return relative(path)


def need_checkout() -> None:
    """Raises BenchError where there is none: experiments, notebooks and recorded runs are in it."""
    if checkout() is None:
        raise BenchError(
            "this needs a checkout of Benchbook: the installed package is without experiments",
            "get the repository with git clone and use its ./bench, or name it: BENCHBOOK_ROOT=DIR",
        )


def only() -> Path | None:
    """The folder that --in names; None where all experiments are meant."""
    named = os.environ.get(ONLY, "")
    return Path(named).absolute() if named else None


def places() -> list[Path]:
    """The folders that hold experiments, or are one: that of --in only, or snippets/ and those of
    BENCHBOOK_PATH. They need not exist."""
    if chosen := only():
        return [chosen]
    return [*([snippets()] if checkout() else []), *outside()]


def outside() -> list[Path]:
    """The folders of BENCHBOOK_PATH."""
    named = filter(None, os.environ.get(PATH, "").split(os.pathsep))
    return [Path(each).expanduser().absolute() for each in named]


def need_place() -> None:
    """Raises BenchError where no experiments could be known: there is no checkout, and no other
    folder is named."""
    if not places():
        raise BenchError(
            "this needs experiments, which the installed package is without",
            f"name a folder that is one or holds some, with --in FOLDER or {PATH}=FOLDER; "
            f"{typed('./bench new NAME')} makes one; a checkout brings Benchbook's own: "
            "git clone, then ./bench there, or BENCHBOOK_ROOT=DIR",
        )


def script(name: str) -> Path:
    """A script of this package, by its path in it, where Node.js finds node_modules above it.

    Of an installed wheel that is a copy beside what else it makes.
    """
    source = PACKAGE / name
    if (PACKAGE.parents[1] / "bench").is_file():
        return source
    copy = state() / "scripts" / name
    content = source.read_bytes()
    if not copy.is_file() or copy.read_bytes() != content:
        write_atomically(copy, content)
    return copy


def snippets() -> Path:
    return root() / "snippets"


def claims() -> Path:
    return root() / "data" / "claims"


def references() -> Path:
    """Recorded runs, versioned."""
    return root() / "data" / "runs"


def notebooks() -> Path:
    return root() / "notebooks"


def runs() -> Path:
    return state() / "runs"


def versions() -> Path:
    """Other versions of runtimes and packages than are installed."""
    return state() / "versions"
