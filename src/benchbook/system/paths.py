"""Where things are: the checkout and what is made in it, or a folder of the user's without one."""

import os
import sys
from pathlib import Path

from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.files import write_atomically

PACKAGE = Path(__file__).resolve().parents[1]
SHIPPED = PACKAGE / "shipped"  # in an installed wheel: files that lie beside ./bench in a checkout


def checkout() -> Path | None:
    """The checkout that BENCHBOOK_ROOT names, else the one that this package lies in.

    None where the package was installed as a wheel.
    """
    if given := os.environ.get("BENCHBOOK_ROOT"):
        return Path(given).resolve()
    return None if SHIPPED.is_dir() else PACKAGE.parent.parent.resolve()


def need_checkout() -> None:
    """Raises BenchError where there is none: experiments, notebooks and recorded runs are in it."""
    if checkout() is None:
        raise BenchError(
            "this needs a checkout of Benchbook: the installed package is without experiments",
            "get the repository with git clone, then ./bench there, or name it: BENCHBOOK_ROOT=DIR",
        )


def typed(remedy: str) -> str:
    """A remedy as it is typed here: a wheel brings no ./bench, and sets up kernels only."""
    if checkout():
        return remedy
    installed = remedy.replace("./bench setup", "./bench kernels install")
    return installed.replace("./bench ", "benchbook ")


def home() -> Path:
    """Where an installed package keeps what it makes: a folder of the user's, by the platform."""
    base: str | Path
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        given = os.environ.get("XDG_STATE_HOME", "")
        base = given if Path(given).is_absolute() else Path.home() / ".local" / "state"
    return Path(base) / "benchbook"


def root() -> Path:
    """The checkout; without one, the folder of the user's in its place."""
    return checkout() or home()


def beside_bench(name: str) -> Path:
    """A file of this package's own checkout; a wheel brings a copy."""
    return (SHIPPED if SHIPPED.is_dir() else PACKAGE.parent.parent) / name


def script(name: str) -> Path:
    """A script of this package, by its path in it, where Node.js finds node_modules above it.

    Of an installed wheel that is a copy beside what else it makes.
    """
    source = PACKAGE / name
    if not SHIPPED.is_dir():
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


def state() -> Path:
    """Everything that Benchbook writes: logs, builds, runs, scratch copies."""
    found = checkout()
    return found / ".benchbook" if found else home()


def runs() -> Path:
    return state() / "runs"


def scratch() -> Path:
    """Copies of edited variants. Inside the checkout, so that Node.js finds node_modules above."""
    return state() / "scratch"


def builds() -> Path:
    """What was compiled, a folder for each state of the code."""
    return state() / "builds"


def relative(path: Path) -> str:
    """The path as a reader of a message knows it: relative to the checkout where it lies in it."""
    path = Path(path)
    try:
        return str(path.resolve().relative_to(root()))
    except ValueError:
        return str(path)
