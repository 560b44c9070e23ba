"""What a reader does in a notebook: edit a variant, guess, choose options."""

import pytest

from benchbook import paths, workbench
from benchbook.errors import InputError
from benchbook.workbench import Workbench


@pytest.fixture
def bench(two_servers, checkout):
    from benchbook import experiments

    return Workbench(experiments.load(two_servers))


def test_an_unchanged_cell_changes_nothing(bench):
    said = bench.edit("b", bench.experiment.variant("b").code + "\n\n")
    assert "unchanged" in said and bench.edits == {}
    assert bench.raced_experiment == bench.experiment


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
        ("b 1.5", ("b", 1.5)),
        ('"b" 40×', ("b", 40.0)),
    ],
)
def test_guesses(bench, line, expected):
    name, ratio = bench.guess(*workbench.parse_guess(line))
    assert (name, ratio) == (expected[0], pytest.approx(expected[1]))
    assert bench.guesses == {name: ratio}


@pytest.mark.parametrize("line", ["b", "+5%", "b much", "b -100%", "b 0x", "a +5%", "c +5%"])
def test_guesses_that_make_no_sense(bench, line):
    with pytest.raises(InputError):
        bench.guess(*workbench.parse_guess(line))
    assert bench.guesses == {}


def test_variants_are_found_by_words_of_their_title():
    bench = workbench.find("04")
    assert bench.match("Fastify, response schema").name == "fastify-schema"
    assert bench.match("no header").name == "no-header"
    with pytest.raises(InputError, match="may be any of write-head-object"):
        bench.match("writeHead")


def test_options_come_from_the_cell_then_the_environment(bench, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_MODE", "full")
    monkeypatch.setenv("BENCHBOOK_RACE", "launches=2 blocks=3 seconds=0.2 variants=a,b")
    found = bench.options(launches=5, mode=None)
    assert (found.mode, found.launches, found.blocks, found.seconds) == ("full", 5, 3, 0.2)
    assert found.variants == ("a", "b")
    assert bench.options(mode="quick").mode == "quick"


def test_no_run_yet_is_explained(bench):
    with pytest.raises(InputError, match="has not run yet"):
        bench.results()
