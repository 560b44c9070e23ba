"""Everything that is compared: each program with everything that it is given.

    with expanding.places(words, given, say) as places:
        found = [(place, detect(place.words, place.folder)) for place in places]
        axes = expanding.asked(given, say, [v for _, variants in found for v in variants])
        variants = expanding.expanded(found, axes)
        race …

`places` is left when the race is over: checkouts and copies go then. It yields one place without
--git and --npm: the folder in which was asked.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

from benchbook.compare.given import environment, nuget, runtimes
from benchbook.compare.given.asked import Given
from benchbook.compare.given.choice import Axis, Choice
from benchbook.compare.given.places import Placed, places
from benchbook.model.variants import Variant
from benchbook.programs.readiness import Say

__all__ = ["Placed", "expanded", "places"]


def expanded(
    found: Sequence[tuple[Placed, Sequence[Variant]]], axes: Sequence[Axis]
) -> list[Variant]:
    """Each of the programs that were found in each place, with everything that it is given.

    All of the first program come first, and of these that which has the first of everything: it is
    the baseline. They are named by what differs: "node-22" of one program, else "a.mjs node-22".
    axes: of `asked`.
    """
    programs = dict.fromkeys(variant.name for _, variants in found for variant in variants)
    made = []
    for name in programs:
        for place, variants in found:
            for variant in variants:
                if variant.name == name:
                    made += with_all(variant, place, axes, named=len(programs) > 1)
    return made


def asked(given: Given, say: Say, programs: Sequence[Variant]) -> list[Axis]:
    """What is varied, beside places. Raises InputError for what none of the programs can be given,
    before a runtime is got for it, and BenchError."""
    if given.node:
        refuse(runtimes.NODE, runtimes.needs_node, programs)
    if given.dotnet:
        refuse(runtimes.DOTNET, runtimes.needs_dotnet, programs)
    found = [nuget.axis(given.nuget)] if given.nuget else []
    found += [runtimes.node(given.node, say)] if given.node else []
    found += [runtimes.dotnet(given.dotnet, say)] if given.dotnet else []
    found += environment.axes(given.env)
    for axis in found:
        refuse(axis.flag, axis.refused, programs)
    return found


def refuse(flag: str, refusing: Callable[[Variant], str], programs: Sequence[Variant]) -> None:
    """Raises InputError for an option that none of the programs can be given."""
    refused = [(variant, refusing(variant)) for variant in programs]
    if all(reason for _, reason in refused):
        raise runtimes.unfit(refused, flag)


def with_all(variant: Variant, place: Placed, axes: Sequence[Axis], named: bool) -> list[Variant]:
    """A program with each combination of what it is given. named: is its own name in theirs?"""
    fitting = [axis.choices for axis in axes if not axis.refused(variant)]
    told = {axis.choices for axis in axes if len(axis.choices) > 1}
    made = []
    for combination in itertools.product(*fitting):
        each = variant
        for choice in combination:
            each = choice.change(each)
        shown = [c for c, among in zip(combination, fitting, strict=True) if among in told]
        made.append(called(each, place, shown, named))
    return made


def called(variant: Variant, place: Placed, shown: Sequence[Choice], named: bool) -> Variant:
    """A variant, named by what it is given."""
    labels = [*place.labels, *(choice.label for choice in shown)]
    told = [*place.told, *(choice.told for choice in shown)]
    if not labels:
        return variant
    own = [variant.name] if named else []
    series = " ".join([variant.series, *labels]) if variant.series else ""
    title = ", ".join([variant.title] * named + told)
    return replace(variant, name=" ".join([*own, *labels]), title=title, series=series)
