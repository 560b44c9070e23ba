"""%compare, and programs of a reader's own in `%%variant` cells: a notebook without an experiment.

What they share with `bench compare`: compare/asking.py and compare/service.py.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from benchbook.compare import asking
from benchbook.compare.asking import COMPARE_OPTIONS
from benchbook.compare.command_options import OF_FILES
from benchbook.compare.service import ComparisonRequest
from benchbook.model import experiments
from benchbook.notebook.magics.benchmark_magics import syntax_errors
from benchbook.notebook.magics.race_magics import compare
from benchbook.notebook.own.programs import SUFFIXES, OwnProgram
from benchbook.notebook.own.question import OwnQuestion
from benchbook.notebook.workbench import Workbench
from benchbook.race import turn
from benchbook.show.cards import compare_cards
from benchbook.show.markup import Output
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.notebook.offers import files, offers
from benchbook_kernels.notebook.typed import Magics, line_magic, magics_class, options_of, parsed

VERDICT = "{verdict}"
# An answer is shown below the cell: no files of it are written, whose options these are.
SHOWN_OPTIONS = tuple(option for option in COMPARE_OPTIONS if option not in OF_FILES)
VARIANT_OPTIONS = (
    click.Option(["--server"], is_flag=True, help="The cell is the body of a server's handler."),
    *(
        click.Option([f"--{each}"], is_flag=True, help="The language, if not the notebook's.")
        for each in SUFFIXES
    ),
)


@magics_class
class CompareMagics(Magics):
    """speak_of: makes a question the one that the other magics speak of."""

    def __init__(self, shell: Any, speak_of: Callable[[ComparisonRequest], OwnQuestion]) -> None:
        super().__init__(shell)
        self.speak_of = speak_of

    @options_of(click.Argument(["things"], nargs=-1, metavar="A B [C …]"), *SHOWN_OPTIONS)
    @line_magic
    @offers(lambda asked: [] if asked.option else files(asked.word, Path.cwd()))
    def compare(self, line: str) -> None:
        """Compare two things of your own: servers, functions, commands.

        A and B are files or commands in quotes: %compare a.mjs b.mjs --for 30s. The first is what
        the others are compared with; a copy of it races, too. Interrupt the kernel to stop: the
        answer so far is shown. %verdict, %plot and %evidence then speak of it, where no experiment
        is chosen.
        """
        given = parsed(self.compare, line)
        wanted = asking.request_of(given.pop("things"), given, Path.cwd())
        compare(self.speak_of(wanted), wanted)


def own(chosen: Workbench | None, name: str, given: Mapping[str, Any]) -> OwnQuestion | None:
    """The question that a cell's program is part of; None where it is a variant of an experiment.

    given: the cell's options. Raises InputError for one that an experiment's variant can't have,
    and where the notebook's %experiment was not run yet.
    """
    if isinstance(chosen, OwnQuestion) and (chosen.programs or not chosen.asked):
        return chosen
    flag = next((option for option, value in given.items() if value), "")
    if chosen is not None and not isinstance(chosen, OwnQuestion):
        if flag:
            problem = f"is for programs of your own: {chosen.experiment.number} is chosen"
            raise InputError("%%variant", f"--{flag}", problem, "leave it or %experiment out")
        return None
    if not flag and chosen is None and (number := number_of_its_experiment(name)):
        problem = f"{name} is a variant of experiment {number}, which is not chosen yet"
        raise InputError("%%variant", "", problem, f"run the cell with %experiment {number}")
    return OwnQuestion.of_cells()


def number_of_its_experiment(name: str) -> str:
    """The number of the experiment that the notebook is about, where that has such a variant; ''
    otherwise, or where the notebook is not known."""
    stem = Path(os.environ.get(turn.NOTEBOOK) or os.environ.get(turn.JUPYTER) or "").stem
    try:
        found = experiments.find_all(stem) if stem else []
    except BenchError:
        return ""
    return next((each.number for each in found for v in each.variants if v.name == name), "")


def take(
    shell: Any, question: OwnQuestion, name: str, cell: str, given: Mapping[str, Any]
) -> Output:
    """Take a cell's program, and tell what it is. Raises InputError for one that can't be read."""
    languages = [each for each in SUFFIXES if given[each]]
    if len(languages) > 1:
        problem = f"goes against --{languages[0]}"
        raise InputError("%%variant", f"--{languages[1]}", problem, "leave one of them out")
    language = next(iter(languages), language_of(shell))
    if language == "csharp":
        plain = (("" if line.lstrip().startswith("#:") else line) for line in cell.split("\n"))
        if errors := syntax_errors(shell, "\n" + "\n".join(plain)):
            raise InputError(f"%%variant {name}", "", f"is no C#:\n{errors}")
    program = OwnProgram(name, language, cell, given["server"])
    said = question.take(program)
    hosted = [each.name for each in question.programs.values() if each.server]
    alike = [each for each in hosted if question.programs[each].language == language]
    return program.told(said, alike[:1] == [name])


def language_of(shell: Any) -> str:
    """The language of the notebook's plain cells: of our kernels theirs, else Python."""
    language = getattr(getattr(shell, "kernel", None), "language", "")
    return language if language in SUFFIXES else "python"


def filled(sentences: str, bench: Workbench) -> str:
    """A reader's sentences, with the verdict's where they ask for it."""
    if VERDICT not in sentences:
        return sentences.strip()
    found = bench.results()
    said = "; ".join(compare_cards.lines(found))
    return sentences.strip().replace(VERDICT, said)
