"""Heats: which programs race together, so that each statement is asked of each version.

A heat has all that statements speak of on one or more versions, and the baseline with its control,
which is the same in all heats. Within a version programs are compared with each other; they must
answer as the baseline does on that version, and the baseline as it does in all.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import psutil

from benchbook.compare.service import mode_of
from benchbook.compare.versions.axis import AxisVersion, VersionAxis
from benchbook.model.claims import Statement
from benchbook.model.experiments import Experiment
from benchbook.model.kinds.functions import Functions
from benchbook.model.variants import Variant
from benchbook.system import cores

AT_ONCE = 5  # servers for each CPU of the machine that are loaded together
PROCESS_BYTES = 150e6  # of a program with its load, about
FUNCTIONS_AT_ONCE = 24  # processes that live side by side and take turns
SEPARATOR = "@"


@dataclass(frozen=True)
class Heat:
    """An experiment, and the versions that it asks of. anchor: the version of the shared baseline,
    None where that has none."""

    experiment: Experiment
    versions: tuple[AxisVersion, ...]
    anchor: AxisVersion | None

    @property
    def entries(self) -> int:
        """What is raced, with the baseline's copy."""
        return len(self.experiment.variants) + 1


@dataclass(frozen=True)
class Axes:
    """What heats are made of: the experiment, the axis, the statements, and the version of the
    baseline that all heats share."""

    experiment: Experiment
    axis: VersionAxis
    statements: tuple[Statement, ...]
    anchor: AxisVersion

    @property
    def needed(self) -> list[Variant]:
        """The variants of a version: those that statements speak of, and those that these must
        answer like."""
        names = {name for each in self.statements for name in each.names}
        names |= {self.experiment.reference(self.experiment.variant(name)) for name in names}
        return [each for each in self.experiment.variants if each.name in names]

    @property
    def varied(self) -> list[Variant]:
        return [each for each in self.needed if self.axis.varies(each)]

    def name(self, name: str, version: AxisVersion) -> str:
        """What a variant is called on a version; as ever where it is not given one."""
        varies = self.axis.varies(self.experiment.variant(name))
        return asked_as(name, version) if varies else name

    def heat(self, versions: Sequence[AxisVersion], seconds: float) -> Heat:
        """One that asks of these versions, in about so many seconds."""
        baseline = self.experiment.variant(self.experiment.baseline)
        found = {each.name: each for each in [self.given(baseline, self.anchor)]}
        for version in versions:
            for variant in self.needed:
                each = self.given(variant, version)
                found.setdefault(each.name, each)
        statements = [self.asked(s, version) for version in versions for s in self.statements]
        claim = replace(self.experiment.claim, statements=tuple(statements), figures=())
        mode = mode_of(self.experiment.kind, seconds, len(found) + 1)
        made = replace(
            self.experiment,
            claim=claim,
            variants=tuple(found.values()),
            baseline=self.name(baseline.name, self.anchor),
            modes={"quick": mode, "full": mode},
        )
        return Heat(made, tuple(versions), self.anchor if self.axis.varies(baseline) else None)

    def given(self, variant: Variant, version: AxisVersion) -> Variant:
        """A variant as it is raced on a version."""
        baseline = self.experiment.baseline
        like = self.experiment.reference(variant)
        is_baseline = variant.name == baseline
        other = self.anchor if is_baseline else version
        reference = self.name(baseline if is_baseline else like, other)
        own = reference == self.name(variant.name, version)  # others are compared with it
        shared = {"answers_like": "" if own and is_baseline else reference}
        if not self.axis.varies(variant):
            return replace(variant, **shared)
        assert version.change
        if is_baseline and not own:
            shared["alike"] = "body"  # other versions may send other headers
        changed = version.change(variant)
        return replace(
            changed,
            name=self.name(variant.name, version),
            title=f"{variant.title}, {version.told}",
            series=variant.series and f"{variant.series}, {version.told}",
            **shared,
        )

    def asked(self, statement: Statement, version: AxisVersion) -> Statement:
        """A statement about the programs of a version."""
        names = {name: self.name(name, version) for name in statement.names}
        return replace(
            statement,
            id=asked_as(statement.id, version),
            a=names.get(statement.a, ""),
            b=names.get(statement.b, ""),
            variants=tuple(names[name] for name in statement.variants),
        )

    def dealt(self, versions: Sequence[AxisVersion]) -> list[tuple[AxisVersion, ...]]:
        """The versions of each heat: all in one where machine and memory allow."""
        fixed = len(self.needed) - len(self.varied) + 2
        room = max(1, (at_once(self.experiment) - fixed) // max(1, len(self.varied)))
        count = math.ceil(len(versions) / room)
        cuts = [round(i * len(versions) / count) for i in range(count + 1)]
        return [tuple(versions[low:high]) for low, high in zip(cuts, cuts[1:])]


def asked_as(name: str, version: AxisVersion) -> str:
    """What a program or a statement is called on a version."""
    return f"{name}{SEPARATOR}{version.label}"


def at_once(experiment: Experiment) -> int:
    """How many programs of an experiment may run at the same time here."""
    memory = int(psutil.virtual_memory().available / 2 / PROCESS_BYTES)
    if isinstance(experiment.kind, Functions):
        return min(FUNCTIONS_AT_ONCE, memory)
    return min(AT_ONCE * len(cores.affinity()), memory)
