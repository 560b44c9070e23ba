"""Whether quick races, which are looked at after each launch, claim differences that are not there
and find those that are: races of six equal servers, and of six of which two do about 5 % and 10 %
more work, another equally known amount by which these are calibrated. Prints how many of the equal
races claimed something, how many plants were found and how many of their sizes lay inside their
intervals, after how many launches races ended, and how long they took. A minute a race:

    .venv/bin/python studies/quick_plants.py [--equal 40] [--planted 10] [--json FILE]
"""

import argparse
import contextlib
import io
import json
import os
import statistics
import tempfile
from pathlib import Path
from typing import Any

from benchbook.analysis.judging.verdicts import OPPOSITE, REPRODUCED
from benchbook.commands.measure.terminal import Terminal
from benchbook.model import experiments
from benchbook.race import service
from benchbook.race.checks import modes
from benchbook.race.options import Options
from benchbook.race.service import RaceRequest

SERVER = (modes.FOLDER / "plants" / "plant.mjs").read_text()
CALIBRATED, UNITS = "plus-30", {"plus-5": 5, "plus-10": 10, "plus-30": 30}
EQUAL = [f"equal-{number}" for number in range(1, 6)]
PLANTED = [*EQUAL[:2], *UNITS]
CLAIMS = (REPRODUCED, OPPOSITE)
EXPERIMENT = """title = "Known amounts of work"
question = "Is work of a known size found, and none where there is none?"
claim = "claim.toml"
baseline = "work"
[http]
path = "/"
connections = 50
[race.quick]
budget_seconds = 60
sample_seconds = 0.2
[race.full]
budget_seconds = 300
sample_seconds = 1
"""
VARIANT = """[[variants]]
name = "{name}"
title = "{name}"
file = "plant.mjs"
env = {{ UNITS = "{units}" }}
"""
CLAIM = """title = "Known amounts of work"
summary = "A question of our own."
[source]
article = "none"
title = "Known amounts"
language = "English"
method = "none"
"""
STATEMENT = """[[statements]]
id = "faster-than-{name}"
says = "work is faster than {name}"
ours = true
type = "faster"
a = "work"
b = "{name}"
place = "our own question"
smallest_effect = 0.02
"""


def raced(others: list[str], folder: Path) -> dict[str, Any]:
    """What a quick race of a server against these said: verdicts and costs by name, launches."""
    parts = [VARIANT.format(name=name, units=UNITS.get(name, 0)) for name in ["work", *others]]
    (folder / "plant.mjs").write_text(SERVER)
    (folder / "experiment.toml").write_text(EXPERIMENT + "".join(parts))
    stated = [STATEMENT.format(name=name) for name in others]
    (folder / "claim.toml").write_text(CLAIM + "".join(stated))
    experiment = experiments.load(folder)
    options, request = Options(path=folder / "run.json"), RaceRequest(anyway=True)
    with contextlib.redirect_stderr(io.StringIO()):
        run, found = service.race(experiment, request, options, Terminal())
    verdicts = {each.tests[0].b: each.verdict for each in found.judgements if each.tests}
    costs = {
        name: (1 / each.ratio, 1 / each.high, 1 / each.low) for name, each in found.ratios.items()
    }
    seconds = run.timing["total_seconds"]
    launches = 1 + max(sample.launch for sample in run.samples)
    return {
        "verdicts": verdicts,
        "costs": costs,
        "seconds": seconds,
        "launches": launches,
        "load": os.getloadavg()[0],
    }


def told_equal(found: list[dict[str, Any]]) -> None:
    claims = [[v for v in each["verdicts"].values() if v in CLAIMS] for each in found]
    every = sum(len(each["verdicts"]) for each in found)
    print(
        f"equal: {sum(map(bool, claims))} of {len(found)} races claimed something, "
        f"{sum(map(len, claims))} of {every} statements"
    )


def told_planted(found: list[dict[str, Any]]) -> None:
    inside = 0
    unit = statistics.median(each["costs"][CALIBRATED][0] - 1 for each in found) / UNITS[CALIBRATED]
    for name in ("plus-5", "plus-10"):
        true = 1 + unit * UNITS[name]
        hits = sum(each["verdicts"].get(name) == REPRODUCED for each in found)
        held = sum(
            each["costs"][name][1] <= true <= each["costs"][name][2]
            for each in found
            if name in each["costs"]
        )
        inside += held
        sizes = sorted(100 * (each["costs"][name][0] - 1) for each in found)
        print(
            f"{name}: costs {100 * (true - 1):+.1f} % by the largest plant; found in {hits} of "
            f"{len(found)}, read as {sizes[0]:+.1f} to {sizes[-1]:+.1f} %"
        )
    print(f"sizes inside their intervals: {inside} of {2 * len(found)}")
    told_equal([{"verdicts": {n: each["verdicts"].get(n) for n in EQUAL[:2]}} for each in found])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--equal", type=int, default=40)
    parser.add_argument("--planted", type=int, default=10)
    parser.add_argument("--json", type=Path, help="a file for all that was found")
    given = parser.parse_args()
    equal: list[dict[str, Any]] = []
    planted: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        while len(equal) < given.equal or len(planted) < given.planted:
            if len(equal) < given.equal:
                equal.append(raced(EQUAL, Path(folder)))
            if len(planted) * given.equal < len(equal) * given.planted or not given.equal:
                planted.append(raced(PLANTED, Path(folder)))
            if given.json:
                given.json.write_text(json.dumps({"equal": equal, "planted": planted}, indent=1))
    every = [*equal, *planted]
    if equal:
        told_equal(equal)
    if planted:
        told_planted(planted)
    seconds = [each["seconds"] for each in every]
    counts = {n: sum(each["launches"] == n for each in every) for n in range(1, 13)}
    print(
        f"{statistics.median(seconds):.0f} s a race, {min(seconds):.0f} to {max(seconds):.0f}; "
        f"ended after so many launches: { {n: c for n, c in counts.items() if c} }; "
        f"load {statistics.median(each['load'] for each in every):.1f}"
    )


main()
