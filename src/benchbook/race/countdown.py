"""How long a race will still take."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchbook.model.plan import Plan
from benchbook.model.samples import Sample


@dataclass
class Countdown:
    """done: seconds of the plan, when one last looked; end: seconds from the start to the end, by
    what was known then."""

    done: float = 0.0
    end: float = 0.0

    def left(self, plan: Plan, samples: Sequence[Sample], elapsed: float) -> float:
        """Seconds left: what launches and blocks will take, as planned and as they did so far.

        Between two looks, as while programs warm up, it counts down.
        """
        blocks = plan.launches * plan.blocks_seconds
        beside = plan.expected_seconds - blocks
        begun = beside * len({sample.launch for sample in samples}) / plan.launches
        sampled = blocks * len(samples) / max(1, plan.samples)
        if not samples:
            self.end = plan.expected_seconds
        elif begun + sampled > self.done:  # a block further
            spent = blocks_seconds(samples)
            left = still(elapsed - spent, begun, beside, plan.launches)
            self.end = elapsed + left + still(spent, sampled, blocks, plan.launches)
            self.done = begun + sampled
        return max(0.0, self.end - elapsed)


def still(spent: float, done: float, planned: float, launches: int) -> float:
    """Seconds that a part of a race will still take: of the planned ones so many are done, which
    took `spent`.

    It goes on as it went, but one more launch that takes as long as planned is counted in, so that
    a first one that was slow does not promise the same of all.
    """
    usual = planned / launches
    return (planned - done) * (spent + usual) / (done + usual) if planned else 0.0


def blocks_seconds(samples: Sequence[Sample]) -> float:
    """How long the blocks took, with what lay between them: in each launch from first to last."""
    spans: dict[int, tuple[float, float]] = {}
    for sample in samples:
        begun, end = sample.started_seconds, sample.started_seconds + sample.seconds
        first, last = spans.get(sample.launch, (begun, end))
        spans[sample.launch] = min(first, begun), max(last, end)
    return sum(last - first for first, last in spans.values())
