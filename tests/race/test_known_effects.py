"""Selfcheck's recorded races keep its promises, and its tables say what was found."""

import dataclasses
import json

import pytest

from benchbook.analysis import simulation
from benchbook.analysis.simulation import APART, IN_TURNS, TOGETHER
from benchbook.race.checks import known_effects, selfcheck
from benchbook.race.checks.selfcheck import SelfcheckReport
from benchbook.show.cards import selfcheck_cards
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from made import known_effect_race as told


def test_the_recorded_races_keep_the_promise():
    """Of 20 quick races at most 2 tell twins apart; 10 % more work is found in 9 of 10."""
    recorded = known_effects.load_known_effects(
        paths.root() / "data" / "runs" / "00-selfcheck.json"
    )
    by_order = {order: [t for t in recorded if t.order == order] for order in known_effects.ORDERS}
    mixed = by_order[TOGETHER] or by_order[IN_TURNS]
    assert len(mixed) >= 20
    assert sum(t.verdicts["twin"] in ("reproduced", "opposite") for t in mixed) <= 2
    assert sum(t.verdicts["plus-ten"] == "opposite" for t in mixed) >= 0.9 * len(mixed)
    assert len(by_order[APART]) == len(mixed)


def test_a_report_comes_back_from_disk(tmp_path):
    path = tmp_path / "report.json"
    path.write_text(SelfcheckReport(planted=[told(TOGETHER, 1.0, 0.9)]).to_json())
    again = known_effects.load_known_effects(path)
    assert again[0].ratios["twin"] == [1.0, 0.99, 1.01] and again[0].order == TOGETHER
    path.write_text(json.dumps({"planted": 3}))
    with pytest.raises(InputError, match="is not a selfcheck's report"):
        known_effects.load_known_effects(path)
    with pytest.raises(InputError, match="selfcheck --full"):
        known_effects.load_known_effects(tmp_path / "nothing.json")


def test_a_report_from_the_time_of_the_floor_is_read(tmp_path):
    old = {**dataclasses.asdict(told(IN_TURNS, 1.0, 0.9)), "interleaved": False, "floor": 0.03}
    del old["order"], old["control"]
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"planted": [old]}))
    (again,) = known_effects.load_known_effects(path)
    assert (again.order, again.control) == (APART, 0.03)


def test_broken_promises_are_named(monkeypatch):
    models = dict(list(simulation.MODELS.items())[:2])
    monkeypatch.setattr(simulation, "MODELS", models)
    rows = selfcheck.simulate(10, lambda text: None)
    assert {row.model for row in rows} == set(models)
    assert set(rows[0].coverage) == {"3 × 4", "4 × 6", "10 × 10", "--until", "until decided"}
    bad = dataclasses.replace(
        rows[0], races=1000, coverage={"3 × 4": 0.5}, false={"3 × 4": 0.4}, power={"10 × 10": 0.1}
    )
    said = "\n".join(selfcheck.kept([bad]))
    assert "coverage 50.0%" in said and "40.0% of equal races" in said and "10% of 10 × 10" in said
    good = dataclasses.replace(bad, coverage={"a": 0.95}, false={"a": 0.05}, power={"10 × 10": 1})
    assert selfcheck.kept([good]) == []
    assert rows[0].model in selfcheck_cards.simulation_table(rows).text


def test_known_effects_are_counted_by_order():
    races = [
        told(TOGETHER, 1.0, 0.92),
        told(TOGETHER, 1.0, 0.93, "too close to call"),
        told(APART, 1.1, 1.0),
    ]
    text = selfcheck_cards.known_effects_table(races).text
    assert "1 of 2" in text and "1 of 1" in text
