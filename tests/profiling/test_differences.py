"""What is found in profiles whose truth is known: plants, and nothing where programs are equal."""

import math

import numpy as np
import pytest

from benchbook.model.profiles.profile import OWN, Frame, Profile, StackCounter
from benchbook.profiling import alone, costs, differences, own_lines, trees
from benchbook.profiling.costs import Key
from profiling.simulated import FILES, HANDLER, HTTP, SERVER, comparison, of_b

PLANTS = {
    "in a function of its own": Frame("slow", OWN, FILES["b"], 8),
    "in a line of the handler, where it was inlined": Frame("handler", OWN, FILES["b"], 4),
    "in a dependency": Frame("slow", "dep", "file:///x/node_modules/dep/index.js", 9, "dep 1.2.3"),
}


@pytest.mark.parametrize("size", [2.0, 5.0])
@pytest.mark.parametrize("where", PLANTS)
def test_a_plant_is_the_first_row(where, size):
    plant = PLANTS[where]
    found = [
        differences.why(comparison(SERVER, {**of_b(SERVER), plant: size}, seed=seed))
        for seed in range(10)
    ]
    firsts = [each.rows[0] for each in found]
    assert sum(row.key.layer == plant.layer and row.more.differs for row in firsts) >= 9
    assert sum(abs(row.more.mean / size - 1) < 0.25 for row in firsts) >= 9
    if plant.layer == "dep":
        assert {row.key.place for row in firsts} == {"dep/index.js"}


def test_equal_programs_show_no_function_as_different():
    found = [differences.why(comparison(SERVER, of_b(SERVER), seed=seed)) for seed in range(40)]
    assert sum(bool(each.found) for each in found) <= 2


def test_handlers_of_two_files_are_one_row():
    found = differences.why(comparison(SERVER, of_b(SERVER)))
    own = [row for row in found.rows if row.key.layer == OWN]
    assert [row.key.function for row in own] == ["line 3 of a.mjs / line 3 of b.mjs"]
    assert own[0].a > 0.5 and own[0].b > 0.5 and own[0].text == "end()"


def test_a_slow_moment_of_the_machine_is_no_difference():
    """Launches cost 20 % more or less than each other, both programs alike."""
    found = differences.why(comparison(SERVER, of_b(SERVER), scatter=0.0))
    assert found.total.high - found.total.low < 0.5


def test_few_samples_are_not_ranked():
    found = differences.why(comparison(SERVER, of_b(SERVER), samples=100))
    assert found.rows == [] and "a ranking needs" in found.problem and found.layers


def test_one_launch_is_no_figure():
    found = differences.why(comparison(SERVER, of_b(SERVER), launches=1))
    assert "one launch" in found.problem and math.isinf(found.total.high)


def test_the_table_adds_up_and_the_check_is_of_other_processes():
    found = differences.why(comparison(SERVER, {**of_b(SERVER), PLANTS["in a dependency"]: 5.0}))
    assert sum(row.more.mean for row in found.rows) == pytest.approx(found.total.mean)
    assert sum(row.more.mean for row in found.layers) == pytest.approx(found.total.mean)
    assert found.check.scaled.mean != pytest.approx(found.check.plain.mean, rel=1e-6)
    assert found.check.agree and found.check.scaled.mean == pytest.approx(5.0, abs=1.5)
    assert 0.8 < found.explained < 1.2
    assert found.check.overhead["a"] == pytest.approx(0.04, abs=0.03)


def test_false_discovery_rates_are_those_of_benjamini_and_hochberg():
    """Their own example of fifteen p-values (1995, section 3.3): four are discoveries at 5 %."""
    p_values = (
        *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
        *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0),
    )
    rates = differences.false_discovery_rates(np.array(p_values))
    assert (rates < 0.05).sum() == 4 and list(rates) == sorted(rates)


def test_one_program_alone_is_told_by_function_and_layer():
    both = comparison(SERVER, of_b(SERVER))
    both.programs = ["a"]
    found = alone.alone(both)
    assert found.rows[0].key.function == "writev" and not found.problem
    assert found.layers[0].us.mean > found.layers[1].us.mean
    assert found.layers[0].key.layer in ("native and system calls", HTTP)


def test_a_tree_has_both_programs_over_each_other():
    plant = PLANTS["in a dependency"]
    root = trees.tree(comparison(SERVER, {**of_b(SERVER), plant: 5.0}))
    [top] = root.called.values()
    assert top.key.function == "root" and top.more == pytest.approx(5.0, abs=2.0)
    planted = top.called[Key("dep", "slow", "dep/index.js")]
    assert planted.a == 0 and planted.more == planted.b == pytest.approx(5.0, abs=1.0)
    assert root.width >= max(root.a, root.b)
    assert [branch.width for branch in top.called.values() if branch.frame] == sorted(
        (branch.width for branch in top.called.values() if branch.frame), reverse=True
    )


# ── Lines of own code ────────────────────────────────────────────────────────────────────────────

A = "import http;\n\nserve((q, r) => {\n  r.end(text);\n});\n"
B = "import http;\n\nserve((q, r) => {\n  r.set('x');\n  r.end(text);\n});\nlisten();\n"


def test_lines_that_are_alike_or_in_each_other_s_place_are_one_row():
    rows = own_lines.joined({"a": A, "b": B}, {"a": "a.mjs", "b": "b.mjs"})
    places = {row.label: row.places for row in rows}
    assert places["line 4 of a.mjs / line 5 of b.mjs"] == {"a": (4, 4), "b": (5, 5)}
    assert places["line 4 of b.mjs"] == {"b": (4, 4)}
    changed = own_lines.joined({"a": A, "b": A.replace("text", "other")}, {"a": "a", "b": "b"})
    assert [row.text for row in changed if "→" in row.text] == ["r.end(text); → r.end(other);"]


def test_only_rows_that_were_seen_are_kept():
    made = comparison(SERVER, of_b(SERVER))
    rows = own_lines.joined({"a": A, "b": A}, {"a": "a.mjs", "b": "b.mjs"})
    profiles = {name: [launch.profiles[name] for launch in made.launches] for name in "ab"}
    kept = own_lines.used(rows, profiles)
    assert [row.places["a"] for row in kept] == [(HANDLER.line, HANDLER.line)]


def test_what_a_function_calls_for_moments_is_its_own():
    outer = Frame("setHeader", HTTP, "node:_http_outgoing", 640)
    inner = [Frame(f"check{i}", "Node.js: other", "node:internal/validators", i) for i in range(9)]
    profile = Profile("Node.js 20", 1e3, 6.0, 1.5)
    counter = StackCounter()
    for each in inner:
        counter.add([HANDLER, outer, each], 4)
    counter.add([HANDLER], 40)
    profile.frames, profile.stacks = counter.frames, counter.stacks
    made = comparison(SERVER, of_b(SERVER), launches=1)
    made.programs, made.launches[0].profiles["a"] = ["a"], profile
    found = costs.costs(made, "a", costs.frequent(made, 20))
    samples = {key.function: row.samples for key, row in found.rows.items() if row.samples < 76}
    assert samples == {"setHeader": 36, "line 3 of a.mjs / line 3 of b.mjs": 40}
