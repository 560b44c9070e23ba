"""What is shown of profiles: sentences, tables, the figure of stacks, and files for other tools."""

import json
import re
from dataclasses import replace

import jsonschema
import pytest

from benchbook.model import experiments, results
from benchbook.model.profiles import reading
from benchbook.model.profiles.cost import Costing, Counted
from benchbook.model.profiles.profile import OWN, Frame
from benchbook.notebook import site
from benchbook.profiling import differences
from benchbook.show.pictures import picture
from benchbook.show.why import cards, cost_cards, files
from benchbook.show.why.amounts import Unit, shown_name
from benchbook.show.why.shown import ShownProfile
from profiling.simulated import FILES, HTTP, SERVER, comparison, of_b

SET_HEADER = Frame("setHeader", HTTP, "node:_http_outgoing", 640, link="https://x/#L640")
STORE = Frame("_storeHeader", HTTP, "node:_http_outgoing", 410)
SLOW = Frame("handler", OWN, FILES["b"], 4)


@pytest.fixture(scope="module")
def planted():
    return comparison(SERVER, {**of_b(SERVER), SET_HEADER: 2.0, STORE: 1.5, SLOW: 1.0})


def test_the_first_line_says_which_functions(planted):
    said = cards.headline(differences.why(planted))
    assert re.match(r"b against a: \+\d+\.\d % CPU time \(\+\d\.\d\d \[.*\] µs a request\): ", said)
    assert re.search(r"\d\.\d\d µs of `setHeader` and `_storeHeader` \(Node\.js: HTTP\)", said)
    assert re.search(r"\d+ % of the difference falls on named functions that differ$", said)


def test_equal_programs_are_said_to_be_so():
    said = cards.headline(differences.why(comparison(SERVER, of_b(SERVER), seed=3)))
    assert "no difference can be told" in said


def test_the_table_has_ten_rows_with_intervals_and_sources(planted):
    text = ShownProfile(planted).answer.text
    assert text.count("[") >= 10 and "https://x/#L640" in text
    assert re.search(r"^≠ +setHeader", text, re.M)
    assert len(differences.why(planted).rows) > cards.MOST_ROWS


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Microsoft.AspNetCore.Mvc.ModelBinding.ParameterBinder.BindModelAsync", None),
        (
            "System.Threading.ThreadPool..cctor (lambda)",
            "System.Threading.ThreadPool..cctor (lambda)",
        ),
        ("sendto (system call)", "sendto (system call)"),
        ("[System.Net.Sockets.dll]", "[System.Net.Sockets.dll]"),
        ("line 3 of Handlers.cs", "line 3 of Handlers.cs"),
        ("Server.emit", "Server.emit"),
    ],
)
def test_a_name_of_dotnet_is_its_type_and_method_where_the_layer_is_beside_it(name, shown):
    assert shown_name(name) == (shown or "ParameterBinder.BindModelAsync")


def test_the_overhead_and_the_check_are_told(planted):
    text = ShownProfile(planted).details.text
    assert re.search(r"The profiler cost CPU time: a \+\d\.\d %, b \+\d\.\d %", text)
    assert "when their slowdown is taken out" in text and "5 launches of 6 s" in text


def test_few_samples_are_said_to_be_few():
    text = ShownProfile(comparison(SERVER, of_b(SERVER), samples=50)).answer.text
    assert "No functions are ranked: 250 samples" in text


def test_one_program_is_told_alone(planted):
    one = comparison(SERVER, of_b(SERVER))
    one.programs = ["a"]
    assert re.match(
        r"a: \d\d\.\d\d \[.*\] µs of CPU time a request; ", ShownProfile(one).answer.text
    )
    assert "b" not in ShownProfile(one).figure.label.split()


def test_amounts_have_a_unit_that_suits_them():
    assert Unit.of(30.0, "request").text(1.5) == "1.50 µs"
    assert Unit.of(0.3, "operation").text(0.25) == "250 ns"
    assert Unit.of(0.3, "operation").each == "an operation"
    assert Unit.of(30.0, "request").signed(-0.001) == "+0.00"


# ── The figure ───────────────────────────────────────────────────────────────────────────────────


def test_boxes_lie_below_their_callers_and_in_them(planted):
    drawn = ShownProfile(planted).figure.plotly
    places = [
        (y, base, base + x)
        for trace in drawn["data"]
        for x, base, y in zip(trace["x"], trace["base"], trace["y"], strict=True)
    ]
    by_depth = {depth: [(a, b) for y, a, b in places if y == -depth] for depth in (1, 2)}
    for low, high in by_depth[2]:
        assert any(a <= low + 1e-4 and high <= b + 1e-4 for a, b in by_depth[1])
    names = [trace["name"] for trace in drawn["data"]]
    assert "b much more" in names and "alike" in names


def test_the_figure_has_a_twin_in_words_and_a_picture(planted):
    figure = ShownProfile(planted).figure
    assert re.search(r"· setHeader +0\.00 µs +\d\.\d\d µs +\+\d\.\d\d", figure.numbers.text)
    svg = picture.svg(figure.label, figure.plotly)
    assert svg.count("<rect") > 10 and "setHeader" in figure.html()


# ── Files ────────────────────────────────────────────────────────────────────────────────────────

# What https://www.speedscope.app/file-format-schema.json asks of a file with sampled profiles.
SPEEDSCOPE = {
    "type": "object",
    "required": ["$schema", "profiles", "shared"],
    "properties": {
        "$schema": {"const": "https://www.speedscope.app/file-format-schema.json"},
        "activeProfileIndex": {"type": "number"},
        "exporter": {"type": "string"},
        "name": {"type": "string"},
        "shared": {
            "required": ["frames"],
            "properties": {
                "frames": {
                    "type": "array",
                    "items": {
                        "required": ["name"],
                        "properties": {
                            "name": {"type": "string"},
                            "file": {"type": "string"},
                            "line": {"type": "number"},
                            "col": {"type": "number"},
                        },
                        "additionalProperties": False,
                    },
                }
            },
        },
        "profiles": {
            "type": "array",
            "items": {
                "required": [
                    *("endValue", "name", "samples", "startValue", "type", "unit", "weights")
                ],
                "properties": {
                    "type": {"const": "sampled"},
                    "unit": {
                        "enum": [
                            *("bytes", "microseconds", "milliseconds", "nanoseconds", "none"),
                            "seconds",
                        ]
                    },
                    "startValue": {"type": "number"},
                    "endValue": {"type": "number"},
                    "samples": {
                        "type": "array",
                        "items": {"type": "array", "items": {"type": "number"}},
                    },
                    "weights": {"type": "array", "items": {"type": "number"}},
                },
            },
        },
    },
}


def test_speedscope_gets_what_its_schema_asks_for(planted):
    document = json.loads(json.dumps(files.speedscope(planted)))
    jsonschema.validate(document, SPEEDSCOPE)
    count = len(document["shared"]["frames"])
    for profile in document["profiles"]:
        assert len(profile["samples"]) == len(profile["weights"])
        assert all(0 <= number < count for sample in profile["samples"] for number in sample)
        assert sum(profile["weights"]) == pytest.approx(profile["endValue"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "shared": {}}, SPEEDSCOPE)


def test_a_cpuprofile_is_a_tree_whose_samples_name_its_nodes(planted):
    stacks = files.stacks_of(planted, "b")
    document = files.cpuprofile(stacks)
    numbers = {node["id"] for node in document["nodes"]}
    assert set(document["samples"]) <= numbers
    assert len(document["samples"]) == len(document["timeDeltas"]) == sum(stacks.values())
    assert sum(node["hitCount"] for node in document["nodes"]) == sum(stacks.values())
    children = [child for node in document["nodes"] for child in node["children"]]
    assert sorted(children) == sorted(numbers - {1})


def test_folded_stacks_are_lines_that_end_in_a_count(planted):
    text = files.folded(files.stacks_of(planted, "b"))
    assert "root [Node.js: HTTP:1];setHeader [Node.js: HTTP:640] " in text
    assert all(re.fullmatch(r"[^;]+(;[^;]+)* \d+", line) for line in text.splitlines())


def test_files_lie_beside_what_is_kept(tmp_path, planted):
    planted.path = tmp_path / "kept.json"
    planted.save()
    assert reading.comparison(planted.path) == planted
    names = {path.relative_to(tmp_path).as_posix() for path in ShownProfile(planted).write()}
    assert names == {
        f"kept/{name}"
        for name in (
            "speedscope.json",
            *(f"{p}.{e}" for p in "ab" for e in ("cpuprofile", "folded")),
        )
    }
    assert files.file_name("../a b/c") == "..-a-b-c"


# ── What a request costs ─────────────────────────────────────────────────────────────────────────


def test_a_card_marks_what_differs_and_says_what_is_not_known():
    figures = {
        "a": {
            "bytes allocated": Counted((1000.0, 1004.0)),
            "threads": Counted((11.0, 11.0)),
            "system calls": Counted(reason="strace is not installed"),
        },
        "b": {
            "bytes allocated": Counted((1500.0, 1502.0)),
            "threads": Counted((11.0, 11.0)),
            "system calls": Counted(reason="strace is not installed"),
        },
    }
    costing = Costing(
        "77-made", ["a", "b"], "request", "wrk", figures, {"a": {"read": 1.0}, "b": {}}
    )
    text = cost_cards.summary(costing).text
    assert re.search(r"^≠ +bytes allocated +1,002 +1,501", text, re.M)
    assert re.search(r"^ +threads +11 +11", text, re.M)
    assert "system calls: not known, strace is not installed" in text and "· read" in text
    assert not costing.differs("threads") and not costing.differs("system calls")


def test_a_report_takes_the_newest_profile_along(tmp_path, monkeypatch, planted):
    monkeypatch.setattr(results.paths, "runs", lambda: tmp_path / "runs")
    [first, *_] = experiments.load_all()
    folder = results.folder(first.saved_as) / "profiles"
    for name, started in (("1.json", "before"), ("2.json", "after")):
        replace(planted, path=folder / name, started=started).save()
    (folder / "3.json").write_text("{}")
    [listed] = site.write_profiles(tmp_path / "site", "runs/profiles")
    assert listed.told == "profile of b against a, for speedscope.app, after"
    document = json.loads((tmp_path / "site" / listed.file).read_text(encoding="utf-8"))
    assert document["$schema"] == files.SCHEMA
