"""What this machine can see in a workshop's minute: by its races so far, or by a pilot."""

from dataclasses import dataclass

from benchbook.analysis.statistics import detectable
from benchbook.analysis.statistics.detectable import DetectableEffect
from benchbook.model import experiments, results
from benchbook.model.picker import is_eligible, readable
from benchbook.programs.readiness import Say
from benchbook.race import prepare, turn
from benchbook.race.checks import modes
from benchbook.race.options import Options
from benchbook.system import paths

MINUTE = 60.0
NEWEST = 5  # races that are asked
LAUNCHES, BLOCKS, BLOCK_SECONDS, WARMUP_SECONDS = 3, 3, 0.7, 1.0  # of a pilot: 12 s


@dataclass(frozen=True)
class DetectableHere:
    """What races can detect on this machine. by: what says so: 'the last 5 races here'."""

    seen: DetectableEffect
    by: str

    @property
    def text(self) -> str:
        return self.seen.for_seconds(MINUTE).sentence(self.by, "a race of a minute")


def by_races() -> DetectableHere | None:
    """By the newest races of servers that were loaded together; None where there is none."""
    newest = sorted(paths.runs().rglob("*.json"), key=lambda path: path.name, reverse=True)
    runs = [r for r in readable(newest[: 3 * NEWEST]) if is_eligible(r) and r.plan.together]
    seen = detectable.expected(runs[:NEWEST])
    count = min(len(runs), NEWEST)
    words = f"the last {count} races here" if count > 1 else "the last race here"
    return DetectableHere(seen, words) if seen else None


def by_pilot(say: Say) -> DetectableHere | None:
    """By racing two equal servers for ten seconds. Raises BenchError where they can't be raced."""
    experiment = experiments.load(modes.FOLDER / modes.PLANTS)
    options = Options(
        launches=LAUNCHES,
        blocks=BLOCKS,
        seconds=BLOCK_SECONDS,
        warmup=WARMUP_SECONDS,
        variants=(experiment.baseline,),
        path=results.folder("selfcheck") / f"{results.stamp()}.json",
    )
    with turn.taken("a pilot", turn.calmly(say)):
        ready = prepare.prepare(experiment, options, say)
        for _ in ready.events():
            pass
    seen = detectable.of_race(ready.run)
    return DetectableHere(seen, "a pilot just now") if seen else None
