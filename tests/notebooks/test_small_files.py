"""An executed notebook is a small file: it has figures as JSON, picture and text, no plotly.js."""

import re
from dataclasses import replace

import nbformat
from nbformat.v4 import new_output

from benchbook.analysis import judge
from benchbook.model import experiments, results
from benchbook.show import cards, replay_cards, witness_cards
from benchbook.show.figures.latencies import latencies_figure
from benchbook.show.figures.ratios import ratios_figure
from benchbook.show.figures.samples import samples_figure
from benchbook.system import paths

MOST_BYTES = 300_000
LAUNCHES, BLOCKS = 6, 6  # of the quick race, which a reader makes; the recorded one is a full one


def shown(thing) -> nbformat.NotebookNode:
    """What a cell has in its outputs where this was displayed."""
    bundle = thing._repr_mimebundle_()
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    return new_output("display_data", data=data, metadata=metadata)


def quick(run):
    """The first launches and blocks of a run, as many as a quick race has."""
    plan = replace(run.plan, launches=LAUNCHES, blocks=BLOCKS)
    kept = [s for s in run.samples if s.launch < LAUNCHES and s.block < BLOCKS]
    warmups = [s for s in run.warmups if s.launch < LAUNCHES]
    return replace(run, plan=plan, samples=kept, warmups=warmups)


def test_an_executed_04_has_less_than_300_kilobytes():
    experiment = experiments.find("04")
    run = quick(results.load(paths.references() / "04-setheader-vs-writehead.json"))
    replayed = results.load(paths.references() / "04-setheader-vs-writehead.as-published.json")
    found = judge.judge(run, experiment.claim)
    outputs = {
        r"%experiment": [cards.claim(experiment, {})],
        r"%race --as-published": [replay_cards.summary(replayed)],
        r"(%predict.*\n)?%race(?! --as)": [
            cards.race_description(run) + cards.control(found),
            ratios_figure(run, found, experiment.claim),
            cards.ratios(run, found),
        ],
        r"%plot samples": [samples_figure(run, found.left_out)],
        r"%plot latencies": [latencies_figure(run)],
        r"%witness": [witness_cards.witness(run)],
        r"%verdict": [cards.verdicts(found) + cards.control(found)],
    }
    notebook = nbformat.read(experiment.notebook, 4)
    plots = 0
    for cell in notebook.cells:
        for pattern, things in outputs.items():
            if cell.cell_type == "code" and re.match(pattern, cell.source):
                cell.outputs += map(shown, things)
        plots += sum("image/svg+xml" in out.get("data", {}) for out in cell.get("outputs", ()))
    assert plots == 5
    assert len(nbformat.writes(notebook).encode("utf-8")) < MOST_BYTES
