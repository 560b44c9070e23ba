"""The article's own method: its place in the claim file, replaying it, and what is told of it."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from benchbook import claims, documents, experiments, load, paths, replay, replay_cards, results
from benchbook.errors import BenchError, InputError
from benchbook.kernel.magics import ExperimentMagics
from benchbook.race import Note, Progress
from benchbook.replay import Figures
from made import CLAIM, SERVER

WRK = """
[published]
kind = "http"
tool = "wrk"
threads = 2
connections = 10
duration_seconds = 10
"""
AB = """
[published]
kind = "http"
tool = "ab"
connections = 100
requests = 100000
runs = 3
take = "best"
columns = ["requests/s", "ms"]

[[figures]]
label = "B"
value = 9.5
unit = "ms"
place = "here"
"""
AUTOCANNON = """
[published]
kind = "http"
tool = "autocannon"
connections = 100
duration_seconds = 40
pipelining = 10
"""
LOOP_CLAIM = """
title = "text is faster"
summary = "made for a test"

[source]
article = "none"
title = "made for a test"
year = 2026
language = "English"
method = "a loop"

[published]
kind = "loop"
script = "loop.mjs"
iterations = 1000
measurements = 2

[[published.rows]]
figure = "text, first"
reads = "text"
number = 1

[[published.rows]]
figure = "json, first"
reads = "json"
number = 1

[[published.rows]]
figure = "text, second"
reads = "text"
number = 2

[[statements]]
id = "text-faster"
says = "text is faster than JSON"
type = "faster"
a = "b"
b = "a"
place = "here"
"""
LOOP_FIGURES = "".join(
    f'[[figures]]\nlabel = "{label}"\nvalue = {value}\nunit = "ms"\nplace = "here"\n{more}\n'
    for label, value, more in (
        ("text, first", 100, 'variant = "b"'),
        ("json, first", 4000, 'variant = "a"'),
        ("text, second", 90, ""),
    )
)
# Counts, by the tool's name for itself: requests, connections, most requests on one connection.
COUNTING = """
import http from 'node:http';
import { writeFileSync } from 'node:fs';
const seen = { requests: 0, connections: new Set(), together: 0 };
const loaded = ({ headers }) =>
  headers.connection !== 'close' || /Apache/.test(headers['user-agent'] ?? '');
const server = http.createServer((request, response) => {
  if (loaded(request)) {
    const socket = request.socket;
    seen.requests += 1;
    seen.connections.add(socket.number ??= Math.random());
    socket.waiting = (socket.waiting ?? 0) + 1;
    seen.together = Math.max(seen.together, socket.waiting);
    response.on('finish', () => { socket.waiting -= 1; });
  }
  setTimeout(() => response.end('hello'), 2);
});
process.on('SIGTERM', () => {
  writeFileSync('FILE', JSON.stringify({ ...seen, connections: seen.connections.size }));
  process.exit();
});
server.listen(process.env.PORT, '127.0.0.1');
"""


@pytest.fixture
def published(make_experiment, checkout):
    """published(WRK) -> the experiment of two equal servers, with this method in its claim."""

    def make(table: str, codes: dict[str, str] | None = None, extra: dict[str, str] = {}, **more):
        more = {"name": "snippets/77-made", **more}
        folder = make_experiment(codes or {"a": SERVER, "b": SERVER}, extra, **more)
        (folder / "claim.toml").write_text(CLAIM + table)
        return experiments.load(folder)

    return make


@pytest.fixture
def loop(make_experiment, checkout):
    """loop("console.log(…)") -> the experiment whose claim is LOOP_CLAIM, with this script."""

    def make(code: str):
        folder = make_experiment({"a": SERVER, "b": SERVER}, name="snippets/77-made")
        (folder / "claim.toml").write_text(LOOP_CLAIM + LOOP_FIGURES)
        (folder / "loop.mjs").write_text(code)
        return experiments.load(folder)

    return make


def play(experiment, tmp_path, **more):
    """Replay to the end; returns what is on disk then, and the notes."""
    ready = replay.prepare(experiment, path=tmp_path / "replay.json", **more)
    notes = [event.text for event in ready.events() if isinstance(event, Note)]
    return results.load(tmp_path / "replay.json"), notes


def filled(experiment, **speeds):
    """A replay that nobody ran: `a=[1000, 1100]` are the requests/s of a's runs."""
    ready = replay.prepare(experiment)
    for measured in ready.measured:
        values = speeds.get(measured.name, [])
        figures = [dict.fromkeys(ready.method.columns, value) for value in values]
        measured.runs = [Figures(figure, 0.0, 100, 0, 1.0, 0.9, 0.5) for figure in figures]
        measured.status = "measured" if values else measured.status
    ready.save()
    return ready


# ---- the claim file


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (WRK.replace('"http"', '"https"'), "published.kind: expected one of"),
        (WRK.replace("threads", "treads"), "published.treads: unknown field"),
        (WRK.replace("= 10\n", '= "10"\n', 1), "published.connections: expected a whole number"),
        (WRK.replace('"wrk"', '"hey"'), "published.tool: expected one of"),
        (WRK.replace('tool = "wrk"', ""), "published.tool: is missing"),
        (WRK + "pipelining = 10", "published.pipelining: wrk has no such option"),
        (WRK.replace("duration_seconds", "requests"), "published.requests: wrk counts seconds"),
        (WRK.replace("threads = 2", "threads = 11"), "published.connections: must be at least"),
        (WRK.replace("duration_seconds = 10", ""), "published.duration_seconds: is missing"),
        (WRK + "runs = 3", "published.take: is 'single', but there are 3 runs"),
        (WRK + 'take = "best"', "published.take: is 'best', but there is 1 run"),
        (WRK + 'take = "luckiest"\nruns = 2', "published.take: expected one of"),
        (WRK + 'order = ["a", "c"]', "published.rows[1].reads: 'b' is not in published.order"),
        (WRK + 'order = ["a", "b", "c"]', "published.order: no variant 'c'"),
        (WRK + 'order = ["a", "b", "a"]', "published.order: names a variant twice"),
        (WRK + 'columns = ["parsecs"]', "published.columns: no figure has the unit 'parsecs'"),
        (WRK + '[[published.rows]]\nfigure = "C"', "published.rows[0].figure: no figure in"),
        (AB.replace("= 100000", "= 99"), "published.requests: must be at least connections"),
        (AB + AB.partition("[[figures]]")[2].join(["[[figures]]", ""]), "have the label 'B'"),
        ('[published]\nkind = "loop"\nscript = "no.mjs"', "published.script: 'no.mjs' does not"),
        ('[published]\nkind = "loop"\nscript = "../a.mjs"', "published.script"),
    ],
)
def test_a_wrong_method_is_explained_by_its_field(published, table, words):
    if '"loop"' in table:
        table += '\ncolumns = ["requests/s"]'
    with pytest.raises(InputError) as caught:
        published(table)
    assert words in str(caught.value) and "claim.toml" in str(caught.value)


def test_a_claim_without_a_method_says_so(experiment):
    with pytest.raises(InputError, match="published: is missing"):
        replay.prepare(experiment)


def test_every_experiment_here_has_its_articles_method():
    method = experiments.find("04").claim.method
    assert (method.tool, method.connections, method.duration_seconds) == ("autocannon", 100, 40)
    assert (method.pipelining, method.runs, method.take) == (10, 2, "last")
    assert method.order[:2] == ("bare", "fastify-schema")
    assert [row.figure for row in method.rows][-1] == "http.Server 12.18.2"


def test_an_article_without_figures_has_a_method_all_the_same():
    claim = experiments.find("10").claim
    assert claim.figures == () and claim.method.rows == ()
    assert (claim.method.tool, claim.method.requests, claim.method.connections) == ("ab", 40000, 20)
    assert claim.method.order == ("middleware-0", "middleware-1")


def test_times_are_turned_into_ratios_of_speeds(loop):
    claim = loop("").claim
    assert claim.published_ratio(claim.statements[0]) == pytest.approx(40)


# ---- the command lines


@pytest.mark.parametrize(
    ("table", "line"),
    [
        (WRK, "wrk -t 2 -c 10 -d 10s"),
        (AB, "ab -n 100000 -c 100"),
        (AB.replace("connections", "keep_alive = true\nconnections"), "ab -n 100000 -c 100 -k"),
        (AUTOCANNON, "autocannon -c 100 -d 40 -p 10"),
        (
            AUTOCANNON.replace("duration_seconds", "requests").replace("= 40", "= 500"),
            "autocannon -c 100 -a 500 -p 10",
        ),
        (WRK.replace("threads = 2\nconnections = 10", ""), "wrk -d 10s"),
    ],
)
def test_the_command_line_is_the_articles(published, table, line):
    experiment = published(table)
    ready = replay.prepare(experiment)
    assert ready.line() == line
    command = ready.tool.replay("http://127.0.0.1:1/", ready.method, Path("/x"))
    words = line.split()[1:]
    start = command.index(words[0])
    assert command[start : start + len(words)] == words and command[-1] == "http://127.0.0.1:1/"
    added = [*command[start + len(words) : -1]]
    shows = {"-s", str(load.Wrk.script), "-q", "-e", "/x/ab.csv", "--json", "--no-progress"}
    assert set(added) <= shows


@pytest.mark.parametrize(
    ("table", "by", "played"),
    [
        (WRK, 1, {"duration_seconds": 10}),
        (WRK, 4, {"duration_seconds": 2}),
        (WRK, 1000, {"duration_seconds": 1}),
        (AB, 10, {"requests": 10000}),
        (AB, 10**6, {"requests": 100}),
        (AUTOCANNON + "warmup_seconds = 8", 4, {"duration_seconds": 10, "warmup_seconds": 2}),
    ],
)
def test_shortening_divides_and_leaves_the_rest(published, table, by, played):
    ready = replay.prepare(published(table), by)
    assert ready.played == replace(ready.method, **played)
    assert ready.method == ready.experiment.claim.method


def test_a_script_of_unknown_length_cant_be_shortened(loop):
    experiment = loop("")
    method = replace(experiment.claim.method, iterations=None)
    with pytest.raises(InputError, match="--shorten"):
        replay.shortened(method, 2)


# ---- the figure that is taken


@pytest.mark.parametrize(
    ("take", "unit", "values", "expected"),
    [
        ("best", "requests/s", [10, 30, 20], [30]),
        ("best", "ms", [10, 30, 20], [10]),
        ("last", "ms", [10, 30, 20], [20]),
        ("mean", "ms", [10, 30, 20], [20]),
        ("last", "ms", [1, 2, 3, 4, 5, 6], [3, 6]),
        ("best", "ms", [1, 2], []),
    ],
)
def test_of_each_measurement_one_figure_is_taken(take, unit, values, expected):
    method = claims.Published(columns=(unit,), rows=(), runs=3, take=take)
    runs = [Figures({unit: float(value)}) for value in values]
    assert [figures[unit] for figures in replay.taken(runs, method)] == expected


def test_the_best_run_brings_its_other_columns_along():
    method = claims.Published(columns=("requests/s", "ms"), rows=(), runs=2, take="best")
    runs = [Figures({"requests/s": 9.0, "ms": 1.0}), Figures({"requests/s": 10.0, "ms": 7.0})]
    assert replay.taken(runs, method) == [{"requests/s": 10.0, "ms": 7.0}]


# ---- the table


def test_the_table_has_the_articles_rows_in_its_order(published):
    more = '[[figures]]\nlabel = "C, of old"\nvalue = 5\nunit = "requests/s"\nplace = "here"\n'
    experiment = published(more + WRK + 'order = ["b", "a", "c"]\n', dict.fromkeys("abc", SERVER))
    ready = filled(experiment, a=[1000], b=[1250], c=[70])
    rows = ready.run.replay["rows"]
    assert [row["label"] for row in rows] == ["A", "B", "C, of old", ""]
    assert [row["replayed"].get("requests/s") for row in rows] == [1000, 1250, None, 70]
    assert [row["published"].get("requests/s") for row in rows] == [100, 110, 5, None]
    assert rows[2]["note"] == "not raced here"
    lines = replay_cards.figures(ready.run).text.splitlines()
    assert lines[0].split("  ")[0] == "in the article"
    assert [line.split()[0] for line in lines[2:]] == ["A", "B", "C,", "(no"]
    assert "1,250" in lines[3] and "110" in lines[3] and "not raced here" in lines[4]


def test_two_columns_stand_side_by_side(published):
    ready = filled(published(AB))
    ready.measured[1].runs = [
        Figures({"requests/s": v, "ms": 1000 / v}) for v in (10.0, 20.0, 15.0)
    ]
    ready.save()
    assert ready.run.replay["rows"][1]["published"] == {"requests/s": 110, "ms": 9.5}
    assert ready.run.replay["rows"][1]["replayed"] == {"requests/s": 20.0, "ms": 50.0}
    text = replay_cards.figures(ready.run).text
    assert "article: ms" in text and "here: requests/s" in text
    assert "runs: 10; 20; 15" in text


# ---- beside the honest race


def honest(make_run, ratio: float, **more):
    run = make_run({"a": 1000.0, "b": 1000.0 * ratio}, **more)
    run.path = results.folder("77-made") / "1.json"
    run.save()
    return run


@pytest.mark.parametrize(
    ("ratio", "b", "words"),
    [
        (1.10, 1300.0, "a figure above the honest interval"),
        (1.10, 1020.0, "a figure below the honest interval"),
        (1.10, 900.0, "says the opposite here"),
        (0.90, 1100.0, "says the opposite here"),
        (1.10, None, "they agree"),
        (1.00, 1200.0, "and honestly it is no difference"),
    ],
)
def test_it_says_how_the_honest_answer_differs(published, make_run, ratio, b, words):
    honest(make_run, ratio, noise=0.003)
    experiment = published(WRK)
    if b is None:
        found = replay.honest_race(experiment).results.judgements[0].tests[0].interval
        b = 1000 * found.ratio
    ready = filled(experiment, a=[1000.0], b=[b])
    (said,) = ready.run.replay["statements"]
    assert said["replayed"] == pytest.approx(b / 1000) and said["published"] == pytest.approx(1.1)
    assert said["honest"]["low"] < said["honest"]["ratio"] < said["honest"]["high"]
    (sentence,) = replay_cards.comparisons(ready.run)
    assert words in sentence and "as published" in sentence
    text = replay_cards.summary(ready.run).text
    assert "one run of each program" in text and "5 starts of each program" in text


def test_without_a_race_it_says_to_race_first(published, make_run):
    run = filled(published(WRK), a=[1000.0], b=[900.0]).run
    text = replay_cards.summary(run).text
    assert "./bench race 77" in text and "not raced yet" in text
    assert run.replay["honest"] is None


def test_only_a_whole_interleaved_race_is_compared_with(published, make_run):
    experiment = published(WRK)
    honest(make_run, 1.1)
    for name, change in (
        ("2", {"status": "incomplete"}),
        ("3", {"plan": {"interleaved": False}}),
        ("4", {"replay": filled(experiment, a=[1.0]).run.replay}),
    ):
        run = make_run({"a": 1000.0, "b": 1000.0})
        run.plan.update(change.pop("plan", {}))
        for field, value in change.items():
            setattr(run, field, value)
        run.path = results.folder("77-made") / f"{name}.json"
        run.save()
    (results.folder("77-made") / "5.json").write_text("{")
    assert replay.honest_race(experiment).run.path.name == "1.json"


def test_reasons_come_from_the_facts(published, make_run):
    honest(make_run, 1.1)
    ready = filled(
        published(AUTOCANNON + 'runs = 2\ntake = "last"\n'), a=[1000.0, 1300.0], b=[1.0, 1.0]
    )
    ready.measured[0].runs[1].client_cpu_seconds = 0.99
    ready.measured[1].runs[1].failed = 3
    ready.measured[1].runs[0].outside_share = 0.4
    ready.save()
    text = "\n".join(replay_cards.reasons(ready.run))
    assert "10 requests on the way, 1,000 in all" in text
    assert "up to 30.0% apart here (a)" in text
    assert "autocannon with 100 connections; in the race wrk with 8" in text
    assert "used all of a CPU while it loaded a:" in text
    assert "3 of 200 requests to b failed" in text
    assert "Other programs used the CPUs while these were timed: b (40%)" in text
    assert "no warm-up" not in text and "without -k" not in text
    assert "without -k" in "\n".join(replay_cards.reasons(filled(published(AB), a=[1.0] * 3).run))
    assert "no warm-up" in "\n".join(replay_cards.reasons(filled(published(WRK), a=[1.0]).run))


# ---- run files


def test_a_replay_is_never_taken_for_a_race(published, make_run):
    race = honest(make_run, 1.1)
    ready = filled(published(WRK), a=[1.0], b=[2.0])
    ready.run.status = "complete"
    ready.run.save()
    assert ready.run.path.parent == results.folder("77-made") / "as-published"
    assert results.latest("77-made").path == race.path
    again = results.load(ready.run.path)
    assert again.to_text() == ready.run.to_text() and again.samples == []


def test_run_files_from_before_replays_can_be_read(recorded):
    document = json.loads(recorded.path.read_text())
    del document["replay"]
    recorded.path.write_text(json.dumps(document))
    assert results.load(recorded.path).replay is None


# ---- real replays, shortened


@pytest.fixture
def node_modules(checkout):
    """The real ones, for autocannon."""
    real = paths.PACKAGE.parent.parent / "node_modules"
    (checkout / "node_modules").symlink_to(real, target_is_directory=True)


@pytest.fixture
def counted(published, tmp_path):
    """counted(WRK, by) -> (the run, what server b saw of its load)."""

    def run(table: str, by: int):
        file = tmp_path / "seen.json"
        code = COUNTING.replace("FILE", str(file))
        experiment = published(table, {"a": SERVER, "b": code})
        found, notes = play(experiment, tmp_path, shorten=by)
        assert notes == [] and found.complete
        documents.check(json.loads((tmp_path / "replay.json").read_text()), "run", "replay.json")
        return found, json.loads(file.read_text())

    return run


def test_wrk_is_replayed_with_its_threads_and_connections(counted):
    run, seen = counted(WRK, 10)
    a, b = run.replay["measured"]
    assert a["status"] == b["status"] == "measured" and len(a["runs"]) == len(b["runs"]) == 1
    assert b["command"][:7] == ["wrk", "-t", "2", "-c", "10", "-d", "1s"]
    assert 0.9 < b["runs"][0]["seconds"] < 2
    assert seen["connections"] >= 10 and seen["together"] == 1
    assert b["runs"][0]["requests"] <= seen["requests"]
    assert b["runs"][0]["server_cpu_seconds"] > 0 and b["runs"][0]["client_cpu_seconds"] > 0
    assert (
        b["runs"][0]["started_seconds"] > a["runs"][0]["started_seconds"] + a["runs"][0]["seconds"]
    )
    assert set(run.parity) == {"a", "b"}


def test_ab_asks_as_often_as_it_says_and_on_new_connections(counted):
    run, seen = counted(AB, 500)
    b = run.replay["measured"][1]
    assert [r["requests"] for r in b["runs"]] == [200, 200, 200] and seen["requests"] >= 600
    assert seen["connections"] >= 600
    best = max(r["figures"]["requests/s"] for r in b["runs"])
    assert run.replay["rows"][1]["replayed"]["requests/s"] == best


def test_autocannon_pipelines(counted, node_modules):
    run, seen = counted(AUTOCANNON, 40)
    b = run.replay["measured"][1]
    assert b["command"][-4:-1] == ["10", "--json", "--no-progress"]
    assert seen["together"] > 1 and seen["connections"] >= 100
    assert run.replay["shortened"] == 40
    text = replay_cards.headline(run).text
    assert "SHORTENED 40 times: 1 s instead of 40 s" in text


def test_progress_tells_the_time_left(published, tmp_path):
    ready = replay.prepare(published(WRK), 10, tmp_path / "replay.json")
    events = [event for event in ready.events() if isinstance(event, Progress)]
    assert {event.total for event in events} == {2}
    assert 1.5 < events[0].seconds_left < 4 and events[-1].seconds_left < events[0].seconds_left
    assert any("b, run 1 of 1" == event.doing for event in events)
    assert results.load(tmp_path / "replay.json").complete


def test_a_variant_that_cant_run_is_named_and_the_others_go_on(published, tmp_path):
    extra = {"a": 'needs = ["npm:no-such-package"]'}
    run, notes = play(published(WRK, extra=extra), tmp_path, shorten=10)
    a, b = run.replay["measured"]
    assert a["status"] == "unavailable" and "no-such-package" in a["reason"]
    assert b["status"] == "measured" and run.complete
    assert "no-such-package" in notes[0] and run.entry("a").status == "unavailable"
    assert "unavailable: " in run.replay["rows"][0]["note"]
    (said,) = run.replay["statements"]
    assert said["replayed"] is None and said["missing"].startswith("a: unavailable")


def test_a_missing_tool_makes_every_row_unavailable(published, tmp_path, monkeypatch):
    monkeypatch.setattr(load.TOOLS["wrk"], "missing", lambda: True, raising=False)
    with pytest.raises(BenchError, match="nothing could be replayed"):
        play(published(WRK), tmp_path)
    run = results.load(tmp_path / "replay.json")
    assert {m["status"] for m in run.replay["measured"]} == {"unavailable"}
    assert "apt-get install wrk" in run.replay["rows"][0]["note"]
    assert run.status == "incomplete" and "nothing could be replayed" in run.reason


FALLS = SERVER.replace(
    "response.setHeader", "if (++count > 500) process.exit(3);\n  response.setHeader"
).replace("const server", "let count = 0;\nconst server")


def test_a_server_that_dies_in_mid_replay_is_named_and_the_others_go_on(published, tmp_path):
    table = WRK.replace("duration_seconds = 10", "duration_seconds = 30")
    experiment = published(table, {"a": FALLS, "b": SERVER})
    began = time.monotonic()
    run, notes = play(experiment, tmp_path, shorten=15)
    assert time.monotonic() - began < 12
    a, b = run.replay["measured"]
    assert a["status"] == "failed" and a["runs"] == [] and "exit code 3" in a["reason"]
    assert b["status"] == "measured" and run.complete and len(notes) == 1
    assert run.replay["rows"][0]["note"].startswith("failed: variant 'a'")


def test_an_error_page_is_not_timed(published, tmp_path):
    wrong = SERVER.replace("response.end", "response.statusCode = 500; response.end")
    run, notes = play(published(WRK, {"a": SERVER, "b": wrong}), tmp_path, shorten=10)
    assert run.replay["measured"][1]["runs"] == []
    assert "status 500" in notes[0] and "error page" in notes[0]


def test_errors_under_load_are_counted_and_said(published, tmp_path):
    some = SERVER.replace(
        "response.end", "if (++count % 10 === 0) response.statusCode = 503; response.end"
    ).replace("const server", "let count = 0;\nconst server")
    run, notes = play(published(WRK, {"a": SERVER, "b": some}), tmp_path, shorten=10)
    (only,) = run.replay["measured"][1]["runs"]
    assert 0 < only["failed"] < only["requests"] and "requests failed" in notes[0]
    assert "requests to b failed" in replay_cards.summary(run).text


# ---- loops


LOOP = """
const n = Number(process.argv[2]);
for (const [label, ms] of [['text', 1.5], ['json', 90.25], ['text', 2.5], ['json', 70.25]]) {
  console.log(`${label}: ${(ms * n) / 1000}ms`);
}
console.log('done: not a time');
"""


def test_a_loop_is_replayed_and_its_lines_are_the_rows(loop, tmp_path):
    run, notes = play(loop(LOOP), tmp_path)
    assert notes == [] and run.complete
    rows = run.replay["rows"]
    assert [row["label"] for row in rows] == ["text, first", "json, first", "text, second"]
    assert [row["published"]["ms"] for row in rows] == [100, 4000, 90]
    assert [row["replayed"]["ms"] for row in rows] == [1.5, 90.25, 2.5]
    assert run.replay["line"] == "node loop.mjs 1000"
    (said,) = run.replay["statements"]
    assert said["replayed"] == pytest.approx(80.25 / 2)
    assert "clock cycles" not in replay_cards.summary(run).text


def test_an_experiment_outside_of_the_checkout_is_replayed_from_a_copy(loop, tmp_path, monkeypatch):
    experiment = loop(LOOP + "import { writeFileSync } from 'node:fs'; writeFileSync('here', '');")
    monkeypatch.setenv("BENCHBOOK_ROOT", str(tmp_path / "elsewhere"))
    run, notes = play(experiment, tmp_path)
    assert notes == [] and run.complete
    assert not (experiment.folder / "here").exists()
    assert list((tmp_path / "elsewhere").glob(".benchbook/scratch/*/here"))


def test_a_shortened_loop_gets_fewer_iterations(loop, tmp_path):
    run, _ = play(loop(LOOP), tmp_path, shorten=10)
    assert run.replay["rows"][1]["replayed"]["ms"] == pytest.approx(9.025)
    assert "100 iterations instead of 1,000 iterations" in replay_cards.headline(run).text


def test_a_loop_that_takes_no_time_is_not_compared(loop, tmp_path):
    run, _ = play(loop(LOOP.replace("(ms * n) / 1000", "label === 'text' ? 0 : 3")), tmp_path)
    assert run.complete
    assert "b: 0 ms can't be compared" in run.replay["statements"][0]["missing"]


def test_a_loop_that_did_nothing_is_suspected(loop, tmp_path):
    run, _ = play(loop(LOOP.replace("['text', 1.5]", "['text', 0.0009]")), tmp_path)
    assert "0.9 ns, a few clock cycles" in replay_cards.summary(run).text


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("console.log('text: 1ms\\ntext: 2ms\\njson: 1ms')", "printed 1 of 2 figures of 'json'"),
        (LOOP + "process.exit(4)", "ended with exit code 4"),
        (LOOP + "throw new Error('out of luck')", "out of luck"),
    ],
)
def test_a_loop_that_does_not_do_as_it_says_is_explained(loop, tmp_path, code, words):
    run, notes = play(loop(code), tmp_path)
    assert any(words in note for note in notes)
    failed = [m for m in run.replay["measured"] if m["status"] == "failed"]
    assert failed and "run it by hand" in failed[0]["reason"]


def test_times_are_read_as_console_time_prints_them():
    text = "1: 108.867ms\n2: 3.896s\n1: 1:02.345 (m:ss.mmm)\na b: 1:00:02.000 (h:mm:ss.mmm)\n1: 5m"
    assert replay.printed(text + "s") == {
        "1": [108.867, pytest.approx(62345)],
        "2": [pytest.approx(3896)],
        "a b": [pytest.approx(3602000)],
    }


def test_node_itself_prints_what_is_read():
    code = (
        "console.time('x'); console.timeEnd('x'); console.time('y y');"
        "setTimeout(() => console.timeEnd('y y'), 1050)"
    )
    out = subprocess.run(["node", "-e", code], capture_output=True, text=True, timeout=30).stdout
    found = replay.printed(out)
    assert 0 < found["x"][0] < 1000 < found["y y"][0] < 30000


# ---- the command line and the notebook


def bench(*arguments, **more):
    environment = {**os.environ, "PYTHONPATH": str(paths.PACKAGE.parent)}
    command = [sys.executable, "-m", "benchbook", "race", *map(str, arguments)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
    )


def test_the_command_prints_the_table_and_writes_the_file(published, tmp_path):
    folder, file = published(WRK).folder, tmp_path / "f.json"
    process = bench(folder, "--as-published", "--shorten", 10, "--json", file)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "wrk -t 2 -c 10 -d 10s" in out and "SHORTENED 10 times" in out
    assert out.index("article: requests/s") < out.index("Why the two may differ")
    assert "b is faster than a" in out and f"run file: {file.name}" in out
    assert results.load(file).complete and "s left" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--shorten", "2"], "--shorten needs --as-published"),
        (["--as-published", "--full"], "--quick changes the article's method"),
        (["--as-published", "--tool", "ab"], "--tool changes the article's method"),
        (["--as-published", "--shorten", "0"], "--shorten"),
    ],
)
def test_options_that_contradict_are_refused(published, arguments, words):
    process = bench(published(WRK).folder, *arguments)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2 and words in err


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_a_valid_file_and_leaves_no_process(published, tmp_path, how):
    file = tmp_path / "f.json"
    table = WRK.replace("duration_seconds = 10", "duration_seconds = 2\nwarmup_seconds = 1")
    process = bench(
        published(table).folder, "--as-published", "--json", file, start_new_session=True
    )
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not runs_in(file):
            time.sleep(0.05)
        children = psutil.Process(process.pid).children(recursive=True)
        assert children
        process.send_signal(how)
        _, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 1 and "interrupted" in err
    _, alive = psutil.wait_procs(children, timeout=5)
    assert alive == []
    run = results.load(file)
    assert run.status == "incomplete" and run.reason == "interrupted"
    a, b = run.replay["measured"]
    assert a["status"] == "measured" and len(a["runs"]) == 1 and b["runs"] == []
    assert "INCOMPLETE" in replay_cards.summary(run).text
    assert run.replay["rows"][1]["note"] == "not measured yet"


def runs_in(file: Path) -> int:
    try:
        return sum(len(m["runs"]) for m in json.loads(file.read_text())["replay"]["measured"])
    except (OSError, ValueError):
        return 0


@pytest.fixture
def magics():
    yield ExperimentMagics(InteractiveShell.instance())
    InteractiveShell.clear_instance()


def test_the_magic_replays_and_leaves_the_last_race_alone(published, magics):
    magics.experiment(str(published(WRK).folder))
    with capture_output() as captured:
        magics.race("--as-published --shorten 10")
    assert magics.bench.run is None
    output = captured.outputs[-1]
    text, page = output.data["text/plain"], output.data["text/html"]
    assert "wrk -t 2 -c 10 -d 10s" in text and "SHORTENED 10 times" in text
    assert page.count("<table") == 2 and "article: requests/s" in page
    (file,) = (results.folder("77-made") / "as-published").glob("*.json")
    assert results.load(file).complete


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--shorten 10", "--as-published: is missing"),
        ("--as-published --full", "goes with --shorten N only"),
        ("--as-published --shorten 0", "must be at least 1"),
    ],
)
def test_the_magic_refuses_what_the_command_refuses(published, magics, line, words):
    magics.experiment(str(published(WRK).folder))
    with pytest.raises(Exception, match=words):
        magics.race(line)


def test_the_tools_of_these_tests_are_here():
    assert [name for name in ("wrk", "ab", "autocannon") if load.TOOLS[name].missing()] == []
