"""`%check N`: is an exercise done? The checks stand beside the experiment, in its exercises.py.

There, `exercise_1(view)` yields a sentence for each thing that is still missing; none: it is done.
It looks at what was done (which variant was edited, what the race took, what a variable holds),
never at which program was faster: that depends on the machine.
"""

import hashlib
import json
import re
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from benchbook.model import experiments
from benchbook.model.experiments import Experiment
from benchbook.model.naming import short
from benchbook.model.runs import Entry, Run
from benchbook.notebook import module_calls
from benchbook.notebook.workbench import Workbench
from benchbook.programs import parity, programs, readiness
from benchbook.programs.parity import Answer
from benchbook.programs.programs import VariantError
from benchbook.show import markup
from benchbook.show.cards.guess_cards import Guess
from benchbook.show.markup import Output
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.processes import Keeper

FILE = "exercises.py"
OF_OWN_QUESTIONS = Path(__file__).with_name("own") / "exercises.py"
FUNCTION = re.compile(r"exercise_(\d+)")
BLOCK_COMMENT = re.compile(r"(?s)(?<![\w'\"*/])/\*.*?\*/")  # not in "text/*" or "*/*"
LINE_COMMENT = re.compile(r"(?m)(?<![:\"'])(//|#(?![:!])).*$")


class Missing(Exception):
    """What is missing, in a sentence; nothing after it needs to be looked at."""


@dataclass(frozen=True)
class View:
    """What a check may look at, and nothing that it could change.

    experiment: with the reader's edits in place; run: the last race of this notebook, None where
    there was none; cell: the run of the last %%benchmark, and cell_code its code.
    get: a variable of the notebook's session as JSON text; raises BenchError where there is none.
    sentences: what the reader concludes (%%claim).
    """

    experiment: Experiment
    run: Run | None
    guesses: Mapping[str, Guess]
    get: Callable[[str], str]
    cell: Run | None = None
    cell_code: str = ""
    sentences: str = ""

    def edited(self, name: str) -> str:
        """The code of a variant that the reader has changed, more than in its comments.

        Without comments. Raises Missing where it is the snippet.
        """
        self.is_chosen(name)
        variant = self.experiment.variant(name)
        code = bare(variant.code)
        original = bare(experiments.load(self.experiment.folder).variant(name).code)
        if not variant.edited or code.split() == original.split():
            file = self.experiment.variant(name).path.name
            remedy = "edit its cell, and run that cell"
            raise Missing(f"The code of {name} ({file}) is still the snippet: {remedy}.")
        return code

    def in_part(self, name: str) -> None:
        """Raises Missing where another part of the experiment is chosen."""
        if self.experiment.name != name:
            raise Missing(f"Choose %experiment {short(name)} first: the exercise is about it.")

    def is_chosen(self, name: str) -> None:
        """Raises Missing where the chosen experiment, or part of it, has no such variant."""
        if name in [variant.name for variant in self.experiment.variants]:
            return
        for folder in experiments.at(str(self.experiment.home)):
            found = experiments.load(folder)
            if name in [variant.name for variant in found.variants]:
                raise Missing(f"Choose %experiment {found.number} first: {name} belongs to it.")
        raise LookupError(f"no variant '{name}' in {self.experiment.name}")

    def raced(self, *names: str) -> Run:
        """The last race, once these took part in it as they are now, and were timed.

        What was timed gave the right answer (parity). Raises Missing.
        """
        for name in names:
            entry = self.taken(name)
            if entry.status != "raced":
                raise Missing(f"{name} was not timed: {entry.short_reason}")
        run = self.run
        if run is None or not run.complete:
            raise Missing("The race was cut short: run its cell again.")
        return run

    def taken(self, name: str) -> Entry:
        """The entry of a variant in the last race, as it is now. Raises Missing."""
        self.is_chosen(name)
        if self.run is None:
            raise Missing("Nothing was raced yet: run the cell with %race.")
        found = [entry for entry in self.run.entries if entry.name == name]
        if not found:
            raise Missing(f"{name} was not in the last race: run the exercise's cell with %race.")
        code = self.experiment.variant(name).path.read_bytes()
        if found[0].sha256 != hashlib.sha256(code).hexdigest():
            raise Missing(f"The last race had another {name}: run the exercise's %race again.")
        return found[0]

    def answer(self, name: str, path: str) -> Answer:
        """What a server with the reader's edit answers to GET `path`; started for this only.

        Raises Missing where it does not start or answer.
        """
        variant, page = self.experiment.variant(name), self.experiment.kind.requested
        if not page:
            raise LookupError(f"{name} is no server")
        keeper = Keeper()
        try:
            if reason := readiness.make_ready([variant], lambda _: None)[name]:
                raise Missing(f"{name} can't run here: {reason}")
            program = programs.start(variant, keeper)
            programs.await_ready(program, page)
            return parity.ask(program, path)
        except VariantError as error:
            raise Missing(str(error)) from None
        finally:
            keeper.close()

    def called(self, name: str, function: str, values: Sequence[Any]) -> list[dict[str, Any]]:
        """What a function of a variant's JavaScript module returns for each value, as module_calls
        says. Raises Missing where the module can't be loaded, or does not end."""
        self.is_chosen(name)
        try:
            return module_calls.results(self.experiment.variant(name).path, function, values)
        except BenchError as error:
            raise Missing(f"{name}: {error}") from None

    def value(self, name: str) -> Any:
        """The value of a variable of the session. Raises Missing where it has none."""
        try:
            found = json.loads(self.get(name))
        except BenchError:
            found = None
        if found is None:
            raise Missing(f"{name} has no value yet: complete the exercise's cell, and run it.")
        return found

    def benchmark(self) -> Run:
        """The run of the last %%benchmark. Raises Missing."""
        if self.cell is None or not self.cell.complete:
            raise Missing("No %%benchmark has run to its end yet: run the exercise's cell.")
        return self.cell


Check = Callable[[View], Iterator[str] | None]


def bare(code: str) -> str:
    """Code without comments; addresses, media types and C#'s `#:` lines stay."""
    return LINE_COMMENT.sub("", BLOCK_COMMENT.sub("", code))


def view(
    bench: Workbench, get: Callable[[str], str], cell: Run | None = None, cell_code: str = ""
) -> View:
    """What a notebook's workbench and its last %%benchmark let a check see."""
    raced, guesses = bench.raced_here, dict(bench.guesses)
    return View(bench.raced_experiment, raced, guesses, get, cell, cell_code, bench.sentences)


def load(experiment: Experiment) -> dict[int, Check]:
    """The checks of an experiment by their number. Raises InputError where its file is wrong."""
    path = file_of(experiment)
    if not path.is_file():
        raise InputError(paths.relative(path), "", "does not exist", "it has no exercises to check")
    module = read(path)
    found = {
        int(match[1]): function
        for name, function in vars(module).items()
        if (match := FUNCTION.fullmatch(name))
    }
    if not found:
        raise InputError(paths.relative(path), "", "has no function exercise_1")
    return dict(sorted(found.items()))


def file_of(experiment: Experiment) -> Path:
    """Where the checks are; those of every reader's own question are the same."""
    return OF_OWN_QUESTIONS if experiment.in_place else experiment.asked_in(FILE)


def read(path: Path) -> ModuleType:
    """The module in a file, read anew. Raises InputError with the error in it."""
    module = ModuleType(path.stem)
    try:
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))
    except Exception as error:
        raise InputError(
            paths.relative(path), "", f"can't be read: {message_of(error, path)}"
        ) from None
    return module


def missing(number: int, view: View) -> list[str]:
    """What exercise `number` still lacks, [] where it is done.

    Raises InputError where there is no such exercise, BenchError where its check fails itself.
    """
    checks = load(view.experiment)
    if number not in checks:
        known = ", ".join(map(str, checks))
        raise InputError(f"%check {number}", "", f"there is no such exercise (there are: {known})")
    found: list[str] = []
    try:
        for problem in checks[number](view) or ():
            found.append(problem)
    except Missing as last:
        found.append(str(last))
    except Exception as error:
        path = file_of(view.experiment)
        where = f"{paths.relative(path)}: exercise_{number}"
        raise BenchError(f"{where}: {message_of(error, path)}", "mend the check") from None
    return found


def message_of(error: Exception, path: Path) -> str:
    """An error of a check, with the last of the file's lines that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    line = lines[-1] if lines else getattr(error, "lineno", None)
    return f"{type(error).__name__}: {error}" + (f" (line {line})" if line else "")


def card(number: int, problems: list[str]) -> Output:
    """What %check shows."""
    if not problems:
        return markup.paragraph(f"✔ Exercise {number} is done.")
    heading = markup.heading(f"○ Exercise {number} is not done yet")
    items = markup.bullets(problems)
    return Output(f"{heading.text}\n{items.text}", heading.html + items.html)
