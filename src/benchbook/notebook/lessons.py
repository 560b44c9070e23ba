"""`%lesson NAME`: figures that an experiment brings for its notebook, from its folder lessons/.

The package there names its lessons in __all__ (best_of_3 is called best-of-3): functions that draw
a figure. One with parameters is about a race: it is given the last Run, its Results and the name of
a variant. The first lines of their docstrings are what `%lesson?` shows.
"""

import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from benchbook.model import experiments
from benchbook.model.experiments import Experiment
from benchbook.model.naming import home
from benchbook.notebook.exercises import message_of
from benchbook.show.embed import Figure
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError

FOLDER = "lessons"


@dataclass(frozen=True)
class Lesson:
    """A lesson; draw: its function; of_a_race: it takes a run, its results and a variant."""

    name: str
    draw: Callable[..., Figure]

    @property
    def of_a_race(self) -> bool:
        return bool(inspect.signature(self.draw).parameters)

    @property
    def usage(self) -> str:
        what = summary(self.draw)
        written = f"%lesson {self.name}{' VARIANT' * self.of_a_race}"
        return f"{written:<29}({what[:1].lower()}{what[1:].rstrip('.')})"


def summary(documented: object) -> str:
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def packages(chosen: Experiment | None) -> list[ModuleType]:
    """The lessons that experiments in snippets/ bring, and the chosen one, which may lie elsewhere.

    Raises InputError where one can't be read.
    """
    homes = [home(folder) for folder in experiments.folders()] + ([chosen.home] if chosen else [])
    folders = dict.fromkeys(each / FOLDER for each in homes)
    return [read(folder) for folder in folders if (folder / "__init__.py").is_file()]


def known(chosen: Experiment | None = None) -> dict[str, Lesson]:
    """Every lesson by its name. Raises InputError as packages() does."""
    found = [
        Lesson(name.replace("_", "-"), getattr(package, name))
        for package in packages(chosen)
        for name in package.__all__
    ]
    return {lesson.name: lesson for lesson in found}


def read(folder: Path) -> ModuleType:
    """The package in a folder whose name need not be a Python name. Raises InputError."""
    path = folder / "__init__.py"
    name = re.sub(r"\W", "_", str(folder.resolve()))  # two folders are two packages
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path, submodule_search_locations=[str(folder)])
    assert spec and spec.loader, "the file ends in .py"
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise InputError(
            paths.relative(path), "", f"can't be read: {message_of(error, path)}"
        ) from None
    return module


def usage() -> str:
    """What `%lesson?` shows. Raises InputError as packages() does."""
    titles = [summary(package) for package in packages(None)]
    lines = [lesson.usage for lesson in known().values()]
    return "\n".join([*titles, "", "Usage: " + "\n       ".join(lines)])
