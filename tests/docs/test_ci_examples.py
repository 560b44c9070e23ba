"""The examples of docs/ci.md: workflows that hold together, and commands that are really there."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchbook.commands.measure import compare, outcome, race
from benchbook.commands.share import room
from benchbook.compare.asking import request_of
from benchbook.race import options
from benchbook.show import exporting
from made import REPOSITORY

PAGE = (REPOSITORY / "docs" / "ci.md").read_text(encoding="utf-8")
EXAMPLES = {
    re.search(r"^# (\S+)", text)[1]: yaml.safe_load(text)
    for text in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
}
WORKFLOWS = {name: each for name, each in EXAMPLES.items() if ".github" in name}
OURS = re.compile(r"^benchbook (.*)", re.MULTILINE)
ACTION = re.compile(r"(actions/[\w-]+)@(v\d+)")


def steps(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Of a job of GitHub's, or the script of GitLab's."""
    yield from job.get("steps", ())
    yield from ({"run": line} for line in job.get("script", ()))


def scripts() -> Iterator[tuple[str, str]]:
    """(example, line) for everything that examples run."""
    for name, document in EXAMPLES.items():
        for job in document.get("jobs", document).values():
            yield from ((name, step["run"]) for step in steps(job) if "run" in step)


def commands() -> list[list[str]]:
    """The words of every call of ours, on the page and in the examples, without `benchbook`."""
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    inline = [f"benchbook {each}" for each in re.findall(r"`benchbook (compare [^`]*)`", PAGE)]
    lines = [*blocks, *inline, *(line for _, line in scripts())]
    whole = [line.replace("\\\n", " ") for line in lines]
    calls = [call for line in whole for call in OURS.findall(line)]
    return [shlex.split(re.sub(r"\$\{\{[^}]*\}\}", "value", call)) for call in calls]


def test_there_is_a_workflow_for_a_pull_request_one_for_a_room_and_one_for_gitlab():
    assert list(EXAMPLES) == [
        ".github/workflows/compare.yml",
        ".gitlab-ci.yml",
        ".github/workflows/room.yml",
    ]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_has_what_github_wants_and_ends(name):
    document = WORKFLOWS[name]
    assert document["permissions"] == {"contents": "read"}
    assert document[True]  # YAML 1.1 reads `on` so
    for job in document["jobs"].values():
        assert job["runs-on"] and job["timeout-minutes"] <= 60
        assert set(job.get("needs", "").split()) <= document["jobs"].keys()
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert set(step) <= {"uses", "run", "with", "env", "if", "name", "continue-on-error"}


def test_actions_are_in_the_versions_that_our_own_workflows_use():
    own = "".join(p.read_text("utf-8") for p in (REPOSITORY / ".github/workflows").iterdir())
    known = dict(ACTION.findall(own))
    used = dict(ACTION.findall(PAGE))
    assert used and all(known.get(action, version) == version for action, version in used.items())


def test_nothing_of_an_event_is_pasted_into_a_script():
    for name, line in scripts():
        assert "${{ github" not in line, name


def test_the_job_that_runs_a_strangers_code_can_not_write():
    jobs = EXAMPLES[".github/workflows/compare.yml"]["jobs"]
    for job in jobs.values():
        runs_theirs = any("checkout" in step.get("uses", "") for step in job["steps"])
        assert not (runs_theirs and job.get("permissions"))
        if job.get("permissions"):
            assert "head.repo.full_name == github.repository" in job["if"]


def test_a_comparison_that_wrote_no_table_fails_the_job_that_comments_by_nothing():
    download, comment = EXAMPLES[".github/workflows/compare.yml"]["jobs"]["comment"]["steps"]
    assert download["continue-on-error"] is True
    assert comment["if"] == "hashFiles('comment.md') != ''"


@pytest.mark.skipif(sys.platform == "win32", reason="a script of the example's Linux runner")
@pytest.mark.parametrize(
    ("known", "called"),
    [
        ("", "--silent repos/o/r/issues/7/comments -F body=@body.md"),
        ("41 42", "--silent --method PATCH repos/o/r/issues/comments/42 -F body=@body.md"),
    ],
)
def test_the_comment_is_made_once_and_replaced_then(known, called, tmp_path):
    step = EXAMPLES[".github/workflows/compare.yml"]["jobs"]["comment"]["steps"][-1]
    gh = """gh() { case "$*" in
      *--paginate*) for id in $KNOWN; do echo "$id"; done;;
      *) shift; echo "$*" > called;;
    esac; }
    """
    (tmp_path / "comment.md").write_text("### a and b\n", encoding="utf-8")
    env = {**os.environ, "KNOWN": known, "GITHUB_REPOSITORY": "o/r", "NUMBER": "7", "OURS": "."}
    subprocess.run(["bash", "-e", "-c", gh + step["run"]], cwd=tmp_path, env=env, check=True)
    assert (tmp_path / "called").read_text() == f"{called}\n"
    marker, *table = (tmp_path / "body.md").read_text(encoding="utf-8").splitlines()
    assert table == ["### a and b"] and f'startswith("{marker}")' in step["env"]["OURS"]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_the_command_takes_what_the_page_calls(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    name, *arguments = words
    command = {"compare": compare.command, "race": race.command, "room": room.command}[name]
    if name == "room":
        command, arguments = room.command.commands[arguments[0]], arguments[1:]
    values = command.make_context(name, arguments).params
    if name == "compare":
        values = outcome.by_one_name(values)
        assert request_of(values["things"], values, tmp_path, values["path_"]).things
        wanted = outcome.wanted(values, values["html"])
        assert wanted.limit in (0.05, None)
    if name == "race":
        assert options.request(values).fields == {"mode": "full"}


def test_every_format_is_on_the_page_and_in_the_help():
    rows = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert rows == set(exporting.NAMES)
    (help_of,) = [o.help for o in outcome.OUTCOME_OPTIONS if o.name == "exports"]
    assert re.findall(r"\w+", help_of.partition(": ")[2]) == exporting.NAMES


def test_the_figures_of_the_recorded_race_are_what_the_page_says():
    from benchbook.analysis.judging import judge
    from benchbook.model import experiments, results
    from benchbook.show.exports import bencher, timings

    run = results.load(REPOSITORY / "data" / "runs" / "04-setheader-vs-writehead.json")
    found = judge.judge(run, experiments.find("04").claim)
    absolute, ratios = [], []
    for timed in timings.of(run, found):
        time = bencher.time(timed)
        absolute.append((time["upper_value"] / time["lower_value"]) ** 0.5 - 1)
    for name, ratio in found.ratios.items():
        if name != run.control:
            ratios.append((ratio.high / ratio.low) ** 0.5 - 1)
    told = re.search(r"known to ±([\d.]+) %.*?factors to ±([\d.]+) %", PAGE, re.DOTALL)
    middle = [100 * sorted(each)[len(each) // 2] for each in (absolute, ratios)]
    assert middle == pytest.approx([float(told[1]), float(told[2])], abs=0.3)
