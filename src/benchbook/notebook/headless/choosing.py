"""Which notebooks somebody means: by name, number or experiment."""

from collections.abc import Sequence
from pathlib import Path

from benchbook.model import experiments
from benchbook.system import paths
from benchbook_kernels.base import nearest
from benchbook_kernels.base.errors import InputError


def choose(names: Sequence[str]) -> list[Path]:
    """The notebooks to execute, in order. Raises InputError where there is none for a name, or two
    have one."""
    every = known()
    named = (path for name in names for path in find(name, every))
    chosen = list(dict.fromkeys(named)) if names else every
    if not chosen:
        paths.need_place()
        problem = "holds no notebook" if paths.only() else "contains no notebooks"
        raise InputError(paths.relative(paths.only() or paths.notebooks()), "", problem)
    by_name: dict[str, Path] = {}
    for path in chosen:
        if (other := by_name.setdefault(path.stem, path)) != path:
            where = f"{paths.relative(other)} and {paths.relative(path)}"
            problem, remedy = f"is the name of two: {where}", "name one of them, by its folder"
            raise InputError(f"notebook {path.stem}", "", problem, remedy)
    return chosen


def known() -> list[Path]:
    """The checkout's notebooks, and those of known experiments that lie elsewhere, in order."""
    ours = [] if paths.only() or not paths.checkout() else paths.notebooks().glob("*.ipynb")
    every = dict.fromkeys(map(experiments.notebook_at, experiments.folders()))
    beside = (path for path in every if path.parent != paths.notebooks() and path.is_file())
    return [*sorted(ours, key=place), *beside]


def place(path: Path) -> tuple[bool, str]:
    """Where a notebook stands among others: those to start with come first."""
    return not path.stem.startswith("start-"), path.stem


def find(name: str, every: Sequence[Path]) -> list[Path]:
    """The notebook called `name`, with that number, or of that experiment; of one whose parts have
    notebooks of their own, all of them."""
    number = name.zfill(2) if name.isdigit() else name
    matches = [path for path in every if path.stem == name or path.stem.startswith(f"{number}-")]
    if len(matches) == 1:
        return matches
    if len(matches) > 1:
        several = ", ".join(path.stem for path in matches)
        raise InputError(f"notebook {name}", "", f"is not one but several: {several}", "name one")
    try:
        found = {experiments.load(folder).notebook for folder in experiments.called(name)}
    except InputError:
        if experiments.at(name):
            raise
        known = [path.stem for path in every]
        raise InputError(f"notebook {name}", "", nearest.unknown("notebook", name, known)) from None
    for path in found:
        if not path.is_file():
            raise InputError(f"experiment {path.stem}", "", f"has no {paths.relative(path)}")
    return sorted(found, key=place)
