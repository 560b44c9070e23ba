"""Scheduling, saving and failing, with an executor that times nothing."""

import json
from dataclasses import replace

import pytest

from benchbook.analysis.judging import judge
from benchbook.analysis.judging.stopping import Verdict
from benchbook.model import experiments, plan, results
from benchbook.programs.programs import VariantError
from benchbook.race import job, prepare, service
from benchbook.race.evidence import Setting
from benchbook.race.options import Options
from benchbook.race.race import Race
from benchbook.race.record import Note
from benchbook_kernels.base.errors import BenchError, InputError
from fake_executors import Bare, Fake, LoadingThrough, Slicing, WarmingAgain, load_of
from made import SERVER


@pytest.fixture
def ready(experiment, checkout):
    """ready(kind of Fake, **Options) -> (Race, Fake)."""

    def make(sort=Fake, **chosen) -> tuple[Race, Fake]:
        given = {"launches": 3, "blocks": 2, "seconds": 0.2, "seed": 5, "together": False, **chosen}
        prepared = prepare.prepare(experiment, Options(**given))
        prepared.executor.close()
        fake = sort(experiment)
        prepared.executor = fake
        prepared.setting = Setting(1, 1, 8)
        return prepared, fake

    return make


def test_there_is_a_second_warm_up_where_much_was_compiled_after_the_first(ready):
    prepared, fake = ready(WarmingAgain, launches=2, warmup=0.1)
    prepared.warmth = None  # of a kind whose entries can't be loaded together
    fake.due = [True, False, False]  # of the first launch's two warm-ups, of the second's one
    list(prepared.events())
    assert fake.due == []
    assert [sample.launch for sample in prepared.run.warmups] == [0] * 6 + [1] * 3
    assert len(prepared.run.samples) == 2 * 2 * 3


def test_four_methods_are_enough_for_a_race_in_turns(ready):
    prepared, fake = ready(launches=2, warmup=0.1)
    prepared.executor, prepared.warmth = Bare(fake), None
    list(prepared.events())
    run = results.load(prepared.run.path)
    assert run.complete and run.parity == {} and fake.closed
    assert [(s.launch, s.variant) for s in run.samples] == [
        (launch, name)
        for launch, blocks in enumerate(prepared.plan.order)
        for block in blocks
        for name in block
    ]
    assert [sample.launch for sample in run.warmups] == [0] * 3 + [1] * 3  # one warm-up, not more


@pytest.mark.parametrize("interleaved", [True, False])
def test_slices_are_taken_where_entries_take_turns(ready, interleaved):
    prepared, fake = ready(warmup=0, interleaved=interleaved)
    prepared.executor = Slicing(fake)
    list(prepared.events())
    assert results.load(prepared.run.path).complete
    assert ("together" in {kind for kind, _ in fake.log}) is interleaved


def test_every_sample_is_there_and_in_the_planned_order(ready):
    prepared, fake = ready()
    list(prepared.events())
    run = results.load(prepared.run.path)
    assert run.complete and len(run.samples) == 3 * 2 * 3
    order = [s.variant for s in run.samples]
    assert order == [name for launch in prepared.plan.order for block in launch for name in block]
    assert [kind for kind, _ in fake.log].count("launch") == 3
    assert len(run.warmups) >= 9 and all(s.block == -1 for s in run.warmups)
    assert fake.closed


def test_who_starts_first_is_another_one_in_each_launch(ready):
    prepared, fake = ready(launches=6, together=True)
    list(prepared.events())
    starts = [names for kind, names in fake.log if kind == "launch"]
    assert starts == [launch[0] for launch in prepared.plan.order]
    assert len({names[0] for names in starts}) > 1
    warm = [names for kind, names in fake.log if kind == "warm-up"]
    assert list(dict.fromkeys(warm)) == list(dict.fromkeys(starts))


def test_together_all_entries_of_a_block_are_loaded_at_once_in_random_order(ready):
    prepared, fake = ready(together=True, blocks=8)
    list(prepared.events())
    run = results.load(prepared.run.path)
    assert run.complete and run.plan.together and len(run.samples) == 3 * 8 * 3
    warm = [names for kind, names in fake.log if kind == "warm-up"]
    blocks = [names for kind, names in fake.log if kind == "together"][len(warm) :]
    assert all(sorted(names) == ["a", "a#2", "b"] for names in blocks) and len(set(blocks)) > 1
    for launch, order in enumerate(run.plan.order):
        for block, names in enumerate(order):
            there = [s for s in run.samples if (s.launch, s.block) == (launch, block)]
            assert [s.variant for s in there] == list(names)
            assert len({s.started_seconds for s in there}) == 1
    assert run.timing["sample_seconds"] == pytest.approx(3 * 8 * 0.2)


def test_together_the_speed_is_requests_per_cpu_second(ready):
    prepared, fake = ready(together=True)
    list(prepared.events())
    run = results.load(prepared.run.path)
    assert run.unit == "requests per CPU second" and run.kind.under_load
    assert run.speeds()["b"][0] == pytest.approx([200 / 0.19] * 2)
    assert run.samples[0].cpu_microseconds == pytest.approx(0.19e6 / 200)
    assert run.samples[0].requests_per_second == pytest.approx(1000)


def test_together_a_variant_that_fails_is_named_and_the_others_go_on(ready, experiment):
    prepared, fake = ready(together=True, warmup=0)
    fake.breaks["b", 2] = VariantError(experiment.variant("b"), "fell over", "look at it")
    notes = [event.text for event in prepared.events() if isinstance(event, Note)]
    run = results.load(prepared.run.path)
    assert notes == ["variant 'b' fell over\n  → look at it"] and run.complete
    counts = {name: sum(s.variant == name for s in run.samples) for name in ("a", "a#2", "b")}
    assert counts == {"a": 6, "a#2": 6, "b": 1}
    assert ("together", ("a", "b")) not in fake.log and fake.log[-2][1].count("b") == 0


def test_without_a_warm_up_nothing_is_loaded_before_the_first_sample(ready):
    prepared, fake = ready(together=True, warmup=0)
    list(prepared.events())
    assert prepared.run.warmups == [] and "warm-up" not in {kind for kind, _ in fake.log}


def test_the_same_seed_gives_the_same_order_and_is_saved(ready):
    first, _ = ready(seed=11)
    second, _ = ready(seed=11)
    assert first.plan.order == second.plan.order
    assert first.run.plan.seed == 11
    drawn, _ = ready(seed=None)
    assert isinstance(drawn.run.plan.seed, int)


def test_what_a_variant_is_compared_with_is_raced_along(make_experiment):
    like = {name: 'answers_like = "b"' for name in "bc"}
    found = experiments.load(make_experiment(dict.fromkeys("abcd", SERVER), like))
    assert [v.name for v in job.choose(found, ("c",))] == ["a", "b", "c"]
    assert [v.name for v in job.choose(found, ("d",))] == ["a", "d"]


def test_the_baseline_is_always_raced_twice(ready):
    prepared, _ = ready(variants=("b",))
    assert [(e.name, e.role) for e in prepared.run.entries] == [
        ("a", "baseline"),
        ("a#2", "control"),
        ("b", "variant"),
    ]


def test_the_file_is_saved_after_every_block_and_incomplete_till_the_end(ready, monkeypatch):
    monkeypatch.setattr("benchbook.race.record.SAVE_SECONDS", 0.0)
    prepared, _ = ready()
    seen = []
    for _ in prepared.events():
        document = json.loads(prepared.run.path.read_text())
        seen.append((document["status"], len(document["samples"])))
    assert {status for status, _ in seen} == {"incomplete"}
    assert {count for _, count in seen} >= {0, 3, 6, 9, 12, 15}
    assert results.load(prepared.run.path).complete


def test_a_file_is_not_written_again_and_again_where_blocks_are_short(ready, monkeypatch):
    monkeypatch.setattr("benchbook.race.record.SAVE_SECONDS", 1e6)
    prepared, _ = ready()
    seen = [len(json.loads(prepared.run.path.read_text())["samples"]) for _ in prepared.events()]
    assert set(seen) == {0} and len(results.load(prepared.run.path).samples) == 18


def test_ctrl_c_keeps_what_is_there(ready):
    prepared, fake = ready(warmup=0)
    fake.breaks["b", 4] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        list(prepared.events())
    run = results.load(prepared.run.path)
    assert run.status == "incomplete" and run.reason == "interrupted"
    assert 0 < len(run.samples) < 18 and fake.closed


def test_a_consumer_that_stops_ends_the_race(ready):
    prepared, fake = ready()
    events = prepared.events()
    next(events)
    events.close()
    assert fake.closed
    assert results.load(prepared.run.path).status == "incomplete"


def test_a_variant_that_fails_is_named_and_the_others_go_on(ready, experiment):
    prepared, fake = ready()
    error = VariantError(experiment.variant("b"), "fell over in mid-race", "look at it")
    fake.breaks["b", 3] = error
    notes = [event.text for event in prepared.events() if isinstance(event, Note)]
    assert notes == ["variant 'b' fell over in mid-race\n  → look at it"]
    run = results.load(prepared.run.path)
    assert run.complete and run.messages == notes
    assert run.entry("b").status == "failed" and "fell over" in run.entry("b").reason
    counts = {name: sum(s.variant == name for s in run.samples) for name in ("a", "a#2", "b")}
    assert counts["a"] == counts["a#2"] == 6 and counts["b"] < 6


def test_a_variant_that_fails_at_launch_is_left_out_from_there(ready, experiment):
    prepared, fake = ready()
    fake.at_launch[1] = {"b": VariantError(experiment.variant("b"), "did not start")}
    list(prepared.events())
    assert ("measure", "b") not in fake.log
    assert fake.log[-2] != ("measure", "b")


def test_without_the_baseline_there_is_no_race(ready, experiment):
    prepared, fake = ready()
    fake.at_launch[2] = {"a": VariantError(experiment.variant("a"), "is gone", "find it")}
    with pytest.raises(BenchError, match="the baseline can't be raced: variant 'a' is gone"):
        list(prepared.events())
    run = results.load(prepared.run.path)
    assert run.status == "incomplete" and len(run.samples) == 6 and fake.closed


def test_errors_under_load_are_said_once_and_flagged(ready):
    prepared, fake = ready(warmup=0)
    for i in range(3, 8):
        fake.breaks["b", i] = load_of(1000.0, non_2xx=7)
    notes = [event.text for event in prepared.events() if isinstance(event, Note)]
    assert len(notes) == 1 and "variant 'b'" in notes[0] and "7 status not 2xx" in notes[0]
    run = results.load(prepared.run.path)
    assert sum("non-2xx" in s.flags for s in run.samples if s.variant == "b") >= 3


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("kind", ["connect", "read", "timeout"])
def test_where_all_fail_alike_it_is_said_to_be_the_clients_side(ready, together, kind):
    prepared, fake = ready(warmup=0, together=together)
    errors = {**dict.fromkeys(("connect", "read", "write", "timeout"), 0), kind: 60}
    for name in ("a", "a#2", "b"):
        for number in range(1, 7):
            fake.breaks[name, number] = load_of(1000.0, errors=errors)
    (note,) = [event.text for event in prepared.events() if isinstance(event, Note)]
    assert "the client's side" in note and "ulimit -n" in note and note.count(f"60 {kind}") == 3
    run = results.load(prepared.run.path)
    verdict = judge.judge(run, prepared.experiment.claim).judgements[0]
    assert verdict.verdict == "not valid" and "the client's side" in verdict.why


@pytest.mark.parametrize("number", [1, 2, 4])
def test_where_none_can_be_loaded_no_program_is_blamed(ready, experiment, number):
    prepared, fake = ready(warmup=0, together=True)
    for name in ("a", "b"):
        error = VariantError(experiment.variant(name), "answered no request")
        fake.breaks[name, number] = error
    fake.breaks["a#2", number] = VariantError(experiment.variant("a"), "answered no request")
    with pytest.raises(BenchError, match="no program could be put under load") as caught:
        list(prepared.events())
    assert "the client's side" in caught.value.remedy and "variant 'b'" in caught.value.message


def test_wrong_options_are_explained(experiment):
    with pytest.raises(InputError, match="no variant 'c'"):
        prepare.prepare(experiment, Options(variants=("c",)))
    with pytest.raises(InputError, match="no mode 'slow'"):
        prepare.prepare(experiment, Options(mode="slow"))
    with pytest.raises(InputError, match="^--more: adds nothing"):
        prepare.prepare(experiment, Options(more=True))


def test_more_adds_to_those_of_a_quick_race():
    found = experiments.find("10")
    mode = found.modes["quick"]
    named = {variant.name for variant in prepare.chosen(found, Options())}
    every = {variant.name for variant in prepare.chosen(found, Options(more=True))}
    assert named == set(mode.variants) and every == named | set(mode.more) > named
    assert service.left_out(found, Options()).startswith("without 10 entries")
    for chosen in (Options(more=True), Options(variants=("mvc-5",)), Options(mode="full")):
        assert not service.left_out(found, chosen)
    assert len(prepare.chosen(found, Options(mode="full", more=True))) == len(found.variants)
    with pytest.raises(InputError, match="--variants names them"):
        prepare.chosen(found, Options(more=True, variants=("mvc-5",)))


def test_until_decides_once_after_the_pilot_how_many_launches_there_are(ready):
    prepared, _ = ready(launches=None, until=0.01)
    asked = []
    prepared.needed = lambda run: asked.append(len(run.samples)) or 9
    notes = [event.text for event in prepared.events() if isinstance(event, Note)]
    run = results.load(prepared.run.path)
    assert asked == [plan.PILOT * 2 * 3]
    assert run.plan.launches == 9 and run.plan.pilot == plan.PILOT
    assert len(run.samples) == 9 * 2 * 3 and len(run.plan.order) == 9
    assert "need 9 launches" in notes[0]


def test_until_keeps_to_the_time_budget(ready):
    prepared, _ = ready(launches=None, until=0.01, minutes=1e-9)
    prepared.needed = lambda run: 1000
    list(prepared.events())
    assert prepared.run.plan.launches == prepared.run.plan.pilot == job.FEWEST_PILOT
    assert "minutes allow 2" in prepared.run.messages[0]


def test_until_keeps_to_what_the_environment_allows(ready):
    prepared, _ = ready(launches=None, until=0.01, most={"launches": 7})
    prepared.needed = lambda run: 9
    list(prepared.events())
    assert prepared.run.plan.launches == 7
    assert "BENCHBOOK_RACE allows 7" in prepared.run.messages[0]


def test_what_is_known_at_the_end_of_continuous_load_only_is_in_all_its_samples(ready):
    prepared, fake = ready(LoadingThrough, together=True, launches=2, blocks=3)
    errors = {"connect": 0, "read": 0, "write": 0, "timeout": 4}
    fake.known = {
        "a": load_of(900.0, bytes=1800),
        "b": load_of(500.0, bytes=1000, errors=errors),
    }
    notes = [event.text for event in prepared.events() if isinstance(event, Note)]
    run = results.load(prepared.run.path)
    assert [seconds for _, seconds in fake.begun] == [pytest.approx(3 * 0.2)] * 2
    assert all(sorted(names) == ["a", "a#2", "b"] for names, _ in fake.begun)
    of = {name: [s for s in run.samples if s.variant == name] for name in ("a", "a#2", "b")}
    assert all(s.latency_ms["mean"] == pytest.approx(8000 / 900 + 0.01) for s in of["a"])
    assert all(s.bytes == 10 * s.requests for s in of["a"])  # as many for each as in the whole load
    assert all(s.bytes == 1 for s in of["a#2"])  # of which nothing was told
    assert all("errors" in s.flags for s in of["b"])
    assert [sum(s.errors.values()) for s in of["b"]] == [0, 0, 4] * 2  # each counts once
    assert len(notes) == 1 and "variant 'b'" in notes[0] and "4 timeout" in notes[0]


# ── Looks after each launch ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("together", [False, True])
def test_a_race_goes_on_with_those_who_are_needed_and_ends_when_told(ready, together):
    prepared, fake = ready(launches=5, together=together)
    prepared.run.plan = replace(prepared.plan, looks=5)
    looked = []

    def look(run):
        looked.append(1 + max(sample.launch for sample in run.samples))
        return Verdict(frozenset({"a", "b"}), "" if len(looked) < 3 else "stopped")

    prepared.look = look
    notes = [event.text for event in prepared.events() if isinstance(event, Note)]
    run = results.load(prepared.run.path)
    assert looked == [2, 3, 4] and "stopped" in notes and "stopped" in run.messages
    assert run.complete and run.plan.launches == 4 and run.plan.looks == 5
    raced = [{s.variant for s in run.samples if s.launch == launch} for launch in range(4)]
    assert raced == [{"a", "a#2", "b"}] * 2 + [{"a", "b"}] * 2
    starts = [set(names) for kind, names in fake.log if kind == "launch"]
    assert starts == raced
    assert len(run.samples) == run.plan.samples


@pytest.mark.parametrize(("budget", "launches"), [(0.0, 3), (1e6, 5)])
def test_a_race_whose_time_is_over_has_its_last_look_then(ready, budget, launches):
    prepared, _ = ready(launches=5)
    prepared.run.plan = replace(prepared.plan, looks=5)
    prepared.look = lambda run: Verdict(frozenset({"a", "b"}))
    prepared.budget = budget
    notes = [event.text for event in prepared.events() if isinstance(event, Note)]
    run = results.load(prepared.run.path)
    assert run.complete and run.plan.launches == run.plan.looks == launches
    assert any("after 3 of 5 launches" in note for note in notes) == (launches == 3)


def test_a_race_of_so_many_launches_has_them(ready):
    prepared, fake = ready(launches=4)
    prepared.look = lambda run: pytest.fail("nobody asked for looks")
    list(prepared.events())
    assert [kind for kind, _ in fake.log].count("launch") == 4


@pytest.mark.parametrize(
    ("chosen", "may_end"),
    [
        ({}, True),
        ({"fixed": True}, False),
        ({"mode": "full"}, False),
        ({"launches": 4}, False),
        ({"until": 0.1}, False),
        ({"interleaved": False}, False),
    ],
)
def test_only_plain_quick_races_may_end_earlier(experiment, checkout, chosen, may_end):
    prepared = prepare.prepare(experiment, Options(**chosen))
    prepared.executor.close()
    assert service.may_end(prepared) is may_end
    nothing = replace(experiment, claim=replace(experiment.claim, statements=()))
    assert not service.may_end(replace(prepared, experiment=nothing))
