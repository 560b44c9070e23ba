"""A question of one's own: what is compared with what, as an experiment without a folder.

Everything that is compared is a Variant, a program and what it is given (environment, version of
its runtime, packages, arguments), so whatever can be compared is raced, judged and shown as the
variants of an experiment are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchbook.model.claims import OURS, Claim, Source, Statement
from benchbook.model.experiments import Experiment
from benchbook.model.kinds.kind import Kind
from benchbook.model.variants import Mode, Variant

NAME = "compare"  # what such an experiment is called
DELTA = 0.02  # the smallest difference that matters, where nobody says anything else
SECONDS = 25.0  # how long a race is, where nobody says anything else


@dataclass(frozen=True)
class Question:
    """What is compared: variants, the first of which the others are compared with.

    delta: the smallest difference that matters, as a share; mode: how long to race; folder: the one
    in which it was asked.
    """

    kind: Kind
    variants: tuple[Variant, ...]
    mode: Mode
    folder: Path
    delta: float = DELTA

    @property
    def baseline(self) -> Variant:
        return self.variants[0]

    def experiment(self) -> Experiment:
        """The experiment that answers it; its programs run where they lie."""
        return Experiment(
            name=NAME,
            folder=self.folder,
            title=title(self.variants),
            question=f"Is {listed([v.title for v in self.variants[1:]])} faster than "
            f"{self.baseline.title}?",
            claim=self.claim(),
            baseline=self.baseline.name,
            kind=self.kind,
            modes={"quick": self.mode, "full": self.mode},
            variants=self.variants,
            in_place=True,
        )

    def claim(self) -> Claim:
        """Nobody's claim: whether each of the others is faster than the baseline, or slower."""
        name = title(self.variants)
        source = Source(article="none", title=name, language="none", method="none")
        statements = tuple(self.statement(variant) for variant in self.variants[1:])
        return Claim(NAME, self.folder / NAME, name, OURS, source, (), statements)

    def statement(self, variant: Variant) -> Statement:
        baseline = self.baseline
        return Statement(
            id=variant.name,
            says=f"{OURS}: {variant.title} is faster than {baseline.title}.",
            type="faster",
            place="",
            a=variant.name,
            b=baseline.name,
            smallest_effect=self.delta,
            ours=True,
        )


def title(variants: Sequence[Variant]) -> str:
    """What is compared, in a line."""
    first, *others = [variant.title for variant in variants]
    return f"{first} and {listed(others)}" if others else f"{first} and itself"


def listed(names: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "a copy"
