"""Real replays of a script that times itself."""

import subprocess

import pytest

from benchbook.race.kinds.functions.published import printed
from benchbook.show.cards import replay_cards
from replays import play

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
    rows = run.replay.rows
    assert [row.label for row in rows] == ["text, first", "json, first", "text, second"]
    assert [row.published["ms"] for row in rows] == [100, 4000, 90]
    assert [row.replayed["ms"] for row in rows] == [1.5, 90.25, 2.5]
    assert run.replay.line == "node loop.mjs 1000"
    (said,) = run.replay.statements
    assert said.replayed == pytest.approx(80.25 / 2)
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
    assert run.replay.rows[1].replayed["ms"] == pytest.approx(9.025)
    assert "100 iterations instead of 1,000 iterations" in replay_cards.headline(run).text


def test_a_loop_that_takes_no_time_is_not_compared(loop, tmp_path):
    run, _ = play(loop(LOOP.replace("(ms * n) / 1000", "label === 'text' ? 0 : 3")), tmp_path)
    assert run.complete
    assert "b: 0 ms can't be compared" in run.replay.statements[0].missing


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
    failed = [m for m in run.replay.measured if m.status == "failed"]
    assert failed and "run it by hand" in failed[0].reason


def test_times_are_read_as_console_time_prints_them():
    text = "1: 108.867ms\n2: 3.896s\n1: 1:02.345 (m:ss.mmm)\na b: 1:00:02.000 (h:mm:ss.mmm)\n1: 5m"
    assert printed(text + "s") == {
        "1": [108.867, pytest.approx(62345)],
        "2": [pytest.approx(3896)],
        "a b": [pytest.approx(3602000)],
    }


def test_node_itself_prints_what_is_read():
    code = (
        "console.time('x'); console.timeEnd('x'); console.time('y y');"
        "setTimeout(() => console.timeEnd('y y'), 1050)"
    )
    out = subprocess.run(["node", "-e", code], capture_output=True, text=True, timeout=120).stdout
    found = printed(out)
    assert 0 < found["x"][0] < 1000 < found["y y"][0] < 30000
