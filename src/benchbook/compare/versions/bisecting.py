"""With which version does a statement turn? The range is halved until two neighbours are left."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchbook.compare.versions import flips, racing
from benchbook.compare.versions.axis import AxisVersion
from benchbook.compare.versions.racing import VersionRaces, VersionRequest
from benchbook.model.experiments import Experiment
from benchbook.model.profiles.by_version import ByVersion
from benchbook.race import limits
from benchbook.race.service import Audience
from benchbook_kernels.base.errors import InputError

SECONDS = 480.0  # of all races
EACH_SECONDS = 40.0  # of a version
LONGER = 2.0  # times as long, for one that was too close to call


@dataclass
class Halving:
    """The search: races that are asked of one version after the other, until `deadline`, by
    time.monotonic(). given_up: labels of versions that did not tell."""

    races: VersionRaces
    deadline: float
    given_up: set[str] = field(default_factory=set)

    @property
    def statement(self) -> str:
        return self.races.statements[0].id

    def verdict(self, label: str) -> str:
        """What is known of a version, '' where it did not tell."""
        found = self.races.record.of(self.statement).get(label)
        return found.verdict if found and found.verdict in flips.DECIDED else ""

    @property
    def open(self) -> list[AxisVersion]:
        """The versions that told, or still may."""
        return [each for each in self.races.left if each.label not in self.given_up]

    @property
    def late(self) -> bool:
        return time.monotonic() > self.deadline

    def ask(self, versions: Sequence[AxisVersion]) -> None:
        """Race them; once more, for longer, what was too close to call."""
        self.races.ask(versions, EACH_SECONDS * len(versions))
        for each in versions:
            there = each.label in {other.label for other in self.open}
            if there and not self.verdict(each.label) and not self.late:
                self.races.audience.say(f"{each.told} is too close to call: once more, for longer")
                self.races.ask([each], LONGER * EACH_SECONDS)
            if not self.verdict(each.label):
                self.given_up.add(each.label)

    def ends(self) -> tuple[AxisVersion, AxisVersion] | None:
        """The first and the last version that tell; None where there are no two."""
        while len(found := self.open) > 1:
            first, last = found[0], found[-1]
            unknown = [each for each in (first, last) if not self.verdict(each.label)]
            if not unknown:
                return first, last
            if self.late:
                return None
            self.ask(unknown)
        return None

    def narrowed(self, low: AxisVersion, high: AxisVersion) -> None:
        """Halve what lies between two versions with different verdicts, as long as there is time:
        where does that of the older one end?"""
        was = self.verdict(low.label)
        while not self.late:
            labels = [each.label for each in self.open]
            left = self.open[labels.index(low.label) + 1 : labels.index(high.label)]
            if not left:
                return
            middle = left[len(left) // 2]
            self.ask([middle])
            if found := self.verdict(middle.label):
                low, high = (middle, high) if found == was else (low, middle)


def bisect(experiment: Experiment, wanted: VersionRequest, audience: Audience) -> ByVersion:
    """Find the version with which a statement turns: the first whose verdict is another than that
    of the oldest. Of several such versions it finds one.

    Raises as racing.ready does, and InputError where no one statement is named.
    """
    if len(wanted.statements) != 1:
        names = [each.id for each in experiment.claim.statements]
        problem = "is to name one statement" if names else "can't be halved: it has no statement"
        remedy = f"--statement ID, one of: {', '.join(names)}" if names else ""
        raise InputError(f"experiment {experiment.number}", "", problem, remedy)
    with racing.ready(experiment, wanted, audience, halved=True) as races:
        deadline = time.monotonic() + wanted.seconds * limits.read().share
        halving = Halving(races, deadline)
        ends = halving.ends()
        if ends and halving.verdict(ends[0].label) != halving.verdict(ends[1].label):
            halving.narrowed(*ends)
        return races.record
