"""Real replays of servers under a load generator, shortened."""

import json
from dataclasses import replace

import pytest

from benchbook.load import installed
from benchbook.model import documents, results
from benchbook.race import replaying
from benchbook.race.record import RaceProgress
from benchbook.race.replay.replay import Figures
from benchbook.show.cards import replay_cards
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError
from made import SERVER
from replays import AB, AUTOCANNON, COUNTING, WRK, play


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


@pytest.mark.slow("replays an article's race for seconds")
def test_wrk_is_replayed_with_its_threads_and_connections(counted):
    run, seen = counted(WRK, 10)
    a, b = run.replay.measured
    assert a.status == b.status == "measured" and len(a.runs) == len(b.runs) == 1
    assert b.command[:7] == ["wrk", "-t", "2", "-c", "10", "-d", "1s"]
    assert b.runs[0].seconds > 0.9
    assert seen["connections"] >= 10 and seen["together"] == 1
    assert b.runs[0].requests <= seen["requests"]
    assert b.runs[0].server_cpu_seconds > 0 and b.runs[0].client_cpu_seconds > 0
    assert b.runs[0].started_seconds > a.runs[0].started_seconds + a.runs[0].seconds
    assert set(run.parity) == {"a", "b"}


@pytest.mark.slow("replays an article's race for seconds")
def test_ab_asks_as_often_as_it_says_and_on_new_connections(counted):
    run, seen = counted(AB, 500)
    b = run.replay.measured[1]
    assert [r.requests for r in b.runs] == [200, 200, 200] and seen["requests"] >= 600
    assert seen["connections"] >= 600
    best = max(r.figures["requests/s"] for r in b.runs)
    assert run.replay.rows[1].replayed["requests/s"] == best


@pytest.mark.slow("replays an article's race for seconds")
def test_autocannon_pipelines(counted, node_modules):
    run, seen = counted(AUTOCANNON, 40)
    b = run.replay.measured[1]
    assert b.command[-4:-1] == ["10", "--json", "--no-progress"]
    assert "100" in b.command and seen["together"] > 1 and seen["connections"] > 1
    assert run.replay.shortened == 40
    text = replay_cards.headline(run).text
    assert "SHORTENED 40 times: 1 s instead of 40 s" in text


@pytest.mark.slow("replays an article's race for seconds")
def test_progress_tells_the_time_left(published, tmp_path):
    ready = replaying.prepare(published(WRK), 10, tmp_path / "replay.json")
    events = [event for event in ready.events() if isinstance(event, RaceProgress)]
    assert {event.total for event in events} == {2}
    assert 1.5 < events[0].seconds_left < 4 and events[-1].seconds_left < events[0].seconds_left
    assert any("b, run 1 of 1" == event.doing for event in events)
    assert results.load(tmp_path / "replay.json").complete


@pytest.mark.slow("replays an article's race for seconds")
def test_a_variant_that_cant_run_is_named_and_the_others_go_on(published, tmp_path):
    extra = {"a": 'needs = ["npm:no-such-package"]'}
    run, notes = play(published(WRK, extra=extra), tmp_path, shorten=10)
    a, b = run.replay.measured
    assert a.status == "unavailable" and "no-such-package" in a.reason
    assert b.status == "measured" and run.complete
    assert "no-such-package" in notes[0] and run.entry("a").status == "unavailable"
    assert "unavailable: " in run.replay.rows[0].note
    (said,) = run.replay.statements
    assert said.replayed is None and said.missing.startswith("a: unavailable")


def test_a_missing_tool_makes_every_row_unavailable(published, tmp_path, monkeypatch):
    monkeypatch.setattr(installed, "missing", lambda tool: tool.name == "wrk")
    experiment = published(WRK)
    figures = (replace(experiment.claim.figures[0], void="failed"), experiment.claim.figures[1])
    with pytest.raises(BenchError, match="nothing could be replayed"):
        play(replace(experiment, claim=replace(experiment.claim, figures=figures)), tmp_path)
    run = results.load(tmp_path / "replay.json")
    assert {m.status for m in run.replay.measured} == {"unavailable"}
    assert "apt-get install wrk" in run.replay.rows[0].note
    void = [
        row.note.endswith("the article's figure is excluded: failed") for row in run.replay.rows
    ]
    assert void == [True, False]
    assert run.status == "incomplete" and "nothing could be replayed" in run.reason


FALLS = SERVER.replace(
    "response.setHeader", "if (++count > 500) process.exit(3);\n  response.setHeader"
).replace("const server", "let count = 0;\nconst server")


@pytest.mark.slow("replays an article's race for seconds")
def test_a_server_that_dies_in_mid_replay_is_named_and_the_others_go_on(published, tmp_path):
    table = WRK.replace("duration_seconds = 10", "duration_seconds = 30")
    experiment = published(table, {"a": FALLS, "b": SERVER})
    run, notes = play(experiment, tmp_path, shorten=15)
    a, b = run.replay.measured
    assert a.status == "failed" and a.runs == [] and "exit code 3" in a.reason
    assert b.status == "measured" and run.complete and len(notes) == 1
    assert run.replay.rows[0].note.startswith("failed: variant 'a'")


@pytest.mark.slow("replays an article's race for seconds")
def test_an_error_page_is_not_timed(published, tmp_path):
    wrong = SERVER.replace("response.end", "response.statusCode = 500; response.end")
    run, notes = play(published(WRK, {"a": SERVER, "b": wrong}), tmp_path, shorten=10)
    assert run.replay.measured[1].runs == []
    assert "status 500" in notes[0] and "error page" in notes[0]


@pytest.mark.slow("replays an article's race for seconds")
def test_errors_under_load_are_counted_and_said(published, tmp_path):
    some = SERVER.replace(
        "response.end", "if (++count % 10 === 0) response.statusCode = 503; response.end"
    ).replace("const server", "let count = 0;\nconst server")
    run, notes = play(published(WRK, {"a": SERVER, "b": some}), tmp_path, shorten=10)
    (only,) = run.replay.measured[1].runs
    assert 0 < only.failed < only.requests and "requests failed" in notes[0]
    assert "requests to b failed" in replay_cards.summary(run).text


@pytest.mark.parametrize(
    ("figures", "told"),
    [
        (
            Figures({}, requests=1000, failed=0, asked=2000, reused=0.0),
            "counted 1,000 of the 2,000",
        ),
        (Figures({}, requests=180, failed=25, asked=2000), "counted 180 of the 2,000"),
        (
            Figures({}, requests=1820, failed=0, asked=2000, reused=1.0),
            "counted 1,820 of the 2,000",
        ),
        (Figures({}, requests=2000, failed=2000, asked=2000), ""),  # answers with another status
        (Figures({}, requests=1990, failed=0, asked=2000), ""),
        (
            Figures({}, requests=6460, failed=0, sent=12978),
            "sent about 12,978 requests and counted",
        ),
        (Figures({}, requests=12000, failed=0, sent=12978), ""),  # a thousand were under way
        (Figures({}, requests=12000, failed=0), ""),
    ],
)
def test_what_a_tool_left_out_is_told(published, tmp_path, figures, told):
    ready = replaying.prepare(published(AUTOCANNON), path=tmp_path / "replay.json")
    said = ready.miscounted(figures)
    assert told in said and bool(told) == bool(said)
    assert ("closes connections" in said) == (figures.reused == 0.0)


def test_a_replay_that_compares_kept_with_closed_connections_says_so(published, tmp_path):
    ready = replaying.prepare(published(AB), path=tmp_path / "replay.json")
    for measured, speed, answers in zip(ready.measured, (1000, 3500), (1, 5), strict=True):
        figures = {"requests/s": float(speed), "ms": 1.0}
        measured.runs, measured.status = [Figures(figures)] * 3, "measured"
        tried = {"http": "1.0", "asked": 5, "answers": answers, "tool": True}
        ready.run.parity[measured.name] = {"connections": [tried]}
    ready.save()
    documents.check(json.loads((tmp_path / "replay.json").read_text()), "run", "replay.json")
    (said,) = ready.run.replay.statements
    assert said.replayed == 3.5 and "a closes its connections and b keeps them" in said.unlike
    assert "compares unlike things" in replay_cards.comparison(said)
