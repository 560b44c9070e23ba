"""The order of a race: complete, random, fixed by its seed, and fitted to its budget."""

from collections import Counter

import pytest

from benchbook.model import plan
from benchbook.model.variants import Mode

MANY = plan.GROUP + 12  # entries, more than one group holds
MODE = Mode(budget_seconds=60, sample_seconds=0.6)


def made(**chosen):
    entries = chosen.pop("entries", list("abcdefgh"))
    mode = chosen.pop("mode", MODE)
    return plan.make(entries, "quick", mode, connections=50, tool="wrk", seed=7, **chosen)


def test_every_block_holds_every_entry_once():
    drawn = made()
    for launch in drawn.order:
        for block in launch:
            assert sorted(block) == list("abcdefgh")
    assert drawn.samples == drawn.launches * drawn.blocks * 8


def test_the_seed_fixes_the_order():
    assert made().order == made().order
    other = plan.make("abcdefgh", "quick", MODE, connections=50, tool="wrk", seed=8)
    assert made().order != other.order


def test_no_entry_has_a_place_of_its_own():
    order = plan.shuffled("abcd", 50, 8, seed=3)
    firsts = Counter(block[0] for launch in order for block in launch)
    assert all(count > 50 for count in firsts.values()), firsts


@pytest.mark.parametrize("count", [2, 3, 8, 20])
@pytest.mark.parametrize("budget", [60, 600])
def test_a_plan_keeps_to_its_budget(count, budget):
    names = [str(i) for i in range(count)]
    drawn = made(entries=names, mode=Mode(budget_seconds=budget, sample_seconds=0.6))
    assert drawn.launches >= 3
    assert drawn.blocks >= 2
    if count <= 8:
        assert 0.8 * budget < drawn.expected_seconds < 1.25 * budget


def test_what_is_given_is_kept():
    drawn = made(launches=2, blocks=5, sample_seconds=1.5)
    assert (drawn.launches, drawn.blocks, drawn.sample_seconds) == (2, 5, 1.5)


def test_rounds_are_interleaved_unless_asked_otherwise():
    mixed = list(made(entries="abc", launches=1, blocks=4).rounds(0))
    assert [block for block, _, _ in mixed] == sorted([0, 1, 2, 3] * 3)
    apart = list(made(entries="abc", launches=1, blocks=4, interleaved=False).rounds(0))
    names = [name for _, _, name in apart]
    assert sorted(mixed) == sorted(apart)
    assert [names[i : i + 4] for i in (0, 4, 8)] == [[n] * 4 for n in dict.fromkeys(names)]


def together(count, **chosen):
    names = ["a", "a#2", *(f"v{i}" for i in range(count - 2))]
    return made(entries=names, together=True, warmup_seconds=5.0, **chosen)


def test_together_a_block_is_a_group_with_the_baseline_and_its_copy():
    drawn = together(MANY, launches=3, blocks=6)
    groups = plan.group_count(MANY)
    assert groups > 1
    for launch in drawn.order:
        for block in launch:
            assert {"a", "a#2"} < set(block) and len(block) <= plan.GROUP
        for first in range(0, 6 - groups + 1, groups):  # dealt anew: each takes part once
            dealt = Counter(name for block in launch[first : first + groups] for name in block)
            assert {dealt[f"v{i}"] for i in range(MANY - 2)} == {1}
    company = {frozenset(block) for launch in drawn.order for block in launch}
    assert len(company) > 3 * groups
    assert drawn.samples == sum(len(block) for launch in drawn.order for block in launch)


@pytest.mark.parametrize("asked", [{"blocks": 1}, {"most": {"blocks": 1}}])
def test_whoever_is_started_is_measured_in_each_launch(asked):
    drawn = together(MANY, launches=3, continuous=True, **asked)
    assert drawn.blocks == plan.group_count(MANY) > 1
    for launch in drawn.order:
        assert {name for block in launch for name in block} == set(drawn.entries)


def test_without_a_break_a_group_has_all_its_blocks_in_succession():
    drawn = together(MANY, launches=4, blocks=7, continuous=True)
    count = plan.group_count(MANY)
    for launch in drawn.order:
        assert len(launch) == 7
        groups = list(dict.fromkeys(launch))
        assert len(groups) == count == len({frozenset(group) for group in groups})
        assert [group for group in groups for block in launch if block == group] == list(launch)
        assert max(map(launch.count, groups)) - min(map(launch.count, groups)) <= 1
        dealt = Counter(name for group in groups for name in group)
        assert {dealt[f"v{i}"] for i in range(MANY - 2)} == {1} and dealt["a"] == dealt[
            "a#2"
        ] == count
    assert len({frozenset(group) for launch in drawn.order for group in launch}) > count
    assert drawn.extended(6).order[:4] == drawn.order


@pytest.mark.parametrize("count", [3, 6, 8, 11, 25, MANY])
def test_without_a_break_a_plan_keeps_to_its_budget(count):
    mode = Mode(budget_seconds=140, sample_seconds=0.2)
    drawn = together(count, mode=mode, continuous=True)
    assert drawn.launches >= plan.FEWEST_LAUNCHES
    assert drawn.blocks >= plan.group_count(count) * plan.FEWEST_CONTINUOUS_BLOCKS
    assert drawn.blocks >= plan.CONTINUOUS_SECONDS
    assert drawn.sample_seconds == plan.CONTINUOUS_BLOCK_SECONDS
    assert 0.8 * 140 < drawn.expected_seconds <= 140


@pytest.mark.parametrize("count", [3, 6, 8, 20])
def test_together_a_plan_keeps_to_its_budget(count):
    drawn = together(count, mode=Mode(budget_seconds=120, sample_seconds=0.2))
    assert drawn.launches >= 3 and drawn.blocks >= plan.FEWEST_BLOCKS
    assert drawn.sample_seconds == plan.BLOCK_SECONDS
    assert 0.8 * 120 < drawn.expected_seconds <= 120


def test_together_more_launches_keep_the_order_of_those_that_there_are():
    short = together(MANY, launches=3, blocks=6, until=0.01)
    assert short.extended(5).order[:3] == short.order


def test_a_longer_plan_begins_like_the_shorter_one():
    short = made(launches=3, blocks=2, until=0.01)
    assert short.pilot == 3
    long = short.extended(7)
    assert long.order[:3] == short.order and len(long.order) == 7
