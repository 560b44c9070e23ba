"""Kinds of experiment: one more is a class of its own, which nothing else needs to know of."""

import re
import statistics
import sys
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest

from benchbook.analysis.judging import judge
from benchbook.model import documents, experiments, kinds, results
from benchbook.model.kinds.kind import Column, Kind
from benchbook.race.kinds import registry
from benchbook.show.cards import evidence_cards, race_cards
from benchbook.show.figures import growth
from benchbook.show.figures.samples import samples_figure
from benchbook_kernels.base.errors import InputError

MODES = {"quick": {"sample_seconds": 1.0}}


@dataclass(frozen=True)
class Walk(Kind):
    """Made for a test: walks, of which the steps are counted."""

    name = "walk"
    table = "walk"
    unit = "walks/s"
    rate_format = ",.2f"
    thing = "walk"
    own_fields = frozenset({"benchmark"})

    uphill: bool = False

    @classmethod
    def columns(cls, run):
        def steps(name, _):
            return statistics.median(s.measures["steps"] for s in run.samples if s.variant == name)

        return (super().columns(run)[1], Column("steps", "count", steps))


@pytest.fixture
def walk(monkeypatch):
    """One kind more than there are, in the one list of them."""
    monkeypatch.setattr(kinds, "KINDS", (*kinds.KINDS, Walk))
    measuring = SimpleNamespace(MEASURING=object())
    monkeypatch.setitem(sys.modules, "benchbook.race.kinds.walk.measuring", measuring)
    documents.validator.cache_clear()
    yield measuring.MEASURING
    documents.validator.cache_clear()


def test_one_kind_more_is_read_from_its_table_and_found_by_its_name(walk, two_servers):
    found = kinds.parse({"walk": {"uphill": True}, "race": MODES}, "here", lambda file, _: file)
    assert found == Walk(uphill=True)
    assert registry.of(replace(experiments.load(two_servers), kind=found)) is walk
    with pytest.raises(InputError, match=r"give one of .*\[http\].*\[walk\]"):
        kinds.parse({"race": MODES}, "here", lambda file, _: file)


def test_runs_of_one_kind_more_are_saved_and_shown_without_a_word_elsewhere(
    walk, make_run, tmp_path, experiment
):
    run = make_run({"a-1": 0.5, "a-2": 0.25})
    run.kind = Walk
    run.samples = [replace(sample, measures={"steps": 1234.0}) for sample in run.samples]
    for entry in run.entries:
        entry.series, entry.case = entry.name.partition("#")[0].split("-")
    run.path = tmp_path / "run.json"
    run.save()
    run = results.load(run.path)
    assert run.kind is Walk and run.samples[0].measures == {"steps": 1234.0}
    said = race_cards.summary(run, judge.judge(run, replace(experiment.claim, statements=()))).text
    assert "in turns, walks/s" in said and "a process each" in said
    assert "1,234" in said and " s " in said and "steps" in said
    assert "client CPU" not in evidence_cards.evidence(run).text
    assert re.search(r"\b0\.\d\d\b", samples_figure(run).numbers.text)
    title = growth.growth_figure(run).plotly["layout"]["yaxis"]["title"]["text"]
    assert title == "time of a walk, s"


def test_a_variants_field_goes_with_the_kind_that_knows_it(two_servers):
    path = two_servers / "experiment.toml"
    path.write_text(path.read_text().replace('file = "b.mjs"', 'file = "b.mjs"\nbenchmark = "x"'))
    with pytest.raises(InputError, match=r"\('b'\).benchmark: goes with \[micro\] only"):
        experiments.load(two_servers)
