"""The configuration for crank: its fields are those that crank documents, and what it names exists.

FIELDS are those of crank's README.md (src/Microsoft.Crank.Controller) and of
benchmarks.schema.json there that our configurations may use, with their types.
"""

import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from benchbook.commands import crank
from benchbook.commands.crank import Lab
from benchbook.model import experiments
from benchbook.system import paths
from benchbook.system.errors import InputError
from made import SERVER

FIELDS = {
    "sources": dict,
    "executable": str,
    "arguments": str,
    "noBuild": bool,
    "framework": str,
    "port": int,
    "path": str,
    "environmentVariables": dict,
    "beforeScript": str,
    "options": dict,
}
# of the job in crank's src/Microsoft.Crank.Jobs.Wrk/wrk.yml
WRK = {"connections", "threads", "duration", "warmup", "serverPort", "path"}


def check(document: dict) -> None:
    """What crank's controller needs of a document, and nothing that it does not know."""
    assert set(document) == {"imports", "jobs", "scenarios", "profiles"}
    assert all(isinstance(url, str) for url in document["imports"])
    for job in document["jobs"].values():
        assert set(job) <= set(FIELDS)
        assert all(isinstance(value, FIELDS[name]) for name, value in job.items())
        assert [set(source) for source in job["sources"].values()] == [{"localFolder"}]
        assert all(isinstance(value, str) for value in job["environmentVariables"].values())
    for services in document["scenarios"].values():
        assert services["application"]["job"] in document["jobs"]
        assert services["load"]["job"] == "wrk" and set(services["load"]["variables"]) <= WRK
        for profile in document["profiles"].values():
            assert set(profile["jobs"]) == set(services)
    for profile in document["profiles"].values():
        assert set(profile) == {"variables", "jobs"} and profile["variables"]["serverAddress"]
        for service in profile["jobs"].values():
            assert all(re.fullmatch(r"https?://\S+:\d+", url) for url in service["endpoints"])


@pytest.fixture
def exported(two_servers, tmp_path):
    """The folder and the document of a made experiment, for a lab of two machines."""
    lab = Lab("192.0.2.1", "http://192.0.2.2:5010")
    done = crank.export(experiments.load(two_servers), tmp_path / "out", lab, lambda text: None)
    assert done.scenarios == ["a", "b"] and done.left_out == {}
    return tmp_path / "out", json.loads(done.path.read_text())


def test_the_document_has_the_fields_that_crank_documents(exported):
    folder, document = exported
    check(document)
    profile = document["profiles"]["lab"]
    assert profile["variables"]["serverAddress"] == "192.0.2.1"
    assert profile["jobs"]["application"]["endpoints"] == ["http://192.0.2.1:5010"]
    assert profile["jobs"]["load"]["endpoints"] == ["http://192.0.2.2:5010"]
    assert document["scenarios"]["a"]["load"]["variables"]["connections"] == 8


def test_a_job_s_program_is_sent_and_listens_where_the_load_comes_in(exported):
    folder, document = exported
    for name, job in document["jobs"].items():
        (source, where), *_ = job["sources"].items()
        node, script = job["arguments"].split()
        assert (job["executable"], node) == ("/usr/bin/env", "node")
        program = folder / where["localFolder"] / script.removeprefix(f"{source}/")
        assert program.read_text() == SERVER.replace("127.0.0.1", "192.0.2.1")
        assert job["environmentVariables"]["PORT"] == str(job["port"])


def test_packages_are_installed_by_the_agent(tmp_path):
    done = crank.export(experiments.find("04"), tmp_path / "out", say=lambda text: None)
    document = json.loads(done.path.read_text())
    check(document)
    assert "bare" in document["jobs"] and "beforeScript" not in document["jobs"]["bare"]
    if job := document["jobs"].get("fastify-schema"):
        assert job["beforeScript"].startswith("npm ci")
        sent = {path.name for path in (tmp_path / "out" / "fastify-schema").iterdir()}
        assert {"package.json", "package-lock.json", "fastify-schema.mjs"} <= sent
    assert set(done.scenarios) | set(done.left_out) == {
        variant.name for variant in experiments.find("04").variants
    }


@pytest.mark.slow("builds a .NET program")
def test_a_net_program_is_sent_built_and_what_is_two_programs_is_left_out(tmp_path):
    done = crank.export(experiments.find("02"), tmp_path / "out", say=lambda text: None)
    document = json.loads(done.path.read_text())
    check(document)
    job = document["jobs"]["kestrel"]
    assert (job["executable"], job["noBuild"]) == ("dotnet", True)
    library = tmp_path / "out" / "kestrel" / job["arguments"].removeprefix("program/")
    assert library.is_file() and library.with_suffix(".runtimeconfig.json").is_file()
    assert "two programs" in done.left_out["nginx-keepalive"]


def test_benchmarks_of_methods_are_not_exported(tmp_path):
    with pytest.raises(InputError, match="puts no servers under load"):
        crank.export(experiments.find("09"), tmp_path / "out")


def test_a_folder_with_something_in_it_is_left_alone(two_servers, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("all of it")
    with pytest.raises(InputError, match="is not empty"):
        crank.export(experiments.load(two_servers), tmp_path / "mine")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--listen", "0.0.0.0"], "every network"),
        (["--listen", "lab"], "no IPv4 address"),
        (["--load-agent", "lab:5010"], "write http://HOST:5010"),
    ],
)
def test_a_wrong_call_exits_with_2(tmp_path, arguments, words):
    done = subprocess.run(
        [sys.executable, "-m", "benchbook", "export-crank", "04", *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(paths.PACKAGE.parent)},
    )
    assert done.returncode == 2 and words in done.stderr, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_part_of_an_experiment_is_exported_like_a_whole_one(make_experiment, tmp_path):
    part = make_experiment({"a": SERVER, "b": SERVER}, name="78-whole")
    experiment = replace(experiments.load(part), name="78-whole/http")
    done = crank.export(experiment, tmp_path / "out", say=lambda text: None)
    assert done.path == tmp_path / "out" / "78-whole-http.benchmarks.json"
    for job in json.loads(done.path.read_text())["jobs"].values():
        assert (done.path.parent / job["sources"]["program"]["localFolder"]).is_dir()
