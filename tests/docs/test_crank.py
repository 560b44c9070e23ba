"""The configuration in docs/crank.md: crank's fields, and what the experiment says.

FIELDS are those of crank's README.md (src/Microsoft.Crank.Controller) and of
benchmarks.schema.json there that the page uses, with their types.
"""

import json
import re

from benchbook.model import experiments
from benchbook.system import paths

FIELDS = {
    "sources": dict,
    "executable": str,
    "arguments": str,
    "port": int,
    "path": str,
    "environmentVariables": dict,
    "beforeScript": str,
    "options": dict,
}
PAGE = (paths.root() / "docs" / "crank.md").read_text(encoding="utf-8")
WRITTEN = json.loads(re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)[1])


def test_jobs_are_the_experiments_variants():
    experiment = experiments.find("04")
    for name, job in WRITTEN["jobs"].items():
        variant = experiment.variant(name)
        assert set(job) <= set(FIELDS)
        assert all(isinstance(value, FIELDS[field]) for field, value in job.items())
        ((source, where),) = job["sources"].items()
        assert where == {"localFolder": name}
        assert job["arguments"] == f"node {source}/{variant.path.name}"
        assert job["path"] == experiment.kind.requested
        assert job["environmentVariables"].items() >= {**variant.env, "PORT": "5000"}.items()
        assert job["port"] == 5000
        needs_packages = any(need.startswith("npm:") for need in variant.needs)
        assert ("beforeScript" in job) == needs_packages


def test_scenarios_load_as_the_experiment_does():
    experiment = experiments.find("04")
    mode = experiment.modes["full"]
    assert set(WRITTEN) == {"imports", "jobs", "scenarios", "profiles"}
    assert set(WRITTEN["scenarios"]) == set(WRITTEN["jobs"])
    for name, services in WRITTEN["scenarios"].items():
        assert services["application"] == {"job": name} and services["load"]["job"] == "wrk"
        # all the variables of the job in crank's src/Microsoft.Crank.Jobs.Wrk/wrk.yml that are used
        assert services["load"]["variables"] == {
            "connections": experiment.kind.connections,
            "threads": 1,
            "duration": round(mode.sample_seconds),
            "warmup": max(1, round(mode.warmup_seconds)),
            "serverPort": 5000,
            "path": experiment.kind.requested,
        }
        for profile in WRITTEN["profiles"].values():
            assert set(profile["jobs"]) == set(services)
            assert profile["variables"]["serverAddress"]
            for service in profile["jobs"].values():
                assert all(re.fullmatch(r"http://\S+:5010", url) for url in service["endpoints"])
