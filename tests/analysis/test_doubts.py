"""A verdict whose samples are mostly flagged says so before anything else, wherever it is shown."""

from dataclasses import replace

import pytest

from benchbook.analysis import scoreboard
from benchbook.analysis.judging import judge
from benchbook.analysis.judging.doubts import doubt, in_short
from benchbook.analysis.scoreboard import Board
from benchbook.model import experiments
from benchbook.race.evidence import EXPLAIN
from benchbook.show import finding
from benchbook.show.cards import race_cards, scoreboard_cards

NOISY = ["machine-busy", "cpu-stolen", "clock-lower", "client-bound", "server-idle", "littles-law"]
NOISY += ["miscounted"]


def flagged(run, flag: str, share: float):
    """The run, with a flag on this share of its samples."""
    count = round(share * len(run.samples))
    run.samples[:count] = [replace(s, flags=[flag]) for s in run.samples[:count]]
    return run


@pytest.fixture
def run(make_run):
    return make_run({"a": 1000.0, "b": 1100.0})


@pytest.mark.parametrize("flag", NOISY)
def test_most_samples_flagged_is_said_with_their_number(run, flag):
    told = doubt(flagged(run, flag, 0.9))
    assert told.startswith("54 of 60 samples were taken ") and told.endswith(": race again.")
    assert in_short(run)


@pytest.mark.parametrize("flag", EXPLAIN)
def test_a_few_flagged_samples_are_no_doubt_and_failures_have_limits_of_their_own(run, flag):
    assert doubt(flagged(run, flag, 0.4)) == in_short(run) == ""
    if flag not in NOISY:
        assert doubt(flagged(run, flag, 1.0)) == ""


def test_a_run_without_samples_or_without_flags_is_no_doubt(run):
    assert doubt(run) == ""
    run.samples.clear()
    assert doubt(run) == ""


def test_a_race_beside_another_says_so(run):
    run.plan = replace(run.plan, beside=True)
    assert "beside another race" in doubt(run) and "--anyway" in doubt(run)
    both = doubt(flagged(run, "machine-busy", 0.9))
    assert both.count("race again") == 1 and "54 of 60" in both


def test_it_is_the_first_line_in_terminal_notebook_and_plot(run, two_servers):
    flagged(run, "machine-busy", 0.9)
    found = judge.judge(run, experiments.load(two_servers).claim)
    assert race_cards.summary(run, found).text.startswith("! 54 of 60 samples")
    assert race_cards.race_description(run).text.startswith("! 54 of 60 samples")
    assert finding.sentence(run, found).startswith("On a busy machine: b is ")


def test_the_scoreboard_says_so_above_and_in_the_row(run, checkout, make_experiment):
    make_experiment({"a": "1", "b": "2"}, name="snippets/77-made")
    found = experiments.load(checkout / "snippets" / "77-made")
    flagged(run, "machine-busy", 0.9)
    sides = scoreboard.judged(found, run)
    rows = tuple(
        scoreboard.BoardRow(found, s, None, sides[s.id], None) for s in found.claim.statements
    )
    shown = scoreboard_cards.table(Board(rows, {found.name: run}, {})).text
    assert "race again: 77" in shown.splitlines()[0]
    assert shown.count("54 of 60 samples") == len(rows)
    assert "54 of 60 samples" in scoreboard_cards.details(rows[0])[0]
