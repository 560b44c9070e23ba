"""Commands as they were typed: what becomes of them, and of hyperfine's options, without a run."""

import os
import sys
from dataclasses import replace

import click
import pytest

from benchbook.compare import asking, command_options, commands, programs_given
from benchbook.compare.commands import CommandOptions
from benchbook.compare.given import expanding, places
from benchbook.compare.given.asked import Given
from benchbook.model.kinds.commands import Around, RunCount
from benchbook.programs import readiness, runners
from benchbook_kernels.base.errors import InputError

NAP = "sleep 0.1"
posix = pytest.mark.skipif(sys.platform == "win32", reason="its shell is another")


def made(*typed, **options):
    """(variants, how they are run) of commands that were typed."""
    given = CommandOptions(**options)
    found = commands.variants(typed, given)
    return found, commands.kind(found, given)


def options_of(*words):
    """What the command line says, read as `compare` reads it."""
    seen = {}
    params = [*command_options.COMMAND_OPTIONS, click.Argument(["things"], nargs=-1)]
    command = click.Command("compare", params=params, callback=lambda **values: seen.update(values))
    command.main(list(words), standalone_mode=False)
    return command_options.command_options(seen), command_options.exports(seen), seen["things"]


@posix
def test_a_command_is_given_to_the_shell_that_is_wanted():
    assert made(NAP)[0][0].words == ("sh", "-c", NAP)
    found, kind = made(NAP, shell="bash --norc")
    assert found[0].words == ("bash", "--norc", "-c", NAP)
    assert kind.shell == ("bash", "--norc", "-c")
    found, kind = made("sleep '0.1'", shell="none")
    assert found[0].words == ("sleep", "0.1") and kind.shell == ()


def test_each_runs_where_it_was_typed_with_a_name_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    long = "find / -name '*.txt' -print0 | xargs -0 wc -l | sort -n"
    found, _ = made(NAP, NAP, long, f"{NAP}#2")
    names = [v.name for v in found]
    assert names[:2] == [NAP, f"{NAP} (2)"] and names[3] == f"{NAP}#2 (2)"
    assert len(names[2]) <= 32 and "…" in names[2]
    assert {v.folder for v in found} == {tmp_path} and found[2].title == long
    assert [v.path.read_text() for v in found][2] == long + "\n"


def test_the_name_of_a_program_stands_for_its_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("print(1)")
    found, kind = made("a.py", "a.py --fast", shell="none")
    assert found[0].path == tmp_path / "a.py" and not found[0].words and found[0].name == "a.py"
    assert found[0].folder == tmp_path and found[1].words == ("a.py", "--fast")


@posix
def test_a_program_that_the_system_runs_is_run_by_it_whatever_its_ending(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, first in {
        "a.out": "#!/bin/sh",
        "prog-1.2": "#!/bin/sh",
        "b.sh": "#!/bin/bash",
    }.items():
        (tmp_path / name).write_text(f"{first}\nexit 0\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "c.sh").write_text("exit 0\n")  # names no interpreter
    (tmp_path / "c.sh").chmod(0o755)
    (tmp_path / "d.sh").write_text("#!/bin/bash\n")  # is not executable
    found, _ = made("./a.out", "prog-1.2", "./b.sh", "c.sh", "d.sh")
    lines = [runners.of(each).command(each, {}, tmp_path) for each in found]
    here = [[str(tmp_path / name)] for name in ("a.out", "prog-1.2", "b.sh")]
    assert lines == [*here, ["sh", str(tmp_path / "c.sh")], ["sh", str(tmp_path / "d.sh")]]
    assert not any(readiness.unavailable(each) for each in found)
    (server,) = programs_given.variants(["prog-1.2"], tmp_path)
    assert runners.of(server).command(server, {}, tmp_path) == here[1]


def test_a_command_may_be_longer_than_the_name_of_a_file_can_be(tmp_path):
    long = "echo " + "a" * 300
    (found,) = commands.variants([long], CommandOptions(), tmp_path)
    assert found.title == long and places.file_named(long, tmp_path) == ""


@posix
def test_what_is_run_around_them_is_once_for_all_or_one_for_each():
    found, kind = made("a", "b", prepare=("sync",), setup="make", cleanup="make clean")
    by = lambda text: ("sh", "-c", text)  # noqa: E731
    assert set(kind.around.values()) == {Around(by("make"), by("sync"), (), by("make clean"))}
    found, kind = made("a", "b", prepare=("p", "q"), conclude=("r", "s"))
    assert kind.around_of("b") == Around((), by("q"), by("s"), ())
    assert kind.around_of("a#2") == kind.around_of("a")
    with pytest.raises(InputError, match="given 2 times, but there are 3 commands"):
        made("a", "b", "c", prepare=("p", "q"))


@posix
def test_what_is_run_around_a_command_is_so_with_all_that_it_is_given():
    options, given = CommandOptions(prepare=("p", "q")), Given(env=("X=0,1",))
    found = commands.variants(["a", "b"], options)
    with expanding.places(["a", "b"], given, print) as (place,):
        found = expanding.expanded([(place, found)], expanding.asked(given, print, found))
    kind = commands.kind(found, options)
    assert [kind.around[each.name].prepare[-1] for each in found] == ["p", "p", "q", "q"]


@posix
def test_parameters_reach_what_is_run_around():
    lists = (("cc", "gcc,clang"),)
    _, kind = made("./{cc}/run", parameter_lists=lists, setup="make CC={cc}", prepare=("rm {cc}",))
    assert kind.around["./clang/run"].setup[-1] == "make CC=clang"
    assert kind.around["./gcc/run"].prepare[-1] == "rm gcc"


def test_setups_that_would_undo_each_other_are_refused():
    lists = (("cc", "gcc,clang"),)
    with pytest.raises(InputError, match="would be undone.*interleaved"):
        made("./run", parameter_lists=lists, setup="make CC={cc}")
    made("./run", parameter_lists=lists, prepare=("make CC={cc}",))


def test_a_reference_is_what_the_others_are_compared_with():
    found, _ = made("b", "c", reference="a", reference_name="old")
    assert [(v.name, v.words[-1]) for v in found] == [("old", "a"), ("b", "b"), ("c", "c")]


@pytest.mark.parametrize(
    "given, expected",
    [
        ({}, RunCount(10)),
        ({"runs": 7}, RunCount(7, 7)),
        ({"max_runs": 5}, RunCount(5, 5)),
        ({"max_runs": 50}, RunCount(10, 50)),
        ({"min_runs": 3, "warmup": 2}, RunCount(3, None, 2)),
        ({"min_runs": 3, "max_runs": 4}, RunCount(3, 4)),
    ],
)
def test_runs_are_counted_as_hyperfine_does(given, expected):
    assert made(NAP, **given)[1].count == expected


@pytest.mark.parametrize(
    "given, message",
    [
        ({"runs": 7, "min_runs": 3}, "--runs: goes against"),
        ({"min_runs": 7, "max_runs": 3}, "more than --max-runs"),
        ({"runs": 0}, "--runs: is 0"),
        ({"min_runs": -1}, "--min-runs: is -1"),
        ({"max_runs": True}, "--max-runs: is True"),
        ({"warmup": 0.5}, "--warmup: is 0.5"),
        ({"shell": "  "}, "--shell: is empty"),
        ({"shell": "none", "prepare": ("echo 'x",)}, "can't be split into words"),
        ({"input": "nowhere.txt"}, "there is no file nowhere.txt"),
        ({"output": "somewhere"}, "there is no 'somewhere'"),
        ({"output": "./nowhere/file"}, "there is no folder"),
        ({"output": "/"}, "is a folder"),
    ],
)
def test_what_makes_no_sense_is_said(given, message):
    with pytest.raises(InputError, match=message):
        made(NAP, **given)


def test_input_and_output_are_files_or_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_text("x")
    _, kind = made(NAP, input="in.txt", output="./out.txt")
    assert kind.input == tmp_path / "in.txt" and kind.output == str(tmp_path / "out.txt")
    _, kind = made(NAP, input="null", output="pipe", ignore_failure=True)
    assert (kind.input, kind.output, kind.exit_code) == (None, "pipe", None)


def test_a_python_programs_paths_begin_in_the_folder_that_it_names(tmp_path):
    (tmp_path / "in.txt").write_text("x")
    paths = {"input": "in.txt", "output": "./out.txt", "inputs": "values.mjs"}
    wanted = asking.request_by_keywords([NAP], folder=tmp_path, **paths)
    _, kind = made(NAP, **{name: getattr(wanted.typed_as, name) for name in ("input", "output")})
    assert kind.input == tmp_path / "in.txt" and kind.output == str(tmp_path / "out.txt")
    assert wanted.inputs == tmp_path / "values.mjs"
    words = {"input": "null", "output": "pipe"}
    wanted = asking.request_by_keywords([NAP], folder=tmp_path, **words).typed_as
    assert (wanted.input, wanted.output) == ("null", "pipe")


def test_flags_are_hyperfines():
    given, exports, things = options_of(
        *("-w", "3", "-m", "5", "-M", "9", "-s", "S", "-p", "P", "-p", "Q", "-C", "R", "-c", "T"),
        *("-L", "v", "1,2", "-N", "-i", "-n", "name", "-u", "second", "--sort", "mean-time"),
        *("--export-json", "-", "--export-csv", "x.csv", "cmd {v}", "cmd"),
    )
    assert given == CommandOptions(
        warmup=3,
        min_runs=5,
        max_runs=9,
        setup="S",
        prepare=("P", "Q"),
        conclude=("R",),
        cleanup="T",
        parameter_lists=(("v", "1,2"),),
        shell="none",
        ignore_failure=True,
        names=("name",),
        exports=("json", "csv"),
    )
    assert exports.files == {"json": "-", "csv": "x.csv"} and exports.unit == "second"
    assert exports.sort == "mean-time" and things == ("cmd {v}", "cmd")
    given, _, _ = options_of("-P", "n", "-1", "8", "-D", "3", "-r", "20", "-S", "zsh", "x {n}")
    assert given.parameter_scan == ("n", "-1", "8") and given.parameter_step_size == "3"
    assert given.runs == 20 and given.shell == "zsh"
    assert options_of("--show-output", "x")[0].output == "inherit"


@pytest.mark.parametrize(
    "words, message",
    [
        (("-N", "-S", "zsh", "x"), "-N: goes against"),
        (("--show-output", "--output", "pipe", "x"), "goes against --output"),
        (("--export-csv", os.sep, "x"), "is a folder"),
    ],
)
def test_flags_that_go_against_each_other_are_said(words, message):
    with pytest.raises(InputError, match=message):
        options_of(*words)


def test_python_says_the_same_by_keywords():
    given = {"warmup_runs": 3, "runs": 7, "prepare": ("sync",), "shell": "none", "names": ("a",)}
    asked = asking.request_by_keywords([NAP], setup="make", **given)
    wanted = CommandOptions(3, runs=7, prepare=("sync",), shell="none", names=("a",), setup="make")
    assert asked.typed_as == wanted and asked.given.setup == "make"
    with pytest.raises(InputError, match="no option 'warm_runs'"):
        asking.request_by_keywords([NAP], warm_runs=3)


def test_what_is_said_of_commands_can_be_told_from_what_is_not():
    assert CommandOptions().given_flags() == []
    said = replace(CommandOptions(), warmup=1, names=("a",), exports=("csv",))
    assert said.given_flags() == ["--warmup", "--command-name", "--export-csv"]
