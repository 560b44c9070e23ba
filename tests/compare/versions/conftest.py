"""What tests of versions share: an experiment, versions of a runtime that can be had, answers."""

import shutil

import pytest

from benchbook.analysis.judging.verdicts import NOT_VALID
from benchbook.compare.given.asked import Given
from benchbook.compare.versions import racing
from benchbook.compare.versions.racing import VersionRequest
from benchbook.model import experiments, results
from benchbook.model.profiles.by_version import VersionAnswer
from benchbook.programs import node_versions, npm
from npm_registry import npm_offers
from quiet import Quiet

NODE = """#!/bin/sh
[ "$1" = --version ] && echo v{version} && exit
exec {node} {options} "$@"
"""
OFFERED = {"91.0.0": "", "92.1.0": "", "92.2.0": "", "93.0.0": "--jitless"}


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    """A registry of npm's that has versions of Node.js; 93 compiles nothing, so it is slow."""
    home = tmp_path_factory.mktemp("registry")
    with npm_offers(home) as found:
        for version, options in OFFERED.items():
            binary = NODE.format(version=version, options=options, node=shutil.which("node"))
            found.add(node_versions.package(), version, {"bin/node": binary})
        npm.versions.cache_clear()
        yield found
    npm.versions.cache_clear()


@pytest.fixture
def state(monkeypatch, tmp_path):
    """A folder of its own for what is got and kept."""
    monkeypatch.setattr("benchbook.system.paths.state", lambda: tmp_path / "state")
    node_versions.version_of.cache_clear()
    return tmp_path / "state"


@pytest.fixture
def setheader():
    return experiments.find("04")


def answered(statement, version, verdict, ratio=1.2, p=1e-9):
    """What a statement is said to be on a version."""
    if verdict == NOT_VALID:
        return VersionAnswer(statement, version, verdict, "it died", None, None, None, 1.0, "")
    ends = ratio * 0.98, ratio * 1.02
    return VersionAnswer(statement, version, verdict, "because", ratio, *ends, p, "")


@pytest.fixture
def races(monkeypatch, setheader, tmp_path):
    """races(truth, versions): what comes of a race, or a search, where a statement's verdict on a
    version is truth(version, count), count: how often it was asked before. asked: the versions, in
    the order of asking."""
    monkeypatch.setattr(results, "folder", lambda name: tmp_path / "runs")
    monkeypatch.setattr(node_versions, "find", lambda version: tmp_path / "bin" / version)
    monkeypatch.setattr(node_versions, "whole_number", lambda version: f"{version}.1.0")

    def make(work, truth, versions, *statements):
        asked: list[str] = []

        def ask(self, wanted, seconds):
            for version in wanted:
                verdict = truth(version.label, asked.count(version.label))
                asked.append(version.label)
                if isinstance(verdict, BaseException):
                    raise verdict
                self.record.answers += [
                    answered(s.id, version.label, verdict) for s in self.statements
                ]
                if verdict == NOT_VALID:
                    self.mark(version, "it died")
            self.record.save()

        monkeypatch.setattr(racing.VersionRaces, "ask", ask)
        wanted = VersionRequest(Given(node=versions), statements)
        return work(setheader, wanted, Quiet()), asked

    return make
