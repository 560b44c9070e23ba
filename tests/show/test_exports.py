"""Files for other tools have the form of files that those wrote, and the run's numbers."""

import errno
import html
import json
import math
import re
import xml.etree.ElementTree as xml
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchbook.compare import gate, question
from benchbook.model import results as run_files
from benchbook.model.kinds.commands import WholeProcesses
from benchbook.model.kinds.http import Http
from benchbook.model.runs import RacedExperiment, Run
from benchbook.show import exporting
from benchbook.show.cards import compare_cards
from benchbook.show.exports import bdn, timings
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError, printable

DATA = Path(__file__).parents[1] / "data" / "exports"
# what a file of the tool has and ours does not, with the reason
LACKING = {
    ".Benchmarks[].Memory": "is written where allocations are known, without the collections",
    ".Benchmarks[].Metrics[]": "describes what only its own diagnosers measure",
    ".benchmarks[].runs[].stats.heap": "is not measured",
    ".benchmarks[].runs[].args": "is what its own generators pass on",
    ".benchmarks[].args": "is what its own generators pass on",
    ".context.noop": "is a floor of its own, which our slices subtract",
    ".layout[].types[]": "is of its own output",
}


def as_comparison(run: Run) -> Run:
    run.experiment = RacedExperiment("compare", "a and b", "compare", "/", delta=0.02)
    run.timing["total_seconds"] = 30.0
    return run


@pytest.fixture
def compared(make_run) -> Run:
    return as_comparison(make_run({"a": 1000.0, "b": 800.0}, noise=0.002))


def written(format_: str, run: Run, gated: gate.Gated | None = None) -> str:
    return exporting.FORMATS[format_](run, question.judged(run), gated)


def document(format_: str, run: Run):
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(written(format_, run), parse_constant=refuse)


def shapes(value, at: str = "") -> dict[str, set[str]]:
    """What a document holds at which place: {".a[].b": {"number"}}."""
    if isinstance(value, dict):
        found: dict[str, set[str]] = {at: {"object"}}
        inside = [(f"{at}.{key}", each) for key, each in value.items()]
    elif isinstance(value, list):
        found, inside = {at: {"array"}}, [(f"{at}[]", each) for each in value]
    else:
        names = {bool: "boolean", str: "string", type(None): "null"}
        return {at: {names.get(type(value), "number")}}
    for place, each in inside:
        for where, types in shapes(each, place).items():
            found.setdefault(where, set()).update(types)
    return found


def lacking(place: str) -> bool:
    return any(place.startswith(known) for known in LACKING)


def names_made_equal(document_):
    """Bencher's file has names as keys; only what is in them has a form."""
    return {"entry": [{"measure": list(measures.values())} for measures in document_.values()]}


@pytest.mark.parametrize("format_", ["bdn", "mitata", "bencher", "action"])
def test_the_form_is_that_of_a_file_that_the_tool_writes(format_, compared):
    theirs = json.loads((DATA / f"{format_}.json").read_text(encoding="utf-8"))
    ours = document(format_, compared)
    if format_ == "bencher":
        theirs, ours = names_made_equal(theirs), names_made_equal(ours)
    wanted, found = shapes(theirs), shapes(ours)
    assert found.keys() - wanted.keys() == set()
    assert {place for place in wanted.keys() - found.keys() if not lacking(place)} == set()
    assert {at: types for at, types in found.items() if not types <= wanted[at]} == {}


def test_junit_has_the_elements_and_attributes_of_pytests_file(compared):
    def form(tree: xml.Element) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for each in tree.iter():
            found.setdefault(each.tag, set()).update(each.attrib)
        return found

    wanted = form(xml.parse(DATA / "junit.xml").getroot())
    seen: dict[str, set[str]] = {}
    for tree in outcomes(compared).values():
        for tag, attributes in form(tree).items():
            seen.setdefault(tag, set()).update(attributes)
    assert seen.keys() == wanted.keys()
    assert wanted["testsuite"] - seen["testsuite"] == {"hostname"}  # run files name no host
    for tag, attributes in seen.items():
        assert attributes - wanted[tag] <= {"type"}


def outcomes(run: Run) -> dict[str, xml.Element]:
    """The trees of what a gate may say of b, and of no gate."""
    found = {"": xml.fromstring(written("junit", run))}
    for name, code, ok in (
        ("fine", gate.FINE, False),
        ("slower", gate.SLOWER, False),
        ("undecided", gate.UNDECIDED, False),
        ("let through", gate.UNDECIDED, True),
        ("broken", gate.BROKEN, False),
    ):
        passage = gate.Passage("b", "a", code, why="for a reason")
        if code == gate.SLOWER:
            passage = gate.gate(run, question.judged(run), 0.05).passages[0]
        gated = gate.Gated(0.05, ok, (passage,))
        found[name] = xml.fromstring(written("junit", run, gated))
    return found


def test_junit_fails_as_the_gate_does_and_not_without_one(compared):
    found = outcomes(compared)
    (suite,) = found[""]
    assert suite.attrib["failures"] == suite.attrib["errors"] == "0"
    assert "slower than a" in suite.findtext("testcase/system-out")
    for name, tag, kind in (
        ("slower", "failure", "slower"),
        ("undecided", "failure", "undecided"),
        ("let through", "skipped", "undecided"),
        ("broken", "error", "broken"),
    ):
        (told,) = found[name].findall(f".//testcase/{tag}")
        assert told.attrib["type"] == kind and told.attrib["message"]
        (suite,) = found[name]
        counts = {key: suite.attrib[key] for key in ("failures", "errors", "skipped")}
        assert sorted(counts.values()) == ["0", "0", "1"]
    assert [child.tag for child in found["fine"].find(".//testcase")] == ["system-out"]


def test_what_is_broken_is_an_error_without_a_gate_too(compared):
    compared.entry("b").status, compared.entry("b").reason = "failed", "exit code 7"
    tree = xml.fromstring(written("junit", compared))
    assert "exit code 7" in tree.find(".//testcase/error").attrib["message"]


def test_statistics_are_benchmarkdotnets_of_the_same_values():
    for each in json.loads((DATA / "bdn.json").read_text(encoding="utf-8"))["Benchmarks"]:
        theirs = each["Statistics"]
        ours = bdn.described(np.array(theirs["OriginalValues"]))
        assert ours.keys() | {"ConfidenceInterval"} == theirs.keys()
        for name, value in ours.items():
            assert value == pytest.approx(theirs[name], rel=1e-9), name


# ── What the numbers are, of each kind ───────────────────────────────────────────────────────────


@pytest.fixture(params=["commands", "in turns", "together", "functions"])
def of_a_kind(request, make_run) -> tuple[Run, float]:
    """A run, and how many nanoseconds a thing of its baseline took, about."""
    if request.param == "functions":
        run = run_files.load(paths.references() / "05-json-vs-templates.memory.json")
        run.experiment = replace(run.experiment, delta=0.02)
        return run, 1e9 / question.judged(run).medians[run.baseline]
    run = as_comparison(
        make_run({"a": 10.0, "b": 8.0}, 0.002, together=request.param == "together")
    )
    run.kind = WholeProcesses if request.param == "commands" else Http
    return run, 1e9 / question.judged(run).medians["a"]


def test_times_are_nanoseconds_of_one_thing(of_a_kind):
    run, nanoseconds = of_a_kind
    thing = run.kind.thing
    first = document("bdn", run)["Benchmarks"][0]
    assert first["Method"] == run.baseline and thing in first["DisplayInfo"]
    assert first["Statistics"]["Median"] == pytest.approx(nanoseconds, rel=0.1)
    one = first["Measurements"][0]
    assert one["Nanoseconds"] / one["Operations"] == pytest.approx(nanoseconds, rel=0.5)
    (stats,) = [
        b["runs"][0]["stats"] for b in document("mitata", run)["benchmarks"] if b["baseline"]
    ]
    assert stats["p50"] == pytest.approx(nanoseconds, rel=0.1)
    measures = document("bencher", run)[run.baseline]
    time = measures[f"time-per-{thing}"]
    assert time["value"] == pytest.approx(nanoseconds, rel=0.2)
    assert time["lower_value"] < time["value"] < time["upper_value"]


def test_ratios_are_of_the_time_so_that_smaller_is_better(of_a_kind):
    run, _ = of_a_kind
    compared = timings.ratios(question.judged(run))
    rows = {row["name"].partition(":")[0]: row for row in document("action", run)}
    measures = document("bencher", run)
    assert rows.keys() == compared.keys() and run.control not in measures
    for name, row in rows.items():
        other, ratio = compared[name]
        assert row["value"] == pytest.approx(1 / ratio.ratio)
        assert row["unit"] == f"× {other}" and "a copy of" in row["extra"]
        assert measures[name]["time-to-baseline"]["value"] == row["value"]
    for name in measures.keys() - compared.keys():
        assert "time-to-baseline" not in measures[name]


def test_warm_up_and_what_failed_is_left_out(compared):
    judged = replace(question.judged(compared), left_out=(1,) * compared.plan.launches)
    text = exporting.FORMATS["bdn"](compared, judged, None)
    counts = {each["Statistics"]["N"] for each in json.loads(text)["Benchmarks"]}
    assert counts == {compared.plan.launches * (compared.plan.blocks - 1)}
    compared.entry("b").status = "failed"
    assert [each["Method"] for each in document("bdn", compared)["Benchmarks"]] == ["a"]


def test_one_launch_has_no_bounds_and_is_written_all_the_same(make_run):
    run = as_comparison(make_run({"a": 1000.0, "b": 800.0}, launches=1, blocks=1))
    for name in exporting.FORMATS:
        assert written(name, run)
    assert document("bencher", run)["b"]["time-per-request"].keys() == {"value"}
    known = document("bdn", run)["Benchmarks"][0]["Statistics"]
    assert "StandardError" not in known and math.isfinite(known["Mean"])
    assert known["ConfidenceInterval"].keys() == {"N", "Mean", "Level"}


@pytest.fixture
def of_two_inputs(make_run) -> Run:
    """Two functions, each with two inputs, of which one takes a hundred times as long."""
    speeds = {"parse on few": 1000.0, "parse on many": 10.0, "format on few": 1500.0}
    run = as_comparison(make_run({**speeds, "format on many": 8.0}, noise=0.002))
    for entry in run.entries:
        entry.series, _, entry.case = entry.name.removesuffix("#2").partition(" on ")
    return run


def test_an_input_is_compared_with_the_same_input_of_the_first(of_two_inputs):
    rows = document("action", of_two_inputs)
    assert [(row["name"].partition(":")[0], row["unit"]) for row in rows] == [
        ("format on few", "× parse on few"),
        ("format on many", "× parse on many"),
    ]
    assert [row["value"] for row in rows] == pytest.approx([1 / 1.5, 10 / 8], rel=0.02)
    compared = {k: v for k, v in document("bencher", of_two_inputs).items() if len(v) > 1}
    assert compared.keys() == {"format on few", "format on many"}
    assert compared["format on many"]["time-to-baseline"]["value"] == rows[1]["value"]
    table = [line for line in written("markdown", of_two_inputs).splitlines() if "| " in line]
    assert table[0].endswith("| against | 95 % interval |")
    assert "| parse on many: −2" in table[-1] and table[3].endswith("|  |  |")
    gated = gate.gate(of_two_inputs, question.judged(of_two_inputs), 0.05)
    (suite,) = xml.fromstring(written("junit", of_two_inputs, gated))
    assert [case.attrib["name"] for case in suite] == [
        "format on few against parse on few",
        "format on many against parse on many",
    ]
    assert " slower than parse on many [" in suite.find(".//failure").attrib["message"]


def test_a_chart_goes_by_names_in_which_nothing_measured_is(compared):
    compared.kind = WholeProcesses
    names = []
    for milliseconds in (1.23, 1.31):  # of the shell, which each job measures anew
        measures = {"centre_ms": 5.0, "start_ms": milliseconds}
        compared.samples = [replace(each, measures=measures) for each in compared.samples]
        (row,) = document("action", compared)
        assert f"{milliseconds} ms" in row["extra"]
        names.append(row["name"])
    assert names == ["b: time a run"] * 2


def test_junit_can_be_read_whatever_is_compared_and_says_what_the_answer_says(compared):
    for entry in compared.entries:
        entry.name = entry.name.replace("b", "printf '\x1b[31m\x01\uffff'")
    compared.samples = [
        replace(each, variant=each.variant.replace("b", compared.entries[-1].name))
        for each in compared.samples
    ]
    compared.experiment = replace(compared.experiment, title="a and \x1b[31m\x01")
    (suite,) = xml.fromstring(written("junit", compared))
    assert suite.attrib["name"] == "a and \ufffd"
    assert suite.find("testcase").attrib["name"] == "printf '\ufffd\ufffd' against a"
    output = suite.findtext("testcase/system-out")
    first = compare_cards.lines(question.judged(compared))[0]
    assert output.splitlines()[0] == printable(first) and "times the time a request" in first


# ── The comment ──────────────────────────────────────────────────────────────────────────────────


def test_the_comment_says_answer_gate_control_machine_and_run(compared, tmp_path):
    compared.machine = {
        "cpu": {"model": "A CPU", "usable_cores": 2},
        "os": {"distribution": "OS 1"},
    }
    compared.path = tmp_path / "run-7.json"
    plain = written("markdown", compared)
    assert "- b is 20" in plain and "surely" not in plain
    gated = gate.gate(compared, question.judged(compared), 0.05)
    told = written("markdown", compared, gated)
    assert "- ✘ b is 20" in told and "surely slower by more than 5 %" in told
    for part in ("| b |", "A copy of a:", "Could tell", "A CPU, 2 CPUs, OS 1", "`run-7.json`"):
        assert part in told


def test_names_can_not_break_the_table_nor_call_anybody(compared):
    for entry in compared.entries:
        if entry.name == "b":
            entry.title = "cat x | grep `y` <img src=z> @everyone #12 &commat;all\n| new"
    lines = written("markdown", compared).splitlines()
    rows = [line.replace("\\|", "") for line in lines if line.startswith("|")]
    assert len({row.count("|") for row in rows}) == 1 and len(rows) == 4
    text = "\n".join(lines)
    assert "<img" not in text.replace("\\<", "") and r"\&commat;all" in text
    shown = html.unescape(
        text.replace("\\&", "")
    )  # as it is when GitHub looks for whom to call and what to link
    assert not re.search(r"[@#]\w", shown) and "@\u200beveryone #\u200b12" in shown


# ── What is asked for ────────────────────────────────────────────────────────────────────────────


def test_files_are_replaced_whole(compared, tmp_path):
    (export,) = exporting.parse([f"markdown={tmp_path / 'new.md'}"])
    export.path.write_text("old " * 10_000)
    export.write(compared, question.judged(compared))
    assert export.path.read_text(encoding="utf-8") == written("markdown", compared)
    assert [each.name for each in tmp_path.iterdir()] == ["new.md"]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (["markdown"], "'markdown' is not FORMAT=FILE"),
        (["markdown="], "'markdown=' is not FORMAT=FILE"),
        (["markdwn=x.md"], "markdown"),
        (["bdn=nowhere/x.json"], "does not exist"),
        (["bdn=."], "is a directory"),
    ],
)
def test_what_can_not_be_written_is_told_before_a_race(given, problem, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=problem):
        exporting.parse(given)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_can_not_be_written_is_told_before_a_race(monkeypatch, tmp_path):
    def read_only(folder: Path) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(exporting, "check_folder", read_only)
    with pytest.raises(InputError, match="x.json' can't be written: Read-only file system"):
        exporting.parse([f"bdn={tmp_path / 'x.json'}"])
