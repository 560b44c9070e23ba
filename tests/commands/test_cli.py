"""The command line as a user meets it: exit codes, messages, run files, and nothing left behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import psutil
import pytest
from click.testing import CliRunner

from benchbook.analysis.judging import judge, judgement_json, verdicts
from benchbook.commands import cli
from benchbook.model import documents, results
from benchbook.model.experiments import find
from benchbook.setup import overview
from benchbook.system import paths, tidying
from calling import call
from walk import commands

QUICK = ["--launches", "2", "--blocks", "2", "--seconds", "0.2", "--seed", "3"]


@pytest.fixture
def bench(tmp_path):
    """bench("race", …) -> the finished process; runs in a folder of its own."""

    def run(*arguments, **more):
        return subprocess.run(
            command(*arguments),
            capture_output=True,
            text=True,
            timeout=120,
            cwd=tmp_path,
            **{"env": environment(), **more},
        )

    return run


def command(*arguments) -> list[str]:
    return [sys.executable, "-m", "benchbook", *map(str, arguments)]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": paths.pythonpath()}


def test_a_terminal_without_our_signs_gets_others(bench):
    env = {**environment(), "PYTHONIOENCODING": "latin-1"}
    done = bench("race", "04", "--minutes", "5", env=env, encoding="latin-1")
    assert done.returncode == 2 and "needs --until\n  ? or --launches" in done.stderr


COMMANDS = dict(commands(cli.main))
# nbformat and jupyter_client, 0.2 s, are imported by export, convert and kernels
HEAVY = {"numpy", "scipy", "plotly", "benchbook.race.race"}


@pytest.mark.parametrize("asked", [[], ["-h"], ["--help"], ["help"]])
def test_help_is_a_table_of_sentences_and_imports_nothing_that_takes_long(asked):
    code = "import sys; from benchbook.__main__ import main; main(); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, *asked], capture_output=True, text=True, env=environment()
    )
    *told, modules = done.stdout.splitlines()
    assert done.returncode == 0 and "\n".join(told) == overview.text().rstrip()
    assert not {"click", "nbformat", "jinja2", "dataclasses"} & set(modules.split())


def test_help_of_a_command_is_asked_for_either_way():
    told = [
        subprocess.run(
            [sys.executable, "-m", "benchbook", *words],
            capture_output=True,
            text=True,
            env=environment(),
        )
        for words in (["help", "verdict"], ["verdict", "--help"])
    ]
    assert told[0].stdout == told[1].stdout and "Usage: bench verdict" in told[0].stdout


@pytest.mark.parametrize("name", overview.COMMANDS)
def test_the_table_says_what_the_command_itself_says(name):
    says = overview.COMMANDS[name][1]
    assert COMMANDS[name,].help.splitlines()[0] == says
    assert says.endswith(".") and "…" not in overview.text()


@pytest.mark.parametrize("words", [w for w in COMMANDS if w not in {("setup",), ("test",)}])
def test_every_command_has_help(words):
    done = CliRunner().invoke(cli.main, [*words, "--help"])
    assert done.exit_code == 0 and "Usage:" in done.output


def test_the_help_of_a_command_imports_nothing_that_measures():
    names = [name for name, _ in overview.COMMANDS.values()]
    code = f"import sys, importlib\nfor name in {names}: importlib.import_module(name)\n"
    code = code.replace("(name)", "(f'benchbook.commands.{name}')") + "print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment()
    )
    assert done.returncode == 0, done.stderr
    assert not HEAVY & set(done.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rase", "04"], "no command 'rase'; did you mean 'race'?"),
        (["04"], "did you mean './bench run 04'?"),
        (["room", "mergr"], "no command 'mergr'; did you mean 'merge'?"),
        (["race", "04", "--blcoks", "3"], "--blocks"),
        (["race", "04", "--tool", "wkr"], "did you mean 'wrk'?"),
        (["race", "04", "--variants", "nohdr"], "did you mean 'no-header'?"),
        (["race", "44"], "did you mean '04-setheader-vs-writehead'?"),
        (["race", "setheader"], "did you mean '04-setheader-vs-writehead'?"),
        (["race", "05"], "05/memory"),
        (["race", "07"], "--all"),
        (["race"], "Missing argument"),
        (["race", "04", "--blocks", "0"], "--blocks"),
        (["race", "04", "--tool", "hey"], "--tool"),
        (["race", "04", "--until", "little"], "not a width"),
        (["race", "04", "--seconds", "nan"], "--seconds"),
        (["race", "04", "--until", "1%", "--minutes", "inf"], "--minutes"),
        (["race", "04", "--minutes", "5"], "--minutes: needs --until"),
        (["race", "04", "--quick", "--full"], "--quick: goes against --full"),
        (["run", "04", "--minutes", "nan"], "--minutes"),
        (["race", "04", "--seconds", "1e308"], "--seconds: is 1e+308"),
        (["race", "04", "--warmup", "1e300"], "--warmup: is 1e+300"),
        (["race", "04", "--seed", str(2**63)], "--seed: is"),
        (["race", "04", "--launches", "1" + "0" * 23], "--launches: is 1e+23"),
        (["race", "04", "--blocks", "100000000"], "--blocks: is 1e+08"),
        (["race", "04", "--variants", " , "], "names no variant"),
        (["race", "98"], "no experiment '98'"),
        (["race", "04", "--variants", "bear"], "did you mean 'bare'?"),
        (["race", "./nowhere"], "experiment.toml"),
        (["run", "98"], "98"),
    ],
)
def test_a_wrong_call_exits_with_2(tmp_path, arguments, words):
    done = call(*arguments, folder=tmp_path)
    assert done.code == 2, done.err
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_malformed_experiment_exits_with_2(bench, two_servers):
    file = two_servers / "experiment.toml"
    file.write_text(file.read_text().replace("connections = 8", "conections = 8"))
    done = bench("race", two_servers)
    assert done.returncode == 2
    assert "http.conections: unknown field" in done.stderr and "'connections'" in done.stderr


def test_a_wrong_experiment_does_not_hide_the_others(checkout, make_experiment):
    (checkout / "snippets").mkdir()
    make_experiment({"a": "1", "b": "2"}).rename(checkout / "snippets" / "77-made")
    (checkout / "snippets" / "98-mine").mkdir()
    (checkout / "snippets" / "98-mine" / "experiment.toml").write_text("title = 3\n")
    done = CliRunner().invoke(cli.main, ["list"])
    assert done.exit_code == 2
    assert "77  made for a test" in done.output and "98-mine/experiment.toml" in done.output


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_folder_that_can_t_be_written_is_told_before_anything_is_run(bench):
    done = bench("run", "99", "--out", "/proc/x")
    assert done.returncode == 1 and "/proc/x: " in done.stderr and "cell" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
def test_output_that_can_t_be_written_is_told():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command("list"), stdout=full, stderr=subprocess.PIPE, text=True, env=environment()
        )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr == "bench: the output can't be written: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="closed by a POSIX shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_no_harm(closed):
    shell = f'exec "$0" -m benchbook list {closed}'
    done = subprocess.run(
        ["sh", "-c", shell, sys.executable], capture_output=True, text=True, env=environment()
    )
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert bool(done.stdout) == (closed == "2>&-")


@pytest.mark.skipif(os.name == "nt", reason="there a folder that is in use can't be removed")
def test_a_current_folder_that_is_gone_is_told(tmp_path):
    shell = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" -m benchbook list'
    done = subprocess.run(
        ["sh", "-c", shell, sys.executable],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(),
    )
    assert done.returncode == 2 and "the current folder: is gone" in done.stderr


def test_what_can_be_made_again_is_cleaned_away(checkout):
    old, new = (paths.scratch() / name for name in ("old", "new"))
    kept = paths.runs() / "made" / "run.json"
    for file in (old / "a.cs", new / "b.cs", paths.builds() / "c" / "d.dll", kept):
        file.parent.mkdir(parents=True)
        file.write_bytes(b"x" * 1_000_000)
    week_ago = time.time() - tidying.OLD_SECONDS - 1
    os.utime(old, (week_ago, week_ago))
    tidying.remove_old()
    assert not old.exists() and new.exists()
    done = CliRunner().invoke(cli.main, ["clean"])
    assert done.exit_code == 0 and "removed 2 MB" in done.output
    assert not new.exists() and not paths.builds().exists() and kept.exists()
    version = paths.versions() / "node" / "node_modules" / "node-22" / "bin" / "node"
    version.parent.mkdir(parents=True)
    version.write_bytes(b"x" * 1_000_000)
    assert "removed 0 MB" in CliRunner().invoke(cli.main, ["clean"]).output
    assert "removed 1 MB" in CliRunner().invoke(cli.main, ["clean", "--versions"]).output
    assert not paths.versions().exists() and kept.exists()


def test_titles_and_names_of_files_write_nothing_to_a_terminal_but_text(checkout, make_experiment):
    (checkout / "snippets").mkdir()
    folder = make_experiment({"a": "1", "b": "2"})
    file = folder / "experiment.toml"
    file.write_text(file.read_text().replace("made for a test", "made \\u001b[31m red"))
    folder.rename(checkout / "snippets" / "77-made")
    assert "\x1b" not in CliRunner().invoke(cli.main, ["list"]).output
    done = CliRunner().invoke(cli.main, ["race", "./\x1b[31m"])
    assert done.exit_code == 2 and "\x1b" not in done.output and "[31m" in done.output


def test_list_names_the_experiments(bench):
    done = bench("list")
    assert done.returncode == 0
    assert "04  setHeader vs writeHead" in done.stdout


@pytest.mark.slow("races in a process of its own, for seconds")
def test_a_race_prints_a_verdict_a_statement_and_writes_a_valid_file(bench, tmp_path):
    done = bench("race", "04", *QUICK, "--variants", "no-header,fastify-schema", "--json", "f.json")
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "f.json").read_text())
    documents.check(document, "run", "f.json")
    assert document["status"] == "complete"
    assert len(document["samples"]) == 2 * 2 * len(document["plan"]["entries"]) == 16
    claim = find("04").claim
    assert [v["id"] for v in document["results"]["verdicts"]] == [s.id for s in claim.statements]
    raced = {"bare", "no-header", "fastify-schema"}
    asked = [s for s in claim.statements if raced.issuperset(s.names)]
    assert all(statement.says.split()[0] in done.stdout for statement in asked)
    left_out = len(claim.statements) - len(asked)
    assert f"{left_out} statements of the claim are about programs that were left" in done.stdout
    assert any(verdict in done.stdout for verdict in verdicts.VERDICTS)
    run = results.load(tmp_path / "f.json")
    assert judgement_json.to_json(judge.judge(run, claim)) == run.results


def test_a_missing_load_tool_exits_with_1(bench, two_servers, tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "node").symlink_to(shutil.which("node"))
    done = subprocess.run(
        command("race", two_servers, "--tool", "wrk"),
        capture_output=True,
        text=True,
        env={**environment(), "PATH": str(folder)},
    )
    assert done.returncode == 1
    assert "wrk is not installed" in done.stderr and "apt-get install wrk" in done.stderr


@pytest.fixture
def racing(two_servers, tmp_path):
    """A race in mid-run: (the process, its run file, the ids of all that it started)."""
    file = tmp_path / "f.json"
    more = ["--launches", "3", "--blocks", "200", "--seconds", "0.5", "--json", str(file)]
    process = subprocess.Popen(
        command("race", two_servers, *more),
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not samples_in(file) and time.monotonic() < deadline:
        time.sleep(0.05)
    children = psutil.Process(process.pid).children(recursive=True)
    names = {child.name() for child in children}
    assert "node" in names
    yield process, file, children
    process.kill()
    process.stderr.close()


def samples_in(file) -> int:
    try:
        return len(json.loads(file.read_text())["samples"])
    except (OSError, ValueError):
        return 0


@pytest.mark.parametrize(
    ("how", "code", "reason"),
    [
        (signal.SIGKILL, -signal.SIGKILL, "without a chance"),
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "interrupted"),
    ],
)
@pytest.mark.slow("races in a process of its own, for seconds")
def test_a_race_that_is_stopped_leaves_a_valid_file_and_no_process(racing, how, code, reason):
    process, file, children = racing
    process.send_signal(how)
    assert process.wait(120) == code
    _, alive = psutil.wait_procs(children, timeout=120)
    assert alive == []
    run = results.load(file)
    assert run.status == "incomplete" and reason in run.reason
    assert run.samples
    if how == signal.SIGINT:
        assert "samples kept" in process.stderr.read()
