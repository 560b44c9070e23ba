"""Experiment 14: one chain, written alike in each form; what .NET 11 needs, and what lacks it."""

import json
import re
import subprocess
from types import SimpleNamespace

import pytest

from benchbook.model import experiments
from benchbook.notebook import exercises
from benchbook.programs import app_builds
from benchbook.race.kinds.functions import dotnet, dotnet_project
from benchbook.system import paths

DOTNET, VERSIONS, NODE = (experiments.find(f"14/{part}") for part in ("dotnet", "runtimes", "node"))
ASKED = """
const [folder, ...names] = process.argv.slice(1);
const { default: prepare } = await import(`${folder}/bench.mjs`);
const found = {};
for (const name of names) {
  const [file, benchmark, place] = name.split(' ');
  const made = await prepare(await import(`${folder}/${file}`), { benchmark, case: place });
  const first = made();
  found[name] = [first instanceof Promise, await first];
}
console.log(JSON.stringify(found));
"""


def test_every_chain_of_javascript_returns_what_its_depth_says():
    variants = {f"{v.path.name} {v.benchmark} {v.case}": v for v in NODE.variants}
    line = ["node", "--input-type=module", "--eval", ASKED, (NODE.folder).as_uri(), *variants]
    done = subprocess.run(line, capture_output=True, text=True, check=True, timeout=60)
    for name, (promised, value) in json.loads(done.stdout).items():
        depth = int(variants[name].case.partition("=")[2])
        passes_on = variants[name].path.name.startswith("return")
        assert value == (1000 if passes_on else 999 + depth), name
        assert promised is not name.startswith("sync"), name


def test_each_level_is_written_alike_in_both_types_of_task():
    task, value_task = ((DOTNET.folder / f"{n}.cs").read_text() for n in ("task", "value-task"))
    plain = [re.sub(r"//.*", "", text).rstrip() for text in (task, value_task)]
    same = (
        plain[1].replace("ByValueTask", "ByTask").replace("ValueTask<int> Down", "Task<int> Down")
    )
    assert re.sub(r"\s+", " ", same) == re.sub(r"\s+", " ", plain[0])


def test_runtime_async_is_a_property_of_the_build_and_nothing_else():
    eleven, runtime = (VERSIONS.variant(name) for name in ("eleven-5", "runtime-async-5"))
    assert (eleven.path, eleven.needs) == (runtime.path, runtime.needs)
    more = set(app_builds.chosen(runtime)) - set(app_builds.chosen(eleven))
    assert more == {"RuntimeAsync=true"}
    project = (DOTNET.folder / "chain.csproj").read_text()
    assert "'$(RuntimeAsync)' == 'true'" in project and "runtime-async=on" in project


def asked(said: list[str]) -> SimpleNamespace:
    names = ("ten-5", "eleven-5", "runtime-async-5")
    chosen = [VERSIONS.variant(name) for name in names]
    return SimpleNamespace(experiment=VERSIONS, chosen=chosen, say=said.append)


def test_without_the_runtime_of_a_version_the_others_race(monkeypatch):
    def build(project, say):
        if any("RuntimeFrameworkVersion" in each for each in project.properties):
            raise dotnet_project.MicroError("NuGet has no .NET 11 here")

    monkeypatch.setattr(dotnet_project, "build", build)
    reasons = dict.fromkeys(("ten-5", "eleven-5", "runtime-async-5"), "")
    built = dotnet.build(asked([]), reasons)
    assert list(built) == [()], "that of the baseline alone"
    assert reasons.pop("ten-5") == ""
    assert set(reasons.values()) == {"NuGet has no .NET 11 here"}


def test_what_cannot_be_built_at_all_ends_the_race(monkeypatch):
    def build(project, say):
        raise dotnet_project.MicroError("line 1: no")

    monkeypatch.setattr(dotnet_project, "build", build)
    with pytest.raises(dotnet_project.MicroError, match="line 1: no"):
        dotnet.build(asked([]), dict.fromkeys(("ten-5", "eleven-5", "runtime-async-5"), ""))


# ── The exercises ────────────────────────────────────────────────────────────────────────────────

HALF = "public static ValueTask<int> Down() => below.IsCompletedSuccessfully ? a : b;"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("static async ValueTask<int> Down() { x.IsCompleted; }", "Down is still async"),
        (HALF, "Nothing is async"),
        ("static ValueTask<int> Down(); static async ValueTask<int> B();", "asks nobody"),
        (f"{HALF} static async ValueTask<int> Awaited() => await below;", ""),
    ],
)
def test_a_short_cut_that_is_none_is_told(code, told):
    view = SimpleNamespace(edited=lambda name: code, raced=lambda *names: None)
    found = " ".join(exercises.load(DOTNET)[1](view))
    assert told in found and bool(found) is bool(told)


@pytest.mark.parametrize(
    ("level", "share", "told"),
    [
        (20.0, 0.012, ""),
        (300.0, 0.18, "level is not"),  # of the whole chain
        (20.0, 1.2, "share is not"),  # in per cent
        ("20", 0.012, "should be numbers"),
    ],
)
def test_a_level_and_its_share_are_checked(level, share, told):
    samples = [
        SimpleNamespace(variant=name, block=0, requests_per_second=1e9 / took)
        for name, took in (("task-5", 75.0), ("task-20", 375.0), ("sync-5", 5.0))
    ]
    run = SimpleNamespace(samples=samples)
    values = {"level": level, "share": share}
    view = SimpleNamespace(value=values.get, raced=lambda *names: run)
    found = " ".join(exercises.load(DOTNET)[2](view))
    assert told in found and bool(found) is bool(told)


def test_it_has_a_notebook():
    assert {paths.relative(each.notebook) for each in (DOTNET, VERSIONS, NODE)} == {
        "notebooks/14-async-is-free-now.ipynb"
    }
