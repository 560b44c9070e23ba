"""Where things are: the checkout and what is made in it, or a folder of the user's without one."""

import os
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
SHIPPED = PACKAGE / "shipped"  # in an installed wheel: files that lie beside ./bench in a checkout
OWN = PACKAGE.parents[3]  # the checkout that this package lies in, where it lies in one


def checkout() -> Path | None:
    """The checkout that BENCHBOOK_ROOT names, else the one that this package lies in.

    None where the package was installed as a wheel.
    """
    if given := os.environ.get("BENCHBOOK_ROOT"):
        return Path(given).resolve()
    return None if SHIPPED.is_dir() else OWN


def sources() -> list[Path]:
    """The folders that our packages are imported from: in a checkout Benchbook's, too."""
    return [PACKAGE.parent] if SHIPPED.is_dir() else [OWN / "src", PACKAGE.parent]


def pythonpath() -> str:
    """PYTHONPATH with which any Python finds our packages."""
    return os.pathsep.join(map(str, sources()))


def typed(remedy: str) -> str:
    """A remedy as it is typed here: a wheel brings no ./bench, and sets up kernels only."""
    if checkout():
        return remedy
    installed = remedy.replace("./bench setup", "./bench kernels install")
    return installed.replace("./bench kernels ", "benchbook-kernels ").replace(
        "./bench ", "benchbook "
    )


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


def cache() -> Path:
    """The user's folder for what can be made again, by the platform. Raises RuntimeError for a user
    without a home."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    given = os.environ.get("XDG_CACHE_HOME", "")
    return Path(given) if Path(given).is_absolute() else Path.home() / ".cache"


def root() -> Path:
    """The checkout; without one, the folder of the user's in its place."""
    return checkout() or home()


def beside_bench(name: str) -> Path:
    """A file of this package's own checkout; a wheel brings a copy."""
    return (SHIPPED if SHIPPED.is_dir() else OWN) / name


def state() -> Path:
    """Everything that Benchbook writes: logs, builds, runs, scratch copies."""
    found = checkout()
    return found / ".benchbook" if found else home()


def scratch() -> Path:
    """Copies of edited variants. Inside the checkout, so that Node.js finds node_modules above."""
    return state() / "scratch"


def builds() -> Path:
    """What was compiled, a folder for each state of the code."""
    return state() / "builds"


def relative(path: Path) -> str:
    """The path as a reader of a message knows it: relative to the checkout where it lies in it;
    where there is no checkout, to the folder where the reader is."""
    path = Path(path)
    try:
        return str(path.resolve().relative_to(checkout() or Path.cwd()))
    except (ValueError, OSError):  # it lies elsewhere, or that folder is gone
        return str(path)
