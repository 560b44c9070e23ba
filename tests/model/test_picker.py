"""Which run counts: one rule, whoever asks."""

from dataclasses import replace

import pytest

from benchbook.model import experiments, picker, results
from benchbook.model.kinds.benchmarks import Benchmarks
from benchbook.system.pinning import UNPINNED, Pinning


@pytest.fixture
def kept(checkout, make_experiment):
    """An experiment whose runs lie in the default place."""
    folder = checkout / "snippets" / "77-made"
    make_experiment({"a": "1", "b": "2"}, name="snippets/77-made")
    return experiments.load(folder)


@pytest.fixture
def save(make_run):
    """save(3, status="incomplete") -> a run, newer than those of a lower number."""

    def write(number: int, **changes):
        run = make_run({"a": 1000.0, "b": 1100.0}, seed=number)
        run.started = f"2026-01-01T00:00:{number:02}+00:00"
        plan = changes.pop("plan", {})
        run.plan = replace(run.plan, **plan)
        for key, value in changes.items():
            setattr(run, key, value)
        run.path = results.folder("77-made") / f"{number}.json"
        run.save()
        return run

    return write


def spoken(experiment, **more) -> str:
    run = picker.own_run(experiment, **more)
    return run.path.stem if run else "none"


def test_the_newest_whole_race_speaks(kept, save):
    save(1)
    save(2)
    assert spoken(kept) == "2"


@pytest.mark.parametrize(
    "change",
    [
        {"status": "incomplete"},
        {"plan": {"interleaved": False}},
        {"plan": {"connections": 9}},
        {"plan": {"warmup_seconds": 0.0}},
        {"replay": {"kind": "http"}},
        {"samples": []},
    ],
    ids=["cut short", "one after the other", "unusual load", "cold", "a replay", "brief"],
)
def test_a_newer_run_of_another_sort_does_not_speak(kept, save, change, monkeypatch):
    monkeypatch.setattr(picker.results, "load", lambda path: saved[path.name])
    saved = {run.path.name: run for run in (save(1), save(2, **change))}
    assert spoken(kept) == "1"


PLAIN = {
    "together": True,
    "continuous": True,
    "launches": 3,
    "blocks": 7,
    "sample_seconds": 1.0,
    "warmup_seconds": 4.5,
}


@pytest.mark.parametrize(
    "change",
    [
        {"plan": {"interleaved": False}},
        {"plan": {"together": False, "continuous": False}},
        {"plan": {"warmup_seconds": 0.0}},
        {"plan": {"warmup_seconds": 1.0}},
        {"plan": {"launches": 2}},
        {"plan": {"blocks": 6}},
        {"plan": {"sample_seconds": 0.5, "blocks": 14}},
        {"plan": {"connections": 4}},
        {"plan": {"connections": 50}},
        {"plan": {"tool": "ab", "continuous": False}},
        {"plan": {"tool": "autocannon"}},
        {"plan": {"beside": True}},
        {"pinning": Pinning(None, None, UNPINNED)},
        {"plan": {"launches": 2, "blocks": 5, "warmup_seconds": 1.0}},
        {"status": "incomplete", "reason": "interrupted"},
        {"plan": {"until": 0.01, "pilot": 2, "launches": 2}},
    ],
    ids=[
        "--one-after-another",
        "--in-turns",
        "--warmup 0",
        "--warmup 1",
        "--launches 2",
        "--blocks 6",
        "--seconds 0.5",
        "--connections 4",
        "--connections 50",
        "--tool ab",
        "--tool autocannon",
        "--anyway",
        "--no-pin",
        "BENCHBOOK_RACE",
        "Ctrl-C",
        "--until --minutes 1",
    ],
)
def test_a_race_that_was_made_worse_never_speaks_where_there_is_a_plain_one(
    kept, save, change, monkeypatch
):
    monkeypatch.setattr(picker.results, "load", lambda path: saved[path.name])
    plain = save(1, plan=PLAIN)
    worse = save(2, **{**change, "plan": PLAIN | change.get("plan", {})})
    saved = {run.path.name: run for run in (plain, worse)}
    assert spoken(kept) == "1"
    plain.path.unlink()
    alone = picker.is_eligible(worse)  # as a race of the notebooks that a test has shortened
    assert spoken(kept) == ("2" if alone else "none")


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"launches": 6, "blocks": 7},
        {"sample_seconds": 2.0, "blocks": 5},
        {"warmup_seconds": 9.0},
        {"until": 0.01, "pilot": 5, "launches": 8},
        {"mode": "full"},
        {"seed": 7},
    ],
    ids=["plain", "--launches 6", "--seconds 2", "--warmup 9", "--until", "--full", "--seed"],
)
def test_a_race_that_was_made_no_worse_speaks_where_it_is_the_newest(
    kept, save, change, monkeypatch
):
    monkeypatch.setattr(picker.results, "load", lambda path: saved[path.name])
    saved = {r.path.name: r for r in (save(1, plan=PLAIN), save(2, plan=PLAIN | change))}
    assert spoken(kept) == "2"


def test_an_edited_race_speaks_only_where_there_is_no_other(kept, save):
    edited = save(2)
    edited.entries[-1].edited = True
    edited.save()
    assert spoken(kept) == "2" and spoken(kept, unedited=True) == "none"
    save(1)
    assert spoken(kept) == "1"


def test_a_race_of_fewer_variants_speaks_only_where_there_is_no_other(kept, save):
    fewer = save(2)
    del fewer.entries[-1]
    fewer.samples = [s for s in fewer.samples if s.variant != "b"]
    fewer.save()
    assert spoken(kept) == "2"
    save(1)
    assert spoken(kept) == "1"


def test_launches_that_take_turns_are_enough_for_benchmarkdotnet(kept, save):
    save(1, plan={"interleaved": False}, kind=Benchmarks)
    assert spoken(kept) == "1"


def test_files_that_cannot_be_read_are_passed_over(kept, save):
    save(1)
    save(2).path.write_text("{")
    assert spoken(kept) == "1"


def test_without_a_whole_race_none_speaks_but_a_partial_one_may_be_asked_for(kept, save):
    alone, partial = save(2, plan={"interleaved": False}), save(1, status="incomplete")
    assert spoken(kept) == "none"
    assert picker.pick_or_partial([alone, partial], kept) is partial
    assert picker.pick_or_partial([alone], kept) is None
