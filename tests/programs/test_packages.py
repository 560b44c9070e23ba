"""NuGet packages: what was found out is kept, and what was missing is asked for again."""

from dataclasses import replace

import pytest

from benchbook.model import experiments
from benchbook.programs import app_builds, packages, readiness, runners
from benchbook.system import paths
from benchbook_kernels.base import builds


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """Packages that NuGet was asked for; it has those in `asked.there`."""

    class Asked(list):
        there: set[str] = set()

    found = Asked()

    def restore(name: str) -> str:
        found.append(name)
        return "" if name in found.there else f"NuGet here has no package {name}"

    monkeypatch.setattr(packages, "restore", restore)
    monkeypatch.setattr(paths, "builds", lambda: tmp_path)
    return found


def test_a_package_that_was_there_is_not_asked_for_again(asked):
    asked.there = {"MessagePack"}
    assert packages.lacks("MessagePack") == ""  # nothing is known yet
    assert packages.probe("MessagePack") == packages.probe("MessagePack") == ""
    assert asked == ["MessagePack"]


def test_a_missing_package_is_asked_for_before_every_race(asked):
    assert "no package MemoryPack" in packages.probe("MemoryPack")
    assert "no package MemoryPack" in packages.lacks("MemoryPack")
    asked.there = {"MemoryPack"}  # it has come
    assert packages.probe("MemoryPack") == packages.lacks("MemoryPack") == ""
    assert asked == ["MemoryPack", "MemoryPack"]


def test_a_variant_without_its_package_is_unavailable(asked, experiment):
    variant = replace(experiment.variant("a"), needs=("nuget:MemoryPack",))
    readiness.look_for_packages([variant, variant])
    assert asked == ["MemoryPack"]
    assert readiness.lacking(variant) == "NuGet here has no package MemoryPack"


def test_nuget_says_why_a_package_cannot_be_had(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "builds", lambda: tmp_path)
    monkeypatch.setattr(paths, "scratch", lambda: tmp_path / "scratch")
    reason = packages.probe("No.Such.Package.Benchbook")
    assert "No.Such.Package.Benchbook" in reason and "dotnet nuget add source" in reason
    assert not list(paths.scratch().glob("nuget-*"))


def test_packages_of_experiments_have_a_version():
    needs = {need for e in experiments.load_all() for v in e.variants for need in v.needs}
    named = {need.partition(":")[2] for need in needs if need.startswith("nuget:")}
    assert {"MessagePack", "MemoryPack"} <= named
    assert all(packages.version(name) for name in named)


def test_a_variant_may_need_a_package_in_another_version(asked, experiment, tmp_path):
    needs = ("npm:fastify", "nuget:Some.Package@3.1-beta", "nuget:MemoryPack")
    assert app_builds.versions(needs) == ("SomePackageVersion=3.1-beta",)
    assert packages.version("Some.Package@3.1-beta") == "3.1-beta"
    other = replace(experiment.variant("a"), path=tmp_path / "a.cs", needs=needs)
    other.path.write_text("// nothing yet")
    usual = replace(other, needs=())
    assert "-p:SomePackageVersion=3.1-beta" in runners.get(other.path).by_hand(other)
    assert runners.built_in(other) != runners.built_in(usual)
    asked.there = {"Some.Package@3.1-beta"}
    readiness.look_for_packages([other])
    assert packages.lacks("Some.Package@3.1-beta") == packages.lacks("Some.Package@4") == ""
    assert "no package MemoryPack" in packages.lacks("MemoryPack")


def test_a_package_that_is_there_is_found_and_a_restore_that_was_ended_is_no_answer(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(paths, "builds", lambda: tmp_path)
    assert packages.probe("BenchmarkDotNet") == ""
    monkeypatch.setattr(builds, "run", lambda command, folder, seconds: (0, ""))
    assert "did not say" in packages.probe("MessagePack")
    assert "did not say" in packages.lacks("MessagePack")


def test_a_workload_that_is_not_installed_is_named_with_its_remedy(monkeypatch):
    monkeypatch.setattr(packages, "workloads", lambda: frozenset({"wasm-tools"}))
    assert readiness.lacks("workload:wasm-tools") == ""
    assert "dotnet workload install android" in readiness.lacks("workload:android")
