"""Commands that were typed, which really run: what is run around them, how often, and the end."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace

import pytest

from benchbook.compare import commands, question
from benchbook.compare.commands import CommandOptions
from benchbook.model import results
from benchbook.model.variants import Mode
from benchbook.race import prepare, service
from benchbook.race.kinds.commands import executor
from benchbook.race.kinds.commands.timing import CommandTimer, Line
from benchbook.race.options import Options, RaceRequest
from benchbook_kernels.base.errors import BenchError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="commands of a POSIX shell")


class Silent:
    """An audience that never sees a race."""

    def say(self, text):
        pass

    wait = say


@pytest.fixture
def ready(tmp_path, monkeypatch):
    """ready("cmd a", "cmd b", seconds=0.1, runs=4) -> a race of typed commands, in tmp_path."""
    monkeypatch.chdir(tmp_path)

    def make(*typed, seconds=0.05, until=None, interleaved=True, within=None, **options):
        given = CommandOptions(**options)
        found = commands.variants(typed, given)
        kind, mode = commands.kind(found, given), Mode(seconds, 1.0)
        asked = question.Question(kind, tuple(found), mode, tmp_path)
        path = tmp_path / "run.json"
        chosen = Options(
            path=path, until=until, interleaved=interleaved, within=within, seed=1, minutes=1.0
        )
        return prepare.prepare(asked.experiment(), chosen)

    return make


def ran(race):
    """The run of a race, as its file has it."""
    list(race.events())
    return results.load(race.run.path)


def runs_of(run, name):
    """How often an entry was run and timed."""
    samples = [s for s in run.samples if s.variant == name]
    assert all({len(v) for v in s.runs.values()} == {s.requests} for s in samples)
    return sum(s.requests for s in samples)


def logged(tmp_path):
    return (tmp_path / "log").read_text().split()


def test_each_is_run_exactly_so_often_over_several_launches(ready):
    run = ran(ready("true", "exit 0", runs=13, shell="sh"))
    assert {e.name: runs_of(run, e.name) for e in run.entries} == {
        "true": 13,
        "true#2": 13,
        "exit 0": 13,
    }
    assert run.plan.launches >= 3 and {s.launch for s in run.samples} == set(
        range(run.plan.launches)
    )


@pytest.mark.parametrize("options, expected", [({"runs": 1}, 1), ({"runs": 2}, 2)])
def test_few_runs_are_few(ready, options, expected):
    assert runs_of(ran(ready("true", **options)), "true#2") == expected


def test_at_least_ten_and_at_most_what_is_said(ready):
    assert runs_of(ran(ready("sleep 0.02", seconds=0.01)), "sleep 0.02") >= 10
    run = ran(ready("true", seconds=2.0, max_runs=12))
    assert runs_of(run, "true") == 12


def test_until_it_is_narrow_a_race_begins_with_a_pilot(ready):
    race = ready("sleep 0.01", "sleep 0.02", seconds=0.5, until=0.9)
    assert race.plan.pilot == race.plan.launches <= 5
    race.needed = lambda run: race.plan.launches + 2
    run = ran(race)
    assert run.complete and {s.launch for s in run.samples} == set(range(run.plan.pilot + 2))


def test_one_after_another_where_that_is_wanted(ready, tmp_path):
    run = ran(ready("echo a >> log", "echo b >> log", runs=12, interleaved=False))
    assert {e.name: runs_of(run, e.name) for e in run.entries if e.role != "control"} == {
        "echo a >> log": 12,
        "echo b >> log": 12,
    }
    assert re.search("b{4}", "".join(logged(tmp_path)))


def test_runs_take_turns(ready, tmp_path):
    ran(ready("echo a >> log", "echo b >> log", runs=8))
    order = logged(tmp_path)
    assert Counter(order)["a"] >= 16 and Counter(order)["b"] >= 8
    blocks = re.findall("b(?:a{1,4}b)+", "".join(order))
    assert sum(map(len, blocks)) > len(order) / 2  # never all of one after the other


def test_what_is_run_around_them_comes_in_its_place(ready, tmp_path):
    ran(
        ready(
            *("echo a >> log", "echo b >> log"),
            runs=3,
            warmup=2,
            setup="echo S >> log",
            prepare=("echo p >> log", "echo q >> log"),
            conclude=("echo x >> log", "echo y >> log"),
            cleanup="echo C >> log",
        )
    )
    words = "".join(logged(tmp_path))
    assert words.startswith("SS") and words.endswith("CC")  # the copy is not set up again
    assert words.count("S") == words.count("C") == 2
    assert re.fullmatch("(pax|qby)+", words[2:-2])
    assert words.count("qby") == 2 + 3 and words.count("pax") == 2 + 3 + 3  # the copy's, too


@pytest.mark.parametrize("options, untimed", [({}, 1), ({"warmup": 2}, 2), ({"warmup": 5}, 5)])
def test_few_runs_are_not_timed_and_each_knows_its_number(ready, tmp_path, options, untimed):
    number = "sleep 0.05; echo {}$HYPERFINE_ITERATION >> log"
    set_up = {"setup": number.format("s"), "prepare": (number.format("p"),)}
    run = ran(
        ready(number.format("a"), number.format("b"), shell="sh", runs=7, **set_up, **options)
    )
    names = logged(tmp_path)
    before = [f"warmup-{each}" for each in range(untimed)]
    timed = [str(each) for each in range(7)]
    assert sorted(each[1:] for each in names if each[0] == "b") == sorted([*before, *timed])
    assert sorted(each[1:] for each in names if each[0] == "a") == sorted([*before, *timed, *timed])
    assert names.count("s") == 2 and names.count("p3") == 3
    assert run.plan.launches > 1


def test_what_takes_no_more_than_the_shell_has_three_untimed_runs_at_most(ready, tmp_path):
    ran(ready("true", "echo b >> log", shell="sh", runs=6))
    assert 6 + 1 <= len(logged(tmp_path)) <= 6 + 3


def test_what_is_set_up_is_cleaned_up_however_it_ends(ready, tmp_path):
    around = {"setup": "echo S >> log", "cleanup": "echo C >> log"}
    with pytest.raises(BenchError, match="ended with exit code 3"):
        ready("true", "exit 3", **around)
    assert logged(tmp_path) == ["S", "S", "C", "C"]
    race = ready("true", "exit 0", seconds=5.0, **around)
    events = race.events()
    while not race.run.samples:
        next(events)
    events.close()
    assert logged(tmp_path)[4:] == ["S", "S", "C", "C"]
    assert results.load(race.run.path).reason == "interrupted"


def test_what_is_set_up_is_cleaned_up_where_a_race_ends_before_it_begins(ready, tmp_path):
    race = ready("true", setup="echo S >> log", cleanup="echo C >> log")
    race.executor.close()  # of this one only the experiment is wanted
    (tmp_path / "log").unlink()

    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(service, "expected_effect", interrupt)
        service.race(race.experiment, RaceRequest(anyway=True), Options(), Silent())
    assert logged(tmp_path) == ["S", "C"]


def test_a_cleanup_that_fails_is_said(ready):
    run = ran(ready("true", runs=2, setup="true", cleanup="echo no such thing >&2; exit 4"))
    assert any("--cleanup failed: it ended with exit code 4" in each for each in run.messages)
    assert any("no such thing" in each for each in run.messages) and run.complete


@pytest.mark.parametrize(
    "options, told",
    [
        ({"setup": "exit 2"}, "--setup failed: it ended with exit code 2"),
        ({"prepare": ("exit 2",)}, "--prepare failed: it ended with exit code 2"),
        ({"conclude": ("exit 2",)}, "--conclude failed: it ended with exit code 2"),
        ({"shell": "/nowhere/sh"}, "can't be started: /nowhere/sh"),
    ],
)
def test_what_fails_around_them_is_said(ready, options, told):
    with pytest.raises(BenchError, match=told):
        ready("true", **options)


def test_a_command_that_fails_says_what_it_said_and_what_to_do(ready):
    with pytest.raises(BenchError, match="no such table") as caught:
        ready("true", "echo no such table >&2; exit 1")
    assert "exit code 1" in caught.value.message and "--ignore-failure" in caught.value.remedy
    with pytest.raises(BenchError, match="nowhere-at-all"):
        ready("nowhere-at-all 1", shell="none")


def test_failures_are_ignored_where_that_is_wanted_and_kept(ready):
    run = ran(ready("true", "exit 3", "kill -9 $$", runs=4, ignore_failure=True))
    codes = {s.variant: set(s.runs["exit_code"]) for s in run.samples}
    assert codes == {"true": {0}, "true#2": {0}, "exit 3": {3}, "kill -9 $$": {-9}}
    assert any("ignored: exit 3, kill -9 $$" in each for each in run.messages)


def test_one_that_fails_later_is_out_and_the_others_go_on(ready, tmp_path):
    run = ran(ready("true", "exit 0", "echo x >> log; test $(wc -l < log) -lt 16", runs=30))
    assert [e.status for e in run.entries] == ["raced", "raced", "raced", "failed"]
    assert "ended with exit code 1" in run.entries[3].reason and runs_of(run, "exit 0") == 30


def test_the_shells_own_time_is_taken_off(ready):
    run = ran(ready("sleep 0.02", "sleep 0.021", runs=10))
    starts = {s.measures["start_ms"] for s in run.samples}
    assert len(starts) == run.plan.launches and min(starts) > 0  # measured in each launch
    for sample in run.samples:
        least = 1e3 * min(sample.runs["seconds"]) - sample.measures["start_ms"]
        assert 1e3 / run.speed(sample) > 0.999 * least > 0
    assert any("the shell's own time (sh -c '' takes" in each for each in run.messages)


def test_without_a_shell_nothing_is_taken_off(ready):
    run = ran(ready("sleep 0.01", runs=4, shell="none"))
    assert not any("start_ms" in s.measures for s in run.samples)
    assert not any("shell" in each for each in run.messages)


def test_what_takes_no_more_than_the_shell_is_not_told_from_it(ready, monkeypatch):
    monkeypatch.setattr(executor, "LOST_IN_SHELL", 1e6)  # a busy machine may delay any run
    run = ran(ready(":", "exit 0", runs=10, shell="sh"))
    assert not any("start_ms" in s.measures for s in run.samples)
    assert any("nothing is taken off" in e and "--shell none" in e for e in run.messages)
    assert not any("takes less than 5 ms" in each for each in run.messages)


def test_output_goes_where_it_is_wanted(ready, tmp_path, capfd):
    ran(ready("echo hello", runs=3, output=str(tmp_path / "out.txt")))
    assert (tmp_path / "out.txt").read_text() == "hello\n"
    # `head` ends early where nobody reads; a pipe is read to its end
    ran(ready("yes | head -c 1000000; echo done >> log", runs=3, output="pipe"))
    assert len(logged(tmp_path)) >= 6
    capfd.readouterr()
    ran(ready("echo shown; echo told >&2", runs=2, output="inherit"))
    shown = capfd.readouterr()
    assert shown.out.count("shown") >= 4 and shown.err.count("told") >= 4


def test_each_reads_the_input_from_its_start(ready, tmp_path):
    (tmp_path / "in.txt").write_text("word\n")
    ran(ready("cat >> log", runs=3, input="in.txt"))
    assert set(logged(tmp_path)) == {"word"} and len(logged(tmp_path)) >= 6


def test_where_the_stack_begins_is_changed_from_run_to_run(ready, tmp_path):
    ran(ready("echo ${#HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET} >> log", runs=12))
    lengths = [int(each) for each in logged(tmp_path)]
    assert len(set(lengths)) > len(lengths) / 2 and max(lengths) > 500


def test_a_command_finds_the_environment_that_it_always_finds(ready, tmp_path, monkeypatch):
    for name in ("NODE_ENV", "NUGET_SCRATCH", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("FORCE_COLOR", "1")
    ran(ready("env >> log", runs=2))
    ours = ("NODE_ENV=", "DOTNET_TC", "NUGET_SCRATCH=", "CLICOLOR_FORCE=")
    found = {each for each in logged(tmp_path) if each.startswith((*ours, "TMPDIR=", "FORCE_"))}
    assert found == {f"TMPDIR={tmp_path}", "FORCE_COLOR=1"}


def test_what_the_launcher_changes_is_as_it_was_for_a_command(ready, tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mine").write_text(
        "#!/bin/sh\necho ${PYTHONNOUSERSITE-unset} $PYTHONPATH $PYTHONHOME"
    )
    (tmp_path / "bin" / "mine").chmod(0o755)
    monkeypatch.setenv("BENCHBOOK_OUTER_PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("BENCHBOOK_OUTER_PYTHONPATH", "/theirs")
    monkeypatch.setenv("BENCHBOOK_OUTER_PYTHONHOME", "/home")
    monkeypatch.setenv("PYTHONNOUSERSITE", "1")
    ran(ready("mine >> log", runs=2))
    ran(ready("mine --by-itself", runs=2, shell="none", output=str(tmp_path / "out")))
    assert set(logged(tmp_path)) == {"unset", "/theirs", "/home"}
    assert (tmp_path / "out").read_text() == "unset /theirs /home\n"


def test_a_command_and_what_it_started_may_tidy_up_where_the_race_is_ended(ready, tmp_path):
    tidy = "trap 'echo tidied >> log; exit 1' TERM; echo $$ >> log; sleep 50 & wait"
    executor = ready("true", runs=2).executor
    line = Line(["sh", "-c", tidy], tmp_path, {})
    executor.timer = CommandTimer.start(executor.keeper, [line], 100.0)
    asked = b'{"rounds": [[[0, 0]]], "least": 1, "most": 1, "seconds": 0}\n'
    executor.timer.dialogue.questions.write(asked)
    executor.timer.dialogue.questions.flush()
    while not (tmp_path / "log").exists() or not logged(tmp_path):
        time.sleep(0.01)
    process = int(logged(tmp_path)[0])
    executor.close()
    assert logged(tmp_path)[1:] == ["tidied"]
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_what_runs_too_long_is_ended_with_what_it_started(ready, tmp_path):
    executor = ready("true", runs=2).executor
    line = Line(["sh", "-c", "sleep 77.25 & echo $! > log; sleep 77.25"], tmp_path, {})
    executor.timer = CommandTimer.start(executor.keeper, [line], 0.5)
    told = executor.timer.run([[(0, 0)]], 1, 1)
    assert "did not end within 0.5 s" in told.failed[0].problem
    with contextlib.suppress(ProcessLookupError):
        for _ in range(100):
            os.kill(int(logged(tmp_path)[0]), 0)
            time.sleep(0.05)
        raise AssertionError("its child still runs")
    executor.close()


def test_blocks_have_as_many_runs_as_are_dealt_to_them(ready):
    race = ready("sleep 0.01", seconds=1.5)
    race.executor.deal.learn = lambda: None
    deal, plan = race.executor.deal, race.plan
    most = [deal.of(block, plan.sample_seconds)[1] for block in range(deal.blocks)]
    run = ran(race)
    had = [s.requests for s in run.samples if s.variant == "sleep 0.01"]
    fewer = [mine < wanted for mine, wanted in zip(had, most, strict=True)]
    # only where it took far longer than planned, on a busy machine
    assert all(mine <= wanted for mine, wanted in zip(had, most)) and not all(fewer)


def test_time_that_is_over_ends_a_race_but_not_before_each_has_its_runs(ready):
    race = ready("true", seconds=3.0, min_runs=3)
    assert race.executor.deal.may_be_cut(race.plan)
    race.options = replace(race.options, within=1e-9)
    run = ran(race)
    assert run.plan.blocks == 2 and run.complete and runs_of(run, "true") >= 3
    for given in ({"runs": 12}, {"min_runs": 1000}, {"max_runs": 12}):
        race = ready("true", seconds=3.0, within=1e-9, **given)
        assert race.options.within is None
        race.executor.close()


def test_ctrl_c_ends_all_and_keeps_what_is_there(tmp_path):
    code = (
        "import sys; from benchbook.commands.cli import main\n"
        "main(['compare', '--anyway', '--for', '60s', '--json', 'run.json', 'sleep 0.01', "
        "'sleep 0.011', '--setup', 'true', '--cleanup', 'echo C >> log'])"
    )
    with (tmp_path / "out").open("wb") as out:
        process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=out)
        try:
            deadline = time.monotonic() + 60
            while not samples_in(tmp_path / "run.json") and time.monotonic() < deadline:
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 130
        finally:
            process.kill()
            process.wait()
    run = results.load(tmp_path / "run.json")
    assert run.samples and run.reason == "interrupted" and logged(tmp_path) == ["C", "C"]
    assert "sleep 0.011" in (tmp_path / "out").read_text()


def samples_in(path):
    return len(results.load(path).samples) if path.exists() else 0
