"""Which notebooks somebody means: by name, number or experiment."""

from collections.abc import Sequence
from pathlib import Path

from benchbook.model import experiments
from benchbook.system import paths
from benchbook_kernels.base import nearest
from benchbook_kernels.base.errors import InputError


def choose(names: Sequence[str]) -> list[Path]:
    """The notebooks to execute, in order. Raises InputError where there is none for a name."""
    paths.need_checkout()
    every = sorted(paths.notebooks().glob("*.ipynb"))
    if names:
        return list(dict.fromkeys(find(name, every) for name in names))
    if not every:
        raise InputError(paths.relative(paths.notebooks()), "", "contains no notebooks")
    return every


def find(name: str, every: Sequence[Path]) -> Path:
    """The notebook called `name`, with that number, or of that experiment."""
    number = name.zfill(2) if name.isdigit() else name
    matches = [path for path in every if path.stem == name or path.stem.startswith(f"{number}-")]
    if len(matches) == 1:
        return matches[0]
    if len(matches) > 1:
        several = ", ".join(path.stem for path in matches)
        raise InputError(f"notebook {name}", "", f"is not one but several: {several}", "name one")
    try:
        notebook = experiments.find(name).notebook
    except InputError:
        known = [path.stem for path in every]
        raise InputError(f"notebook {name}", "", nearest.unknown("notebook", name, known)) from None
    if not notebook.is_file():
        raise InputError(f"experiment {notebook.stem}", "", f"has no {paths.relative(notebook)}")
    return notebook
