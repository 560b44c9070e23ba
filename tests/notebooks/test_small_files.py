"""An executed notebook is a small file: it has figures as JSON, picture and text, no plotly.js."""

import re
from dataclasses import replace

import nbformat
from nbformat.v4 import new_output

from benchbook.analysis.judging import judge
from benchbook.model import experiments, results
from benchbook.show.cards import evidence_cards, race_cards, replay_cards
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


def quick(run, *names):
    """The first launches and blocks of a run, as a quick race has; of some entries, or all."""
    entries = [entry for entry in run.entries if not names or entry.name in names]
    raced = {entry.name for entry in entries}
    plan = replace(run.plan, launches=LAUNCHES, blocks=BLOCKS)
    kept = [s for s in run.samples if s.launch < LAUNCHES and s.block < BLOCKS]
    return replace(
        run,
        plan=plan,
        entries=entries,
        samples=[sample for sample in kept if sample.variant in raced],
        warmups=[s for s in run.warmups if s.launch < LAUNCHES and s.variant in raced],
    )


def raced(run, claim):
    """What a cell shows that raced."""
    found = judge.judge(run, claim)
    return [
        race_cards.race_description(run) + race_cards.control(found),
        ratios_figure(run, found, claim),
        race_cards.ratios(run, found),
    ]


def test_an_executed_04_has_less_than_300_kilobytes():
    experiment = experiments.find("04")
    whole = results.load(paths.references() / "04-setheader-vs-writehead.json")
    run = quick(whole)
    replayed = results.load(paths.references() / "04-setheader-vs-writehead.as-published.json")
    found = judge.judge(run, experiment.claim)
    outputs = {
        r"%experiment": [race_cards.claim(experiment, {})],
        r"%race --as-published": [replay_cards.summary(replayed)],
        r"%race$": raced(run, experiment.claim),
        r"%predict.*\n%race --variants": raced(
            quick(whole, "bare", "bare#2", "write-head-length"), experiment.claim
        ),
        r"%plot samples": [samples_figure(run, found.left_out)],
        r"%plot latencies": [latencies_figure(run)],
        r"%evidence": [evidence_cards.evidence(run)],
        r"%verdict": [race_cards.verdicts(found) + race_cards.control(found)],
    }
    notebook = nbformat.read(experiment.notebook, 4)
    plots = 0
    for cell in notebook.cells:
        for pattern, things in outputs.items():
            if cell.cell_type == "code" and re.search(f"(?m)^{pattern}", cell.source):
                cell.outputs += map(shown, things)
        plots += sum("image/svg+xml" in out.get("data", {}) for out in cell.get("outputs", ()))
    assert plots == 5
    assert len(nbformat.writes(notebook).encode("utf-8")) < MOST_BYTES
