"""Notebook 00 races badly on purpose, and still ends with its good race: the first is its only
plain one."""

import json

from benchbook.model import experiments, picker
from benchbook.notebook.magics.race_magics import RaceMagics
from benchbook.race import options
from benchbook.race.options import Options
from benchbook.race.prepare import prepare
from benchbook_kernels.notebook.typed import parsed


def test_only_the_first_race_of_notebook_00_is_plain():
    found = experiments.find("00")
    cells = json.loads(found.notebook.read_text(encoding="utf-8"))["cells"]
    lines = [line for cell in cells for line in "".join(cell["source"]).splitlines()]
    plain = []
    for line in [line for line in lines if line.startswith("%race")]:
        given = parsed(RaceMagics.race, line.removeprefix("%race"))
        fields = options.request({key: given[key] for key in given if key != "last"}).fields
        run = prepare(found, Options(**fields), print).run
        usual = not picker.departures(run, found) and picker.is_full(run, found)
        plain += [line] if usual and run.kind.takes_turns(run.plan) else []
    assert plain == ["%race"]
