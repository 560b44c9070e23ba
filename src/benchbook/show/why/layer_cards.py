"""What several programs spend by layer: a sentence, and a row for each."""

import numpy as np

from benchbook.model.profiles.layers import LayeredProgram, Layers
from benchbook.profiling.differences import Range, spread
from benchbook.show.markup import Output, note, paragraph, table, total
from benchbook.show.why.amounts import Unit
from benchbook.show.why.cards import elsewhere, in_launches, overhead, ranged
from benchbook.show.wording import percent

MOST_NAMED = 3  # layers of a program
WORTH = 0.01  # of a program's cost: a layer that has become dearer by less is not named


def answer(found: Layers) -> Output:
    """The sentence and the table; why a program is not in it."""
    told = [paragraph(headline(found)), programs(found), *map(note, missing(found))]
    return total([*elsewhere(found.recorded), *told])


def details(found: Layers) -> Output:
    """How it was measured."""
    shares = {each.name: each.overhead for each in found.programs}
    beside = (
        f"Each was profiled beside {found.base.name}, and is told at the speed at which that takes "
        "what it does in the mean"
    )
    how = in_launches(len(found.base.beside), found, found.runtimes)
    return total([*map(paragraph, (beside, how, overhead(shares))), *map(note, found.messages)])


def unit_of(found: Layers) -> Unit:
    return Unit.of(max(each.mean for each in found.programs), found.thing)


def headline(found: Layers) -> str:
    """What the first one costs, and between what and what the others add to it."""
    unit, base = unit_of(found), found.base
    said = f"{base.name} takes {unit.text(base.mean)} of CPU time {unit.each}"
    least, most = found.programs[1], found.programs[-1]
    adds = [f"{each.name} {ranged(more(each), unit)} {unit.name}" for each in (least, most)]
    return f"{said}; beside it {' and '.join(dict.fromkeys(adds))}"


def more(program: LayeredProgram) -> Range:
    """What a program costs more than the first one, in the launches of both."""
    return spread(np.array(program.us) - np.array(program.beside))


def programs(found: Layers) -> Output:
    """A row for each program."""
    unit, base = unit_of(found), found.base
    rows = [[base.name, unit.number(base.mean), "", "", ""]]
    for each in found.programs[1:]:
        change = percent(each.mean / base.mean)
        dearer = dearest(each, base, unit)
        rows.append([each.name, unit.number(each.mean), ranged(more(each), unit), change, dearer])
    headers = ["program", f"{unit.name} {unit.each}", f"more than {base.name}", "", "most of it in"]
    return table(headers, rows, right=(1, 2, 3))


def dearest(program: LayeredProgram, base: LayeredProgram, unit: Unit) -> str:
    """The layers in which a program spends the most more."""
    there = {each.name: each.mean for each in base.layers}
    grown = {each.name: each.mean - there.get(each.name, 0.0) for each in program.layers}
    order = sorted(grown, key=lambda name: -grown[name])[:MOST_NAMED]
    named = [f"{name} {unit.signed(grown[name])}" for name in order]
    return ", ".join(text for name, text in zip(order, named) if grown[name] > WORTH * program.mean)


def missing(found: Layers) -> list[str]:
    """The programs that are not there, each with its reason."""
    told = []
    for name, reason in found.missing.items():
        because = reason.removeprefix(f"'{name}' can't be profiled: ")
        because = because.replace(f"variant '{name}' ", "it ").removeprefix(
            "it can't be profiled: "
        )
        told.append(f"{name} can't be profiled, because {because}")
    return told
