"""Which command lines a launch of commands consists of: each entry's own, and those around it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchbook.model.experiments import Experiment
from benchbook.model.kinds.commands import NULL, Around, WholeProcesses
from benchbook.model.plan import COPY
from benchbook.model.variants import Variant
from benchbook.programs import given_environment, runners
from benchbook.race.kinds.commands.timing import Line

RUN, CHECK, SHELL = "run", "check", "shell"  # roles: a run, one whose output is kept
SETUP, PREPARE, CONCLUDE, CLEANUP = "setup", "prepare", "conclude", "cleanup"


@dataclass
class Lines:
    """The command lines of a launch, each in a place; roles: whose each is, and what for; '' is
    nobody's name."""

    lines: list[Line] = field(default_factory=list)
    roles: list[tuple[str, str]] = field(default_factory=list)

    def add(self, name: str, role: str, line: Line) -> int:
        """Its place."""
        self.lines.append(line)
        self.roles.append((name, role))
        return len(self.lines) - 1

    def place(self, name: str, role: str) -> int:
        return self.roles.index((name, role))

    def role(self, place: int) -> str:
        return self.roles[place][1]

    def line(self, name: str, role: str) -> Line:
        return self.lines[self.place(name, role)]

    def __contains__(self, what: object) -> bool:
        return what in self.roles

    @property
    def names(self) -> list[str]:
        """The entries."""
        return [name for name, role in self.roles if role == RUN]


def of(
    experiment: Experiment, variants: Mapping[str, Variant], names: Sequence[str], folder: Path
) -> Lines:
    """The command lines of these entries. folder: takes files, such as a check's output."""
    kind, found = experiment.kind_as(WholeProcesses), Lines()
    for name in names:
        add(found, kind, name, variants[name], folder)
    if kind.shell and names:
        first = variants[names[0]]
        words = [*kind.shell, ""]
        found.add("", SHELL, Line(words, first.runs_in, environment(kind, first)))
    return found


def add(found: Lines, kind: WholeProcesses, name: str, variant: Variant, folder: Path) -> None:
    """Those of an entry."""
    env, inside = environment(kind, variant), variant.runs_in

    def beside(role: str, words: Sequence[str]) -> int | None:
        return found.add(name, role, Line(list(words), inside, env)) if words else None

    around = kind.around_of(name)
    prepare = beside(PREPARE, prepared(kind, around, folder))
    conclude = beside(CONCLUDE, around.conclude)
    words = [*command(variant, folder), *kind.arguments]
    output = os.devnull if kind.output == NULL else kind.output
    own = Line(
        words, inside, env, kind.input or os.devnull, output, kind.exit_code, prepare, conclude
    )
    found.add(name, RUN, own)
    if kind.count is None:
        found.add(name, CHECK, replace(own, write=folder / "written"))
    if not name.endswith(COPY):  # what is set up for the baseline is set up for its copy
        beside(SETUP, around.setup)
        beside(CLEANUP, around.cleanup)


def prepared(kind: WholeProcesses, around: Around, folder: Path) -> Sequence[str]:
    """What is run before each run: a command line, or a program of the experiment."""
    return command(kind.prepared, folder) if kind.prepared else around.prepare


def command(variant: Variant, folder: Path) -> list[str]:
    """The command line of a program."""
    return runners.of(variant).command(variant, {}, folder)


def environment(kind: WholeProcesses, variant: Variant) -> dict[str, str | None]:
    """What a command finds in its environment, beside ours: typed commands find what they always
    find, those of an experiment what all programs of experiments do."""
    if kind.count:
        return {**given_environment.as_typed(), **variant.env}
    return {**given_environment.environment(), **variant.env}
