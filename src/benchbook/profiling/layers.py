"""What several programs spend by layer, each of them profiled beside one that all stand beside.

Programs that are not loaded at the same time can't be compared in microseconds, because a virtual
CPU is faster in one minute than in the next. So what a program costs is brought to the speed at
which the first one costs what it does in the mean of all comparisons: by ratios, as in a race.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.model.profiles.layers import LayerCost, LayeredProgram, Layers
from benchbook.model.profiles.profile import Profile
from benchbook.profiling.costs import Costs, Floats, by_layer, costs, frequent, slowdown
from benchbook.profiling.differences import FEWEST_OF_ROW

ByLayer = Mapping[str, Floats]


@dataclass(frozen=True)
class BesideFirst:
    """A comparison: µs by layer and launch, of the first program and of the other one; packages:
    the layers that are one."""

    comparison: ProfileComparison
    base: ByLayer
    other: ByLayer
    packages: frozenset[str]

    def overhead(self, program: str) -> float:
        """Of the profiler, as a share."""
        return float(slowdown(self.comparison.launches, program).mean()) - 1

    @property
    def cost(self) -> Floats:
        """What the first one costs, all in all, by launch."""
        return total(self.base)


def total(layers: ByLayer) -> Floats:
    found: Floats = np.sum(list(layers.values()), axis=0)
    return found


def pair(comparison: ProfileComparison) -> BesideFirst:
    known = frequent(comparison, FEWEST_OF_ROW)
    both = [costs(comparison, name, known) for name in comparison.programs]
    base, other = ({name: c.us for name, c in by_layer(each.rows).items()} for each in both)
    return BesideFirst(comparison, base, other, packages(both))


def packages(every: Sequence[Costs]) -> frozenset[str]:
    """The layers that are packages."""
    return frozenset(f.layer for each in every for f in each.frames.values() if f.packaged)


def layers(
    comparisons: Sequence[ProfileComparison], names: Sequence[str], missing: Mapping[str, str]
) -> Layers:
    """All programs: the one that the others were compared with, and these, the cheapest first.

    comparisons: at least one, all with the same first program; names: that were asked for; missing:
    why some of these are not there.
    """
    found = [pair(each) for each in comparisons]
    usual = float(np.mean([each.cost.mean() for each in found]))
    others = [program(each, each.other, usual / float(each.cost.mean())) for each in found]
    first, profiles = comparisons[0], list(profiles_of(comparisons))
    return Layers(
        experiment=first.experiment,
        names=list(names),
        thing=first.thing,
        how=first.how,
        runtimes=list(dict.fromkeys(profile.runtime for profile in profiles)),
        interval_us=first.interval_us,
        seconds=first.seconds,
        machine=first.machine,
        benchbook=first.benchbook,
        started=first.started,
        programs=[base(found, usual), *sorted(others, key=lambda each: each.mean)],
        missing=dict(missing),
        messages=list(dict.fromkeys(told for profile in profiles for told in profile.messages)),
    )


def profiles_of(comparisons: Sequence[ProfileComparison]) -> Iterator[Profile]:
    for each in comparisons:
        for launch in each.launches:
            yield from launch.profiles.values()


def program(pair: BesideFirst, spent: ByLayer, factor: float) -> LayeredProgram:
    """The other program of a comparison; factor: by which all is brought to the usual speed."""
    name = pair.comparison.programs[1]
    return LayeredProgram(
        name,
        pair.comparison.titles[name],
        pair.overhead(name),
        tuple(map(float, factor * pair.cost)),
        layer_costs({layer: factor * us for layer, us in spent.items()}, pair.packages),
    )


def base(pairs: Sequence[BesideFirst], usual: float) -> LayeredProgram:
    """The first program: the mean of all comparisons, launch by launch."""
    launches = min(len(each.cost) for each in pairs)
    spent: dict[str, Floats] = {}
    for each in pairs:
        factor = usual / float(each.cost.mean()) / len(pairs)
        for layer, us in each.base.items():
            spent[layer] = spent.get(layer, np.zeros(launches)) + factor * us[:launches]
    name = pairs[0].comparison.programs[0]
    return LayeredProgram(
        name,
        pairs[0].comparison.titles[name],
        float(np.mean([each.overhead(name) for each in pairs])),
        tuple(map(float, total(spent))),
        layer_costs(spent, frozenset().union(*(each.packages for each in pairs))),
    )


def layer_costs(spent: ByLayer, packages: frozenset[str]) -> list[LayerCost]:
    """Layers, the dearest first."""
    order = sorted(spent, key=lambda layer: -float(spent[layer].mean()))
    return [LayerCost(each, tuple(map(float, spent[each])), each in packages) for each in order]
