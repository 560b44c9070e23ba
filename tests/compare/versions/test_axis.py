"""Which versions can be had, and how they are got: from a registry on this machine."""

import re
import subprocess
from contextlib import ExitStack

import pytest

from benchbook.compare.given.asked import Given
from benchbook.compare.versions import axis as axes
from benchbook.compare.versions import npm_sets
from benchbook.model import experiments
from benchbook.programs import dotnet_versions, node_versions, npm, nuget
from benchbook_kernels.base.errors import BenchError, InputError
from calling import call

GREETS = "import greet from 'greet';\nimport other from 'other';\nconsole.log(greet, other);\n"


def axis_of(experiment, allow=lambda question: True, stack=None, **given):
    return axes.axis(Given(**given), experiment, allow, stack or ExitStack(), False)


def test_what_is_missing_is_asked_for_once_with_its_size_and_got_when_it_is_raced(
    registry, state, setheader
):
    questions: list[str] = []
    found = axis_of(setheader, lambda q: not questions.append(q), node="91,92,97")
    size = 2 * axes.NODE_MB
    assert questions == [f"Node.js 91.0.0, Node.js 92.2.0: not here yet, about {size} MB"]
    assert [each.missing for each in found.versions] == ["", "", "npm has none of this version"]
    assert not node_versions.find("91"), "nothing is got before it is raced"
    said: list[str] = []
    first = found.versions[0].brought(said.append)
    assert first.change and said == ["getting Node.js 91.0.0 from npm (about 50 MB)"]
    assert first.change(setheader.variant("bare")).needs == ("node:91",)
    questions.clear()
    again = axis_of(setheader, lambda q: not questions.append(q), node="91,97")
    assert not questions and again.versions[0].told == "Node.js 91.0.0"


def test_without_a_yes_nothing_is_got(registry, state, setheader):
    with pytest.raises(BenchError, match=f"--node: no version can be had .*{axes.NOT_GOT}"):
        axis_of(setheader, lambda question: False, node="91,92")
    installed = node_versions.version_of("node").partition(".")[0]
    found = axis_of(setheader, lambda question: False, node=f"{installed},92")
    assert [each.missing for each in found.versions] == ["", axes.NOT_GOT]


def test_without_a_network_those_that_are_here_are_left(state, setheader, monkeypatch):
    def none(package):
        raise BenchError("npm has no node: request failed, reason: ECONNREFUSED")

    monkeypatch.setattr(npm, "versions", none)
    installed = node_versions.version_of("node").partition(".")[0]
    found = axis_of(setheader, node=f"{installed},92")
    assert not found.versions[0].missing and "ECONNREFUSED" in found.versions[1].missing
    with pytest.raises(BenchError, match="ECONNREFUSED"):
        axis_of(setheader, node="12..26")


@pytest.mark.parametrize(
    ("number", "given", "said"),
    [
        ("03", {"node": "20,22"}, "--node: is for none of the programs of 03: no Node.js runs"),
        ("04", {"dotnet": "8,9"}, "--dotnet: is for none of the programs of 04: .NET does not run"),
        (
            "04",
            {"npm": "express=4,5"},
            r"no program of 04 needs the package express \(there are: f",
        ),
        ("04", {"nuget": "MessagePack=2,3"}, r"needs the package MessagePack \(it has none\)"),
        ("03", {"dotnet": "4,8"}, "--dotnet: there is no .NET 4.*the first is 5"),
    ],
)
def test_an_axis_that_an_experiment_does_not_have_is_refused(number, given, said, monkeypatch):
    monkeypatch.setattr(dotnet_versions, "installed", dict)
    with pytest.raises(InputError) as refused:
        axis_of(experiments.find(number), **given)
    assert re.search(said, str(refused.value).replace("\n", " ")), str(refused.value)


# ── Packages ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def greeting(registry, make_experiment):
    """An experiment whose b greets as its package does; the other package is its own."""
    for version in ("1.0.0", "2.0.0", "2.1.0"):
        text = {"index.mjs": f"export default 'hello of {version}';"}
        registry.add("greet", version, text, exports="./index.mjs")
    npm.versions.cache_clear()
    needs = {"b": 'needs = ["npm:greet", "npm:other"]'}
    folder = make_experiment({"a": "", "b": GREETS}, needs)
    other = folder / "node_modules" / "other"
    other.mkdir(parents=True)
    (other / "package.json").write_text(
        '{"name": "other", "version": "1.0.0", "exports": "./o.mjs"}', encoding="utf-8"
    )
    (other / "o.mjs").write_text("export default 'and the other';", encoding="utf-8")
    return experiments.load(folder)


def run(variant):
    done = subprocess.run(["node", variant.path], capture_output=True, text=True, timeout=60)
    return done.stdout.strip() or done.stderr


def test_a_program_finds_the_packages_version_and_all_else_as_at_home(greeting, state):
    with ExitStack() as stack:
        found = axis_of(greeting, stack=stack, npm="greet=1,2")
        assert [each.told for each in found.versions] == ["greet 1.0.0", "greet 2.1.0"]
        assert [found.varies(each) for each in greeting.variants] == [False, True]
        versions = [each.brought(lambda text: None) for each in found.versions]
        given = [each.change(greeting.variant("b")) for each in versions if each.change]
        assert [run(each) for each in given] == [
            "hello of 1.0.0 and the other",
            "hello of 2.1.0 and the other",
        ]
        assert versions[0].change(greeting.variant("a")) == greeting.variant("a")
        copies = [each.path.parent for each in given]
    assert not any(copy.exists() for copy in copies), "copies go, packages stay"
    assert npm_sets.is_there(npm_sets.folder(["greet@1.0.0"]))


def test_what_was_killed_in_the_middle_leaves_nothing_half(greeting, state):
    place = npm_sets.folder(["greet@1.0.0"])
    (place.parent / "getting-killed" / "node_modules" / "greet").mkdir(parents=True)
    (place / "programs-999999999-dead").mkdir(parents=True)
    with ExitStack() as stack:
        [first, _] = axis_of(greeting, stack=stack, npm="greet=1,2").versions
        given = first.brought(lambda text: None)
        assert given.change and run(given.change(greeting.variant("b"))).startswith("hello of 1")
        left = [each.name for each in place.parent.glob("getting-*")]
        assert not left and not (place / "programs-999999999-dead").exists()


def test_a_package_that_npm_does_not_have_is_unavailable(greeting, state):
    found = axis_of(greeting, npm="greet=1,7")
    assert found.versions[1].missing == "npm has none of this version"


def test_nuget_packages_are_given_to_the_builds_that_need_them(monkeypatch, state):
    monkeypatch.setattr(nuget, "versions", lambda name: ("2.5.307", "3.1.12"))
    experiment = experiments.find("07/http")
    found = axis_of(experiment, nuget="MessagePack=2.5,3.1,MemoryPack=1.21.4")
    assert [each.told for each in found.versions] == ["MessagePack 2.5.307", "MessagePack 3.1.12"]
    varied = [each for each in experiment.variants if found.varies(each)]
    assert varied and all("nuget:MessagePack" in each.needs for each in varied)
    changed = found.versions[1].brought(lambda text: None).change
    assert changed
    variant = changed(varied[0])
    assert "nuget:MessagePack@3.1.12" in variant.needs and len(variant.properties) == 1


def test_dotnet_is_the_installed_one_where_all_are_else_built_with_its_runtime(monkeypatch, state):
    experiment = experiments.find("03")
    monkeypatch.setattr(dotnet_versions, "installed", lambda: {"9": "9.0.1", "10": "10.0.2"})
    monkeypatch.setattr(dotnet_versions, "system", lambda: "linux-x64")
    found = axis_of(experiment, dotnet="9,10")
    assert [each.told for each in found.versions] == [".NET 9.0.1", ".NET 10.0.2"]
    monkeypatch.setattr(nuget, "versions", lambda name: ("8.0.31", "9.0.7", "10.0.2"))
    found = axis_of(experiment, dotnet="7,8,9,10")
    assert [each.told for each in found.versions][1:] == [
        ".NET 8.0.31",
        ".NET 9.0.7",
        ".NET 10.0.2",
    ]
    assert found.versions[0].missing == "NuGet here has no runtime of this version"
    changed = found.versions[1].brought(lambda text: None).change
    variant = next(each for each in experiment.variants if found.varies(each))
    assert changed and "dotnet:8.0.31" in changed(variant).needs


# ── The commands ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["race", "04", "--yes"], "--yes: goes with versions, and none are named"),
        (["race", "04", "--statement", "x"], "--statement: goes with versions"),
        (["race", "04", "--node", "20,22", "--as-published"], "--as-published: does not go with"),
        (["race", "04", "--node", "20,22", "--until", "1%"], "--until: does not go with versions"),
        (
            ["race", "04", "--node", "20,22", "--variants", "bare"],
            "--statement names what is asked",
        ),
        (["bisect", "04"], "bisect: no range of versions is named"),
        (["bisect", "04", "--node", "20..22"], "is to name one statement"),
    ],
)
def test_calls_that_make_no_sense_are_told(words, said, tmp_path):
    done = call(*words, folder=tmp_path)
    assert done.code == 2 and said in done.err


def test_without_a_terminal_a_version_is_got_with_yes_only(registry, state, tmp_path):
    done = call("race", "04", "--node", "91,92", folder=tmp_path)
    assert done.code == 1 and "say --yes to get them" in done.err
    assert not node_versions.find("91")


@pytest.mark.slow("races functions on two versions")
def test_a_version_that_makes_it_slower_is_found(registry, state, make_experiment, tmp_path):
    """A planted flip, raced: without a compiler the function that loops more is slower yet."""
    loops = (
        "const n = %s; "
        "export default () => () => { let x = 0; for (let i = 0; i < n; i++) x ^= i; return x; };"
    )
    folder = make_experiment({"a": "", "b": ""})
    toml = (folder / "experiment.toml").read_text()
    toml = toml.replace('[http]\npath = "/"\nconnections = 8', '[micro]\nmodule = "module.mjs"')
    toml = toml.replace("ready_seconds = 3", 'benchmark = "x"')
    (folder / "experiment.toml").write_text(toml)
    (folder / "module.mjs").write_text("export default (file) => file.default();")
    jitless = "process.execArgv.includes('--jitless')"
    (folder / "a.mjs").write_text(loops % "5000")
    (folder / "b.mjs").write_text(loops % f"({jitless} ? 20000 : 1000)")
    file = tmp_path / "answers.json"
    words = ["--node", "91,92,93", "--yes", "--json", file]
    short = {"BENCHBOOK_RACE": "launches=3 blocks=4 seconds=0.05 warmup=0.1"}
    done = call("race", folder, *words, folder=tmp_path, **short)
    assert done.code == 0, done.err
    assert "turned with Node.js 93" in done.out
