"""What a reader does in a notebook: edit a variant, guess, choose options."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from benchbook.model import plan
from benchbook.notebook import guesses, workbench
from benchbook.notebook.workbench import Workbench
from benchbook.race.job import Job
from benchbook.show.cards import guess_cards
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from made import SERVER


@pytest.fixture
def bench(two_servers, checkout):
    from benchbook.model import experiments

    return Workbench(experiments.load(two_servers))


def test_an_unchanged_cell_changes_nothing(bench):
    said = bench.edit("b", bench.experiment.variant("b").code + "\n\n")
    assert "unchanged" in said and bench.edits == {}
    assert bench.raced_experiment == bench.experiment


def test_how_to_run_a_variant_by_hand_names_its_environment(make_experiment, checkout):
    folder = make_experiment({"a": SERVER, "b": SERVER}, {"b": 'env = { COUNT = "5" }'})
    bench = workbench.find(str(folder))
    said = bench.edit("b", bench.experiment.variant("b").code)
    assert "By hand: PORT=8080 COUNT=5 node " in said and "b.mjs" in said


def test_an_edit_goes_to_a_scratch_copy_and_never_to_the_snippet(bench):
    original = bench.experiment.variant("b")
    before = original.code
    said = bench.edit("b", before.replace("hello", "HELLO"))
    assert "+" in said and "HELLO" in said
    edited = bench.raced_experiment.variant("b")
    assert edited.edited and "HELLO" in edited.code
    assert edited.path.is_relative_to(paths.scratch())
    assert original.path.read_text() == before
    bench.edit("b", before)
    assert bench.raced_experiment.variant("b") == original


def test_variants_of_one_file_are_edited_together(two_servers, checkout):
    path = two_servers / "experiment.toml"
    path.write_text(path.read_text().replace('file = "b.mjs"', 'file = "a.mjs"'))
    bench = workbench.find(str(two_servers))
    before = bench.experiment.variant("b").code
    assert "a, b are now your edit" in bench.edit("b", before.replace("hello", "HELLO"))
    assert {v.name: "HELLO" in v.code for v in bench.raced_experiment.variants} == {
        "a": True,
        "b": True,
    }
    assert "a, b are" in bench.edit("a", before) and bench.edits == {}


def test_code_that_does_not_parse_is_refused_with_nodes_message(bench):
    with pytest.raises(InputError, match="(?s)%%variant b.*SyntaxError"):
        bench.edit("b", "const x = ;")
    assert bench.edits == {}


def test_an_unknown_variant_is_named(bench):
    with pytest.raises(InputError, match="no variant 'c'.*a, b"):
        bench.edit("c", "")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("b +5%", ("b", 1.05)),
        ("b -3 %", ("b", 0.97)),
        ("b −3%", ("b", 0.97)),
        ("b 2x", ("b", 2.0)),
        ("b 5 %", ("b", 1.05)),
        ("b 0,5%", ("b", 1.005)),
        ("b 1,5x", ("b", 1.5)),
        ('"b" 40×', ("b", 40.0)),
        ("b +5% --to a", ("b", 1.05)),
    ],
)
def test_guesses(bench, line, expected):
    name, guess = bench.guess(*guesses.parse_guess(line))
    assert (name, guess.ratio, guess.to) == (expected[0], pytest.approx(expected[1]), "")
    assert bench.guesses == {name: guess}


@pytest.mark.parametrize(
    "line",
    [
        *["b", "+5%", "b much", "b -100%", "b 0x", "a +5%", "c +5%", '"b +5%'],
        *["b +5% --to", "b --to +5%", "b +5% --to b", "b +5% --to c", 'b +5% --to "a'],
    ],
)
def test_guesses_that_make_no_sense(bench, line):
    with pytest.raises(InputError):
        bench.guess(*guesses.parse_guess(line))
    assert bench.guesses == {}


@pytest.mark.parametrize(
    "line",
    [
        "no-header +7% --to write-head-length",
        "no-header --to write-head-length +7 %",
        '"no header" 1.07x --to "writeHead, length"',
    ],
)
def test_a_guess_may_be_against_another_variant_than_the_baseline(line):
    bench = workbench.find("04")
    bench.guess(*guesses.parse_guess(line))
    (guess,) = bench.guesses.values()
    assert guess.to == "write-head-length" and guess.ratio == pytest.approx(1.07)
    shown = guess_cards.guesses(bench.guesses, bench.experiment.baseline).text
    assert "no-header" in shown and "write-head-length" in shown


@pytest.mark.parametrize("amount", ["5", "1.05", "0,5", "1", " 20 "])
def test_a_number_alone_is_asked_about(bench, amount):
    number = amount.strip().replace(",", ".")
    with pytest.raises(InputError) as caught:
        bench.guess(*guesses.parse_guess(f"b {amount}"))
    for form in (f"{number}%", f"+{number}%", f"{number}x"):
        assert form in caught.value.remedy
    assert bench.guesses == {}
    with pytest.raises(InputError, match="write [+]5%"):
        bench.guess(*guesses.parse_guess("b +5"))


def test_variants_are_found_by_words_of_their_title():
    bench = workbench.find("04")
    assert bench.match("Fastify, response schema").name == "fastify-schema"
    assert bench.match("no header").name == "no-header"
    with pytest.raises(InputError, match="may be any of write-head-object"):
        bench.match("writeHead")


def planned(bench, **chosen):
    """The plan of two servers loaded together, for what a cell chose."""
    options = bench.options(**chosen)
    job = Job(bench.experiment, [], options, print)
    entries = [SimpleNamespace(name=name, status="raced") for name in "ab"]
    return job.plan(entries, "wrk", connections=50, warm_up=8.0, together=True, continuous=True)


def test_options_come_from_the_cell_within_what_the_environment_allows(bench, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_MODE", "full")
    monkeypatch.setenv("BENCHBOOK_RACE", "launches=2 blocks=3 seconds=0.2 variants=a,b")
    found = bench.options(launches=5, blocks=2, mode=None)
    assert (found.mode, found.variants) == ("full", ("a", "b"))
    found = bench.options(more=True)
    assert (found.variants, found.more) == (("a", "b"), False)
    found = bench.options(more=True, variants=("b",))
    assert (found.variants, found.more) == (("b",), True)
    assert bench.options(mode="quick").mode == "quick"
    plan = planned(bench, launches=5, blocks=2)
    assert (plan.launches, plan.blocks, plan.sample_seconds) == (2, 2, 0.2)
    assert [len(launch) for launch in plan.order] == [2, 2]
    assert planned(bench, launches=1, warmup=0.0).launches == 1


@pytest.mark.parametrize(
    ("limit", "changed"),
    [
        ("launches=12 blocks=99 seconds=60 warmup=60 shorten=20", {}),
        ("launches=3", {"launches": 3}),
        ("blocks=2", {"blocks": 2}),
        ("seconds=0.3", {"sample_seconds": 0.3}),
        ("warmup=0.5", {"warmup_seconds": 0.5}),
    ],
)
def test_the_environment_shortens_but_never_lengthens(bench, monkeypatch, limit, changed):
    usual = planned(bench, seed=1)
    monkeypatch.setenv("BENCHBOOK_RACE", limit)
    expected = replace(usual, **changed)
    assert planned(bench, seed=1) == expected.extended(expected.launches)
    assert planned(bench, seed=1).expected_seconds <= usual.expected_seconds


def test_an_unknown_mode_of_the_environment_is_named(bench, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_MODE", "ful")
    with pytest.raises(InputError, match=r"(?s)BENCHBOOK_MODE.*'ful'.*quick or full"):
        bench.options()


def test_a_limit_of_one_launch_does_not_blame_the_cell_that_races_until(bench, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RACE", "launches=1")
    with pytest.raises(InputError, match=r"(?s)BENCHBOOK_RACE.*launches.*--until"):
        bench.options(until=0.01)


@pytest.mark.parametrize(
    "words", ["launch=2", "launches=two", "launches=0", "launches", "share=0", "share=1.5"]
)
def test_limits_that_make_no_sense(bench, monkeypatch, words):
    monkeypatch.setenv("BENCHBOOK_RACE", words)
    with pytest.raises(InputError, match="BENCHBOOK_RACE"):
        bench.options()


def test_a_share_of_a_race_has_fewer_launches_but_three_and_fewer_blocks(bench, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RACE", "share=0.5")
    assert bench.options().share == 0.5
    mode = bench.experiment.modes["quick"]
    common = {"connections": 1, "tool": "wrk", "seed": 1, "launches": 4}
    half = plan.make("ab", "quick", replace(mode, budget_seconds=60), share=0.5, **common)
    whole = plan.make("ab", "quick", replace(mode, budget_seconds=60), **common)
    assert (whole.launches, half.launches) == (4, 3)
    assert half.launches * half.blocks == pytest.approx(2 * whole.blocks, abs=2)
    few = [plan.make("ab", "quick", mode, share=0.1, blocks=n, **common) for n in (1, 8)]
    assert [made.blocks for made in few] == [1, 2]


def test_no_run_yet_is_explained(bench):
    with pytest.raises(InputError, match="has not run yet"):
        bench.results()
