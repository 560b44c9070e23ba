"""NuGet packages: what was found out is kept, and what was missing is asked for again."""

from dataclasses import replace

import pytest

from benchbook.model import experiments
from benchbook.programs import app_builds, packages, readiness, runners
from benchbook.system import paths
from benchbook_kernels.base import builds

USUAL = "Newtonsoft.Json"


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """Packages that NuGet was asked for; it has those in `asked.there`."""

    class Asked(list):
        there: set[str] = set()

    found = Asked()

    def restore(names: list[str]) -> dict[str, str]:
        found.extend(names)
        has_none = "NuGet here has no package"
        return {name: "" if name in found.there else f"{has_none} {name}" for name in names}

    monkeypatch.setattr(packages, "restore", restore)
    monkeypatch.setattr(packages, "has_cached", lambda name: False)
    monkeypatch.setattr(paths, "builds", lambda: tmp_path)
    return found


def test_a_package_that_was_there_is_not_asked_for_again(asked):
    asked.there = {"MessagePack"}
    assert packages.lacks("MessagePack") == ""  # nothing is known yet
    assert packages.probe("MessagePack") == packages.probe("MessagePack") == {"MessagePack": ""}
    assert asked == ["MessagePack"]


def test_a_package_that_nuget_keeps_for_this_user_is_not_asked_for(asked, monkeypatch, tmp_path):
    monkeypatch.undo()
    monkeypatch.setattr(paths, "builds", lambda: tmp_path)
    monkeypatch.setattr(packages, "restore", lambda names: pytest.fail(f"{names} asked for"))
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path))
    packages.record("Some@2.0-Beta").write_text("it could not be had", encoding="utf-8")
    kept = tmp_path / "some" / "2.0-beta"
    kept.mkdir(parents=True)
    (kept / ".nupkg.metadata").write_text("{}")
    assert packages.probe("Some@2.0-Beta") == {"Some@2.0-Beta": ""}
    assert packages.lacks("Some@2.0-Beta") == ""


def test_a_missing_package_is_asked_for_before_every_race(asked):
    assert "no package MemoryPack" in packages.probe("MemoryPack")["MemoryPack"]
    assert "no package MemoryPack" in packages.lacks("MemoryPack")
    asked.there = {"MemoryPack"}  # it has come
    assert packages.probe("MemoryPack")["MemoryPack"] == packages.lacks("MemoryPack") == ""
    assert asked == ["MemoryPack", "MemoryPack"]


def test_a_variant_without_its_package_is_unavailable(asked, experiment):
    variant = replace(experiment.variant("a"), needs=("nuget:MemoryPack",))
    readiness.look_for_packages([variant, variant])
    assert asked == ["MemoryPack"]
    assert readiness.lacking(variant) == "NuGet here has no package MemoryPack"


def test_nuget_says_why_a_package_cannot_be_had(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "builds", lambda: tmp_path)
    monkeypatch.setattr(paths, "scratch", lambda: tmp_path / "scratch")
    unheard = ("No.Such.Package.Benchbook", "Unheard.Of.Benchbook")
    versions = "".join(
        f'<PackageVersion Include="{name}" Version="{version}" />'
        for name, version in {**dict.fromkeys(unheard, "1.0.0"), USUAL: "13.0.3"}.items()
    )
    known = f"<ItemGroup>{versions}</ItemGroup>"
    central = "<ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally>"
    text = f"<Project><PropertyGroup>{central}</PropertyGroup>{known}</Project>"
    (tmp_path / "Directory.Packages.props").write_text(text)
    reasons = packages.probe(unheard[0], USUAL, unheard[1])
    assert reasons[USUAL] == "", "one that is missing keeps no other from being found"
    for name in unheard:
        assert f"NuGet here has no package {name} (NU1101)" in reasons[name]
        assert "dotnet nuget add source" in reasons[name]
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
    monkeypatch.setattr(packages, "has_cached", lambda name: False)
    assert packages.probe("BenchmarkDotNet") == {"BenchmarkDotNet": ""}
    monkeypatch.setattr(builds, "run", lambda command, folder, seconds: (0, ""))
    assert "did not say" in packages.probe("MessagePack")["MessagePack"]
    assert "did not say" in packages.lacks("MessagePack")


def test_a_workload_that_is_not_installed_is_named_with_its_remedy(monkeypatch):
    monkeypatch.setattr(packages, "workloads", lambda: frozenset({"wasm-tools"}))
    assert readiness.lacks("workload:wasm-tools") == ""
    assert "dotnet workload install android" in readiness.lacks("workload:android")
