"""What is said of the runs of commands: what the shell takes, outliers, caches that were cold.

The limits are hyperfine's, whose users know these warnings (src/benchmark/mod.rs and
src/outlier_detection.rs of https://github.com/sharkdp/hyperfine).
"""

import statistics
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchbook.model.kinds.commands import RunCount, WholeProcesses
from benchbook.model.plan import COPY
from benchbook.race.kinds.commands.timing import Runs

SHORT_SECONDS = 0.005  # less can't be told from the shell's own time well
# In units of the median absolute deviation: ten standard deviations (Iglewicz and Hoaglin 1993,
# How to Detect and Handle Outliers)
FAR = 10 * 1.4826


@dataclass(frozen=True)
class Start:
    """What the shell takes by itself, in seconds, medians over runs of the empty command."""

    seconds: float
    user: float
    system: float
    shell: tuple[str, ...]

    @classmethod
    def of(cls, runs: Runs, shell: tuple[str, ...]) -> "Start":
        def middle(values: Sequence[float | None]) -> float:
            return statistics.fmean(each for each in values if each is not None)

        known = None not in runs.user
        user, system = (middle(runs.user), middle(runs.system)) if known else (0.0, 0.0)
        return cls(statistics.median(runs.seconds), user, system, shell)

    @property
    def line(self) -> str:
        return f"{' '.join(self.shell)} ''"

    def measures(self) -> dict[str, float]:
        """As a sample has them, in milliseconds."""
        return {
            "start_ms": 1e3 * self.seconds,
            "start_user_ms": 1e3 * self.user,
            "start_system_ms": 1e3 * self.system,
        }

    def taken_off(self) -> str:
        """That it is taken off."""
        return (
            f"the shell's own time ({self.line} takes {1e3 * self.seconds:.2f} ms) is measured in "
            "each launch and taken off; --shell none (-N) starts commands without one"
        )

    def left(self, least: float) -> str:
        """That it can't be taken off: somebody takes hardly more, `least` seconds."""
        return (
            f"nothing is taken off for the shell: a command takes {1e3 * least:.2f} ms with it, "
            f"and it takes {1e3 * self.seconds:.2f} ms by itself ({self.line}), so what is left "
            "would be chance; --shell none (-N) starts commands without one"
        )


def of_runs(
    seen: Mapping[str, Sequence[float]], kind: WholeProcesses, shelled: Collection[str]
) -> Iterator[str]:
    """What the runs of typed commands show. seen: seconds of each run, in order, by entry; shelled:
    the entries whose runs are without the shell's time."""
    mine = {name: times for name, times in seen.items() if not name.endswith(COPY)}
    own = [name for name in mine if name in shelled]
    if short := [name for name in own if statistics.median(mine[name]) < SHORT_SECONDS]:
        yield (
            f"{', '.join(short)}: takes less than {1e3 * SHORT_SECONDS:.0f} ms, and the shell's "
            "own time is not known much better than that; --shell none (-N) does without one"
        )
    far = {name: found for name, times in mine.items() if any(found := far_ones(times))}
    count = kind.count or RunCount()
    prepared = any(around.prepare for around in kind.around.values())
    for name in [name for name, found in far.items() if found[0] and mine[name][0] > 0]:
        slowest, usual = mine[name][0], statistics.median(mine[name])
        if slowest > usual:
            yield (
                f"{name}: the first run was much slower ({1e3 * slowest:.1f} ms, usually "
                f"{1e3 * usual:.1f}): caches that were not filled yet? {hint(count, prepared)}"
            )
    others = {name: sum(found[1:]) for name, found in far.items() if any(found[1:])}
    if others:
        told = ", ".join(f"{n} of {name}'s {len(mine[name])}" for name, n in others.items())
        yield (
            f"outliers: {told} runs took far longer or shorter than the others; ratios hardly "
            "feel it, means do. Is something else running?"
        )


def hint(count: RunCount, prepared: bool) -> str:
    """What may help against a first run that is slow."""
    warm = "--warmup (-w) with more runs" if count.warm_up else "--warmup (-w) fills them before"
    clear = "does --prepare (-p) clear them?" if prepared else "--prepare (-p) can clear them"
    return f"{warm}; {clear} before each run"


def far_ones(times: Sequence[float]) -> list[bool]:
    """Which are far from the others, by the modified z-score."""
    middle = statistics.median(times)
    spread = statistics.median(abs(each - middle) for each in times)
    return [spread > 0 and abs(each - middle) > FAR * spread for each in times]
