"""Notebook 00 races badly on purpose, and still ends with its good race: the first is its only
plain one."""

import json
import shlex
from types import SimpleNamespace

from benchbook.model import experiments, plan
from benchbook.race import options
from benchbook.race.job import Job, choose
from benchbook.race.options import OPTIONS, Options
from benchbook.race.warming import WarmUp

BY_FLAG = {option.flag: option for option in OPTIONS}


def fields_of(line: str) -> dict:
    """The fields of Options that a line with %race sets."""
    words, values = iter(shlex.split(line)[1:]), {}
    for word in words:
        option = BY_FLAG[word]
        values[option.name] = option.parse(next(words)) if option.convert else True
    return dict(options.request(values).fields)


def test_only_the_first_race_of_notebook_00_is_plain():
    found = experiments.find("00")
    mode, kind = found.modes["quick"], found.kind
    cells = json.loads(found.notebook.read_text(encoding="utf-8"))["cells"]
    lines = [line for cell in cells for line in "".join(cell["source"]).splitlines()]
    plain = []
    for line in [line for line in lines if line.startswith("%race")]:
        chosen = Options(**fields_of(line))
        names = [variant.name for variant in choose(found, chosen.variants)]
        entries = [SimpleNamespace(name=n, status="raced") for n in [names[0] + plan.COPY, *names]]
        connections = chosen.connections or kind.connections
        together = kind.loads_together and chosen.together and chosen.interleaved
        seconds = chosen.seconds or plan.usual_seconds(mode, together, together)
        warmth = WarmUp(len(entries), 0, chosen.warmup).expected
        drawn = Job(found, [], chosen, print).plan(
            entries, "wrk", seconds, connections, warmth, together, together
        )
        worse = kind.departures(drawn, mode) or not plan.is_full(drawn, mode)
        plain += [] if worse or not drawn.interleaved else [line]
    assert plain == ["%race"]
