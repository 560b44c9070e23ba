"""Experiments whose variants are whole processes, which really run."""

import sys
from dataclasses import replace
from functools import partial

import pytest

from benchbook.analysis.judging import judge
from benchbook.model import experiments, results
from benchbook.race import prepare
from benchbook.race.kinds import registry
from benchbook.race.options import Options
from benchbook.show import sharing
from benchbook.show.cards import race_cards
from benchbook_kernels.base.errors import InputError
from made import write_experiment

HELLO = "console.log('hello');"
READS = "process.stdin.pipe(process.stdout);"
SHORT = {"launches": 1, "blocks": 1, "seconds": 0.02, "warmup": 0.0, "seed": 1}


def commands_in(folder, codes, table="", files={}):
    write_experiment(folder, codes)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    path = folder / "experiment.toml"
    text = path.read_text(encoding="utf-8")
    text = text.replace('[http]\npath = "/"\nconnections = 8', f"[commands]\n{table}")
    path.write_text(text, encoding="utf-8")
    return experiments.load(folder)


@pytest.fixture
def make_commands(tmp_path):
    """make_commands({"a": code}, "exit_code = 3", {"more.sh": text}) -> the experiment."""
    return partial(commands_in, tmp_path / "77-made")


@pytest.fixture(scope="module")
def greeting(tmp_path_factory):
    """Two programs that greet, and where their race is."""
    folder = tmp_path_factory.mktemp("greeting")
    experiment = commands_in(folder / "77-made", {"a": HELLO, "b": HELLO + " await 0;"})
    raced(experiment, folder, launches=2, blocks=2)
    return experiment, folder / "run.json"


def raced(experiment, tmp_path, **options):
    """The run of a short race, as its file has it."""
    asked = Options(**{**SHORT, **options}, path=tmp_path / "run.json")
    ready = prepare.prepare(experiment, asked)
    list(ready.events())
    return results.load(tmp_path / "run.json")


def failures(run):
    return {each.name: each.reason for each in run.entries if each.status == "failed"}


def test_commands_are_timed_whole_with_a_control(greeting):
    run = results.load(greeting[1])
    assert run.complete and run.unit == "runs/s"
    assert {s.variant for s in run.samples} == {"a", "a#2", "b"} and len(run.samples) == 12
    for sample in run.samples:
        assert sample.requests >= 1 and sample.seconds > 0
        assert sample.requests_per_second == pytest.approx(sample.requests / sample.seconds)
        assert set(sample.measures) == {"centre_ms", "user_ms", "system_ms", "peak_bytes"}
        assert {len(each) for each in sample.runs.values()} == {sample.requests}
        assert sum(sample.runs["seconds"]) == pytest.approx(sample.seconds)
        assert set(sample.runs["exit_code"]) == {0}
        assert sample.measures["user_ms"] > 0
        assert sample.measures["peak_bytes"] > 20e6  # Node.js: more than the program that starts it
    assert [each["bytes"] for each in run.parity.values()] == [len("hello\n")] * 3


def test_what_is_shown_of_them_are_their_times_and_memory(greeting):
    experiment, run = greeting[0], results.load(greeting[1])
    shown = race_cards.summary(run, judge.judge(run, experiment.claim)).text
    for heading in ("runs/s", "time", "user CPU", "system CPU", "peak memory"):
        assert heading in shown
    assert "whole processes in turns" in shown and "connection" not in shown


def test_a_race_of_commands_that_is_shared_stays_one(greeting):
    shared = sharing.anonymous(results.load(greeting[1]), greeting[0])
    found = results.from_document(shared, None)
    assert found.unit == "runs/s" and found.samples[0].measures


def test_the_rate_of_a_command_that_takes_seconds_is_no_zero(greeting):
    experiment, run = greeting[0], results.load(greeting[1])
    slow = {**run.samples[0].measures, "centre_ms": 1e3 / 0.37}
    run.samples = [replace(each, measures=slow) for each in run.samples]
    shown = race_cards.summary(run, judge.judge(run, experiment.claim)).text
    assert " 0.37 " in shown


def test_a_command_that_ends_in_another_way_is_out_and_says_what_it_said(make_commands, tmp_path):
    failing = "console.error('no such table'); console.log('hello'); process.exit(3);"
    experiment = make_commands({"a": HELLO, "b": failing})
    reason = failures(raced(experiment, tmp_path))["b"]
    assert "ended with exit code 3, not 0" in reason and "no such table" in reason
    assert "commands.exit_code" in reason


def test_an_exit_code_that_is_expected_is_no_failure(make_commands, tmp_path):
    found = make_commands({"a": "process.exit(3);", "b": "process.exit(3);"}, "exit_code = 3")
    assert failures(raced(found, tmp_path)) == {}


def test_a_command_that_writes_something_else_is_out(make_commands, tmp_path):
    codes = {"a": HELLO, "b": "console.log('goodbye');"}
    reason = failures(raced(make_commands(codes), tmp_path))["b"]
    assert "wrote 8 bytes" in reason and "not 6" in reason and 'commands.output = "any"' in reason
    assert failures(raced(make_commands(codes, 'output = "any"'), tmp_path)) == {}


def test_arguments_and_input_reach_every_command(make_commands, tmp_path):
    echo = f"process.stdout.write(process.argv[2]); {READS}"
    table = 'arguments = ["first word"]\ninput = "words.txt"'
    found = make_commands({"a": echo, "b": echo}, table, {"words.txt": "second"})
    run = raced(found, tmp_path)
    assert failures(run) == {} and run.parity["a"]["bytes"] == len("first wordsecond")
    line = registry.of(found).by_hand(found, found.variant("a"))
    assert line.endswith("words.txt") and "'first word' < " in line and "PORT" not in line


@pytest.mark.slow("builds a C# program")
def test_a_program_that_is_built_runs_from_any_folder_and_is_prepared_by_one(
    make_commands, tmp_path
):
    app = '#:property PublishAot=false\nConsole.WriteLine("hello");\n'
    found = make_commands({"a": HELLO, "b": HELLO}, 'prepare = "p.cs"', {"p.cs": app, "b.cs": app})
    path = found.folder / "experiment.toml"
    path.write_text(path.read_text().replace("b.mjs", "b.cs"), encoding="utf-8")
    assert failures(raced(experiments.load(found.folder), tmp_path)) == {}


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_a_command_ends_where_nobody_reads_what_it_writes(make_commands, tmp_path):
    script = "while :; do echo y; done | head -n 1\n"
    found = make_commands({"a": "console.log('y')", "b": ""}, "", {"b.sh": script})
    path = found.folder / "experiment.toml"
    path.write_text(path.read_text().replace("b.mjs", "b.sh"), encoding="utf-8")
    assert failures(raced(experiments.load(found.folder), tmp_path)) == {}


def test_what_good_runs_said_is_no_reason_of_a_bad_one(make_commands, tmp_path):
    counted = (
        "import { appendFileSync, statSync } from 'node:fs'; appendFileSync(process.argv[2], 'x');"
        "if (statSync(process.argv[2]).size > 2) process.exit(3); console.error('all is well');"
    )
    table = f'arguments = ["{tmp_path / "count"}"]\noutput = "any"'
    found = make_commands({"a": "", "b": counted}, table)
    reason = failures(raced(found, tmp_path, blocks=2))["b"]
    assert "exit code 3" in reason and "all is well" not in reason


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_what_is_prepared_is_prepared_before_each_run(make_commands, tmp_path):
    script = f"printf x >> '{tmp_path}/log'\n"
    found = make_commands({"a": HELLO, "b": HELLO}, 'prepare = "p.sh"', {"p.sh": script})
    run = raced(found, tmp_path, launches=2)
    first_runs = 1 + 3 * 2  # to plan, and of each entry in each launch, before it is timed
    assert len((tmp_path / "log").read_text()) == first_runs + sum(
        sample.requests for sample in run.samples + run.warmups
    )


def test_what_can_not_be_prepared_is_said(make_commands, tmp_path):
    found = make_commands({"a": HELLO, "b": HELLO}, 'prepare = "p.mjs"', {"p.mjs": "nonsense()"})
    with pytest.raises(Exception, match="commands.prepare failed"):
        raced(found, tmp_path)
    found = make_commands({"a": HELLO, "b": HELLO}, 'prepare = "p.zip"', {"p.zip": ""})
    with pytest.raises(InputError, match="commands.prepare"):
        prepare.prepare(found, Options(**SHORT))


def test_a_file_that_is_not_there_is_named(make_commands):
    with pytest.raises(InputError, match="commands.input"):
        make_commands({"a": HELLO, "b": HELLO}, 'input = "nowhere.txt"')


def test_a_command_that_never_ends_is_ended(make_commands, tmp_path):
    found = make_commands({"a": "", "b": "setInterval(() => 0, 1e6);"}, 'output = "any"')
    found = replace(found, kind=replace(found.kind, longest_seconds=5.0))
    assert "did not end within 5 s" in failures(raced(found, tmp_path))["b"]


@pytest.mark.skipif(sys.platform != "linux", reason="peaks are known there, or not at all")
def test_peaks_that_are_only_known_to_be_small_are_said_to_be_so(make_commands, tmp_path):
    found = make_commands({"a": "", "b": ""}, 'output = "any"', {"a.sh": "exit 0\n"})
    path = found.folder / "experiment.toml"
    path.write_text(path.read_text().replace("b.mjs", "a.sh"), encoding="utf-8")
    run = raced(experiments.load(found.folder), tmp_path)
    peak = run.kind.columns(run)[-1]
    assert peak.at_most("b") and not peak.at_most("a")
    shown = race_cards.summary(run, judge.judge(run, experiments.load(found.folder).claim)).text
    assert " ≤ " in shown and not any("peak memory" in text for text in run.messages)
