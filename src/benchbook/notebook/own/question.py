"""What a notebook works on that has no experiment: programs of the reader's own, compared."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchbook.analysis.judging.judge import Results
from benchbook.compare import asking, detect, question, service
from benchbook.compare.service import ComparisonOutcome, ComparisonRequest
from benchbook.model.runs import Run
from benchbook.notebook.own.programs import OwnProgram
from benchbook.notebook.workbench import Workbench
from benchbook.race import turn
from benchbook.race.options import OPTIONS
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.nearest import unknown

OF_COMPARISONS = (asking.FOR, asking.DELTA, *asking.OF_ANSWERS)  # options of %race for these alone
WORDS = {
    detect.SERVERS: "a server",
    detect.FUNCTIONS: "a function",
    detect.METHODS: "a method",
    detect.COMMANDS: "a program that runs to its end",
}


@dataclass
class OwnQuestion(Workbench):
    """The state of a notebook that compares programs of the reader's own.

    programs: those of its cells, in their order, the first of which the others are compared with;
    asked: what was compared last, of a notebook without such cells (%compare).
    """

    programs: dict[str, OwnProgram] = field(default_factory=dict)
    asked: ComparisonRequest | None = None

    @classmethod
    def of_cells(cls) -> "OwnQuestion":
        """One whose programs are still to come."""
        return cls(service.unasked(cells_folder()))

    @classmethod
    def of(cls, asked: ComparisonRequest) -> "OwnQuestion":
        """One whose programs are named."""
        return cls(service.unasked(asked.folder), asked=asked)

    @property
    def folder(self) -> Path:
        return self.experiment.folder

    def take(self, program: OwnProgram) -> str:
        """Take a cell's program; what it is and what comes next, in sentences. Raises InputError as
        OwnProgram.write does."""
        path = program.write(self.folder)
        old = self.programs.get(program.name)
        if old and old.file != program.file:
            (self.folder / old.file).unlink(missing_ok=True)
        self.programs[program.name] = program
        found = detect.find(path.name, self.folder)
        files = [each.file for each in self.programs.values()]
        named = service.named(files, self.folder).experiment()
        self.experiment = replace(named, baseline=next(iter(self.programs)))
        what = f"{program.name} is {WORDS[found.kind]} of your own: {found.why}."
        if len(files) == 1:
            return f"{what} Write another %%variant, and %race compares them."
        others = [name for name in self.programs][1:]
        return f"{what} %race compares {question.listed(others)} with {self.experiment.baseline}."

    def request(self, values: Mapping[str, Any]) -> ComparisonRequest:
        """What %race is to compare. values: of its options by name.

        Raises InputError where there is nothing to compare, and for options of experiments alone.
        """
        for option in OPTIONS:
            given = values.get(option.name) not in (None, False, ())
            if given and option.name not in (*asking.OF_RACE, "variants"):
                remedy = "%race? shows them all; --for 60s races longer"
                raise InputError(option.flag, "", "is of experiments", remedy)
        if self.asked and not self.programs:
            asked = asking.request_of(self.asked.things, values, self.asked.folder)
            return replace(asked, kind=self.asked.kind, given=self.asked.given)
        chosen = values.get("variants") or tuple(self.programs)
        for name in chosen:
            if name not in self.programs:
                problem = unknown("program", name, list(self.programs))
                raise InputError("--variants", "", problem)
        kept = [each for name, each in self.programs.items() if name in chosen]
        first = [each for each in self.programs.values()][:1]
        files = [each.file for each in dict.fromkeys([*first, *kept])]
        if not files:
            raise InputError("%race", "", "has nothing to race", "write two %%variant cells")
        return asking.request_of(files, values, self.folder)

    def keep_outcome(self, outcome: ComparisonOutcome) -> None:
        """The race that was just made is the one that the magics speak of."""
        self.experiment = outcome.question.experiment()
        self.run = self.raced_here = outcome.run

    def results(self) -> Results:
        """What the last race says. Raises InputError where there was none."""
        if self.run is None:
            raise InputError("%race", "", "has not run yet", "run the cell with %race first")
        return question.judged(self.run)

    def judged(self, run: Run) -> Results:
        return question.judged(run)


def cells_folder() -> Path:
    """Where the programs of this notebook's cells go, a folder of its own; of a notebook whose name
    is not known, of this kernel."""
    name = os.environ.get(turn.NOTEBOOK) or os.environ.get(turn.JUPYTER) or str(os.getpid())
    place = hashlib.sha256(f"{Path.cwd()}/{name}".encode()).hexdigest()[:8]
    return paths.scratch() / f"cells-{place}"
