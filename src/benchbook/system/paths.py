"""Where things are: what `benchbook_kernels.base.paths` says, and what only Benchbook has."""

from pathlib import Path

from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.files import write_atomically
from benchbook_kernels.base.paths import (
    beside_bench,
    builds,
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
            "get the repository with git clone, then ./bench there, or name it: BENCHBOOK_ROOT=DIR",
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
