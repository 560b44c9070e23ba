"""Programs by several versions of Node.js, from a registry on this machine; and environments."""

import os
import shutil

import pytest

from asked_lab import FAST, WORK
from benchbook.programs import given_environment, node_versions
from benchbook_kernels.base.errors import BenchError, InputError
from made import SERVER
from npm_registry import npm_offers

NODE = """#!/bin/sh
[ "$1" = --version ] && echo v{version} && exit
exec {node} {options} "$@"
"""


@pytest.fixture(scope="module")
def offered(tmp_path_factory):
    """Node.js 98 and 99 can be had; 99 compiles nothing, so it is slow. Where they are kept."""
    home = tmp_path_factory.mktemp("offered")
    with npm_offers(home) as npm:
        for version, options in (("98.1.0", ""), ("98.2.0", ""), ("99.0.0", "--jitless")):
            binary = NODE.format(version=version, options=options, node=shutil.which("node"))
            npm.add(node_versions.package(), version, {"bin/node": binary})
        yield home


@pytest.fixture
def fresh(asked, offered, checkout):
    """A user's folder, where none of them was got yet."""
    asked.write({"f.mjs": WORK % 2_000, "s.mjs": SERVER, "c.mjs": "console.log('x');"})
    node_versions.version_of.cache_clear()
    return asked


@pytest.fixture
def versions(fresh, offered, monkeypatch):
    """A user's folder, where tests before may have got them."""
    monkeypatch.setenv("BENCHBOOK_ROOT", str(offered))
    return fresh


def test_a_version_that_is_slower_is_found(versions):
    assert versions.ratio("f.mjs", "--node", "98,99") < 0.6
    assert versions.entries == ["node-98", "node-99"]


def test_the_newest_of_each_is_got_once_and_said(fresh):
    assert fresh.names("s.mjs", node="98..99") == ["node-98", "node-99"]
    assert [text for text in fresh.said if "getting" in text] == [
        "getting Node.js 98.2.0 from npm (about 50 MB)",
        "getting Node.js 99.0.0 from npm (about 50 MB)",
    ]
    fresh.said.clear()
    titles = [variant.title for variant in fresh.variants("s.mjs", node="v98,98.1.0")]
    assert titles == ["Node.js 98.2.0", "Node.js 98.1.0"]
    getting = [text for text in fresh.said if "getting" in text]
    assert getting == ["getting Node.js 98.1.0 from npm (about 50 MB)"]
    assert not list(node_versions.folder().glob("getting-*"))


def test_a_version_that_npm_does_not_have_is_told_and_the_installed_one_is_not_asked_for(fresh):
    for wanted, unknown in (("98,97", "97"), ("98,98.7.1", "=98.7.1")):
        with pytest.raises(BenchError, match=f"Node.js can't be had: npm has no node-.*@{unknown}"):
            fresh.names("s.mjs", node=wanted)
    assert not node_versions.find("98"), "nothing is got where not all can be had"
    whole = node_versions.version_of("node")
    installed = whole.partition(".")[0]
    first, _ = fresh.variants("s.mjs", node=f"{installed},98")
    assert first.needs == () and first.title == f"Node.js {whole}"
    assert any(f"Node.js {installed} is the installed one" in text for text in fresh.said)


def test_commands_find_the_version_as_node(versions):
    commands = ["node c.mjs", "cat c.mjs | node -"]
    with versions.question(*commands, node="98,99") as question:
        found = question.variants
    assert [variant.name for variant in found] == [
        f"{command} node-{version}" for command in commands for version in (98, 99)
    ]
    for variant, version in zip(found, ["98", "99"] * 2):
        path = variant.env["PATH"].split(os.pathsep)
        assert shutil.which("node", path=variant.env["PATH"]) == str(node_versions.find(version))
        usual = given_environment.as_typed().get("PATH") or os.environ["PATH"]
        assert path[1:] == usual.split(os.pathsep)


@pytest.mark.parametrize(
    ("word", "said"),
    [("sleep 1", "its command names no node"), ("s.py", "no Node.js runs it")],
)
def test_what_node_does_not_run_is_refused(versions, word, said):
    versions.write({"s.py": "import os; os.environ['PORT']"})
    with pytest.raises(InputError, match=f"--node: is for none of these programs .*{said}"):
        versions.names(word, node="98,99")


def test_one_that_node_does_not_run_races_beside_those_that_it_does(versions):
    versions.write({"p.py": "import os; os.environ['PORT']"})
    assert versions.names("s.mjs", "p.py", node="98,99") == ["s node-98", "s node-99", "p"]


# ── Environments ─────────────────────────────────────────────────────────────────────────────────

HARDER = "const n = process.env.HARD === '1' ? 20000 : 2000;\n"
BY_ENVIRONMENT = HARDER + "export default () => { let x = 0; for (let i = 0; i < n; i++) x ^= i; };"


def test_a_value_that_makes_it_slower_is_found(asked):
    asked.write({"f.mjs": BY_ENVIRONMENT})
    assert asked.ratio("f.mjs", "--env", "HARD=0,1") < 0.6
    assert asked.entries == ["HARD=0", "HARD=1"]


@pytest.mark.parametrize("word", ["f.mjs", "s.mjs", "node s.mjs"])
def test_several_variables_are_combined_for_whatever_is_compared(asked, word):
    asked.write({"f.mjs": FAST, "s.mjs": SERVER})
    found = asked.variants(word, env={"A": [0, 1], "B": ["x", ""], "C": "same"})
    assert [variant.name for variant in found] == ["A=0 B=x", "A=0 B=", "A=1 B=x", "A=1 B="]
    assert [variant.env["C"] for variant in found] == ["same"] * 4
    assert [variant.env["B"] for variant in found] == ["x", "", "x", ""]


def test_values_and_versions_are_combined(versions):
    names = versions.names("s.mjs", "f.mjs", node="98,99", env="A=0,1", kind="servers")
    assert names[:4] == ["s node-98 A=0", "s node-98 A=1", "s node-99 A=0", "s node-99 A=1"]
    assert len(names) == 8
