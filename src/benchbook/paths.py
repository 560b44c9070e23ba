"""Where things are: the checkout, the user's state beside it, and nothing outside of both."""

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def root() -> Path:
    """The checkout (or a copy of it) that this package belongs to; BENCHBOOK_ROOT overrides."""
    return Path(os.environ.get("BENCHBOOK_ROOT") or PACKAGE.parent.parent).resolve()


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
    """Everything that Benchbook writes: environment, logs, runs, scratch copies."""
    return root() / ".benchbook"


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
