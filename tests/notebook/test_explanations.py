"""What the notebooks say of why: each explanation has a cell or a recorded run that shows it."""

import itertools
import json
import runpy
import statistics

import pytest

from benchbook.analysis.statistics.compared import Compared
from benchbook.model import experiments, results
from benchbook.system import paths

# A sentence, in the notebook of this number, and what is behind it: a cell, runs, or a script.
EXPLAINED = {
    "That takes no more writes": ("04", "writes"),
    "it is some 4 % faster than alone": ("04", "04-setheader-vs-writehead"),
    "Fastify nearly keeps up with the bare server": ("04", "04-setheader-vs-writehead"),
    "nine functions that have called each other": ("04", "frames"),
    "about a tenth of a microsecond": ("04", "05-json-vs-templates/memory"),
    "the server reads ten in one go": ("04", "writes"),
    "so less of a request is reading": ("04", "as-published"),
    "is as fast in Node.js 20 as in 16": ("05", "05-json-vs-templates/node-versions"),
    "That new path can be switched off": ("05", "new-path"),
    "`kestrel-base-async`, which does the same, costs more": ("01", "01-write-vs-writeasync"),
    "Only the two commented lines are new": ("01", "c26"),
    "counts the methods in tier 1, second by second": ("01", "tiers.py"),
    "for [serialization only]": ("07b", "fast-path"),
    "writes much faster, and reads hardly so": ("07b", "07-serializers/memory"),
    "in C# 1.4 to 3.7 times as long": ("07c", "07-serializers/browser"),
}
# What was said before, and is contradicted by what was measured.
REFUTED = (
    "has become faster since the article was written",
    "another write, another header to format",
    "Only the line with the comment is new",
    "The article's suspicion was right",
    "Mono interprets C#",
    "code that the compiler writes for just this class",
    "loop of the event handling",
    "shrinks to almost nothing",
)


def cells(number: str) -> dict[str, str]:
    """The source of a notebook's cells, by their id."""
    path = next(paths.notebooks().glob(f"{number}-*.ipynb"))
    document = json.loads(path.read_text(encoding="utf-8"))
    return {cell["id"]: "".join(cell["source"]) for cell in document["cells"]}


def ratio(run, a: str, b: str):
    """The interval of a's speed to b's in a recorded run."""
    found = Compared.of(run).interval(a, b)
    assert found, f"{run.experiment.name} has not raced {a} and {b}"
    return found


@pytest.mark.parametrize("sentence", EXPLAINED)
def test_an_explanation_stands_beside_what_shows_it(sentence, recorded_runs):
    number, shown_by = EXPLAINED[sentence]
    found = cells(number)
    assert any(sentence in source for source in found.values())
    beside = next((paths.root() / "snippets").glob(f"{number[:2]}-*")) / shown_by
    assert shown_by in found or shown_by in recorded_runs or beside.is_file()


def test_nothing_says_what_was_refuted():
    pages = [*paths.notebooks().glob("*.ipynb"), *(paths.root() / "docs").rglob("*.md")]
    texts = {path: path.read_text(encoding="utf-8") for path in pages}
    assert not [(p.name, said) for p, text in texts.items() for said in REFUTED if said in text]


@pytest.mark.slow("starts a Node.js session")
def test_every_way_to_set_headers_is_one_write_and_ten_requests_at_once_are_one_read(open_session):
    node = open_session(str(paths.notebooks()))
    node.value(cells("04")["writes"])
    node.value("console.log(JSON.stringify(counted))")
    counted = json.loads(node.output.text())
    at_a_time, at_once = (
        {way: c for way, c in counted.items() if end in way} for end in ("one at a time", "ten at")
    )
    assert len(at_a_time) == len(at_once) == 3
    assert {c["writes"] for c in counted.values()} == {10}
    assert {c["reads"] for c in at_a_time.values()} == {10}
    assert {c["reads"] for c in at_once.values()} == {1}
    chunked = [c for way, c in counted.items() if way.startswith("writeHead({…})")]
    whole = [c for c in counted.values() if c not in chunked]
    assert min(c["pieces"] for c in chunked) > max(c["pieces"] for c in whole)
    assert min(c["bytes"] for c in chunked) > max(c["bytes"] for c in whole)


@pytest.mark.slow("starts a Node.js session")
def test_more_functions_call_one_another_before_a_handler_of_fastify_runs(open_session):
    node = open_session(str(paths.notebooks()))
    node.value(cells("04")["writes"])  # both cells can be run in one session
    node.value(cells("04")["frames"])
    node.value("console.log(JSON.stringify(seen))")
    seen = json.loads(node.output.text())
    assert 1 < len(seen["http.Server"]) < len(seen["Fastify"])


def test_the_length_is_worth_it_and_fastify_keeps_up(recorded_runs):
    run = recorded_runs["04-setheader-vs-writehead"]
    assert ratio(run, "write-head-length", "write-head-object").low > 1
    assert ratio(run, "fastify-schema", "bare").low > 0.9


def test_a_request_costs_less_where_ten_come_at_once(recorded_runs):
    race = recorded_runs["04-setheader-vs-writehead"]
    replay = results.load(paths.references() / "04-setheader-vs-writehead.as-published.json")
    assert replay.replay.method.pipelining == 10
    for measured in replay.replay.measured:
        spent = sum(run.server_cpu_seconds for run in measured.runs)
        asked = sum(run.requests for run in measured.runs)
        costs = [s.cpu_microseconds for s in race.samples if s.variant == measured.name]
        assert 1e6 * spent / asked < statistics.median(costs), measured.name


def test_what_a_schema_saves_is_a_small_part_of_a_request(recorded_runs):
    memory, served = (
        recorded_runs["05-json-vs-templates/memory"],
        recorded_runs["04-setheader-vs-writehead"],
    )
    speeds = Compared.of(memory).medians()
    saved = 1e6 / speeds["stringify-hello"] - 1e6 / speeds["schema-hello"]  # µs
    whole = statistics.median(s.cpu_microseconds for s in served.samples if s.variant == "bare")
    assert 0 < saved < 0.02 * whole
    assert ratio(memory, "schema-hello", "stringify-hello").low > 1


def test_stringify_turned_in_node_22_and_once_more_in_26(recorded_runs):
    run = recorded_runs["05-json-vs-templates/node-versions"]
    assert ratio(run, "stringify-20", "stringify-16").low < 1.05
    for version, other in itertools.product(("16", "20"), ("schema", "escaped")):
        behind = ratio(run, f"{other}-{version}", f"stringify-{version}")
        assert behind.high > 1, (version, other)
    for version, other in itertools.product(("22", "24", "26"), ("schema", "escaped")):
        assert ratio(run, f"stringify-{version}", f"{other}-{version}").low > 1, (version, other)
    assert ratio(run, "stringify-22", "stringify-20").low > 1.5
    assert ratio(run, "stringify-26", "stringify-24").low > 1.2


@pytest.mark.slow("starts a Node.js session")
def test_the_new_path_is_switched_off_where_node_has_it(open_session):
    node = open_session(str(paths.notebooks()))
    node.value("import { execFileSync } from 'node:child_process'")
    node.value(cells("05")["new-path"].replace("1e6", "1e3"))
    node.value("console.log(JSON.stringify(byVersion))")
    rows = json.loads(node.output.text())
    assert rows
    for row in rows.values():
        major, off = int(row["V8"].split(".")[0]), row["new path switched off"]
        known = off.isdigit() if major > 13 else off == "has none" or major == 13
        assert known, row


def test_the_threads_that_a_stream_without_write_async_changes_cost_something(recorded_runs):
    run = recorded_runs["01-write-vs-writeasync"]
    assert ratio(run, "kestrel-base-async", "kestrel-sync").high < 1
    assert ratio(run, "kestrel-async", "kestrel-base-async").low > 1


def test_two_lines_with_a_comment_are_new():
    experiment = experiments.find("01")
    known = set(experiment.variant("kestrel-async-64k").code.splitlines())
    new = set(experiment.variant("kestrel-sync-64k").code.splitlines()) - known
    assert len([line for line in new if "//" in line]) == 2


@pytest.mark.slow("builds and loads a .NET server")
def test_methods_reach_tier_1_later_with_the_usual_delay():
    tiers = runpy.run_path(str(paths.root() / "snippets/01-write-vs-writeasync/tiers.py"))
    found = {each: tiers["compiled_well"](each, 4, 1)[0] for each in tiers["DELAYS"]}
    assert set(found) == {"0", "64"} and all(len(counts) == 4 for counts in found.values())
    assert all(counts == sorted(counts) for counts in found.values())
    assert sum(found["64"]) < sum(found["0"])


def test_the_generated_code_helps_writing_and_hardly_reading(recorded_runs):
    run = recorded_runs["07-serializers/memory"]
    written = ratio(run, "json-source-generated-write", "json-write")
    read = ratio(run, "json-source-generated", "json")
    assert written.low > 1.2 and read.high < written.low and read.high < 1.1


def test_only_serialization_has_a_fast_path(open_csharp):
    shown = open_csharp().value(cells("07b")["fast-path"])
    assert "SerializeHandler" in shown and "Deserialize" not in shown
    assert "Utf8JsonWriter" in shown


def test_the_first_loads_of_a_page_are_slow_to_decode_in_c_sharp_only(recorded_runs):
    run = recorded_runs["07-serializers/browser"]

    def decode(samples, variant) -> float:
        return statistics.median(s.parts_ms["decode"] for s in samples if s.variant == variant)

    falls = {
        name: decode(run.warmups, name) / decode(run.samples, name)
        for name in ("json", "memorypack", "json-javascript")
    }
    assert falls["json"] > 2 and falls["memorypack"] > 1.4 > falls["json-javascript"], falls
    there = statistics.median(
        s.parts_ms["deserialize"]
        for s in recorded_runs["07-serializers/http"].samples
        if s.variant == "json"
    )
    assert decode(run.samples, "json") > 5 * there


def test_the_notebooks_of_these_explanations_are_those_of_experiments():
    numbers = {number for number, _ in EXPLAINED.values()}
    assert numbers <= {e.notebook.stem.partition("-")[0] for e in experiments.load_all()}
