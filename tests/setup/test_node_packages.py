"""Node.js, its packages and the .NET SDK."""

from pathlib import Path

import pytest
from fakes import as_root, fake

from benchbook.setup.package import check_dotnet
from benchbook.setup.steps import Environment, SetupError
from benchbook.setup.tools import node as set_up_node
from benchbook.setup.tools import remedies


@pytest.mark.parametrize(
    ("node", "npm", "problem"),
    [
        (None, True, "Node.js is missing"),
        ("v18.19.0", True, "Node.js v18.19.0 is too old"),
        ("v20.0.0", False, "npm is missing"),
        ("v24.1.0", True, ""),
    ],
)
def test_node_is_checked_before_it_is_needed(bin_dir, node, npm, problem):
    if node:
        fake(bin_dir, "node", f"echo {node}")
    if npm:
        fake(bin_dir, "npm", "true")
    found = set_up_node.node_problem(str(bin_dir))
    assert found.startswith(problem) and bool(found) == bool(problem)


def test_node_packages_are_installed_again_when_the_lock_changes(setup, bin_dir, tmp_path):
    calls = tmp_path / "npm-calls"
    fake(
        bin_dir,
        "npm",
        f'echo "$*" >>{calls}\n'
        "PATH=/usr/bin:/bin; rm -rf node_modules; mkdir node_modules; "
        ": >node_modules/.package-lock.json",
    )
    environment = Environment("debian", Path("/python"), "")
    set_up_node.install_node_packages(setup, environment)
    set_up_node.install_node_packages(setup, environment)
    assert len(calls.read_text().splitlines()) == 1
    assert calls.read_text().startswith("ci ")
    (setup.root / "package-lock.json").write_text("{}")
    assert not set_up_node.node_modules_in_step(setup.root)
    set_up_node.install_node_packages(setup, environment)
    assert len(calls.read_text().splitlines()) == 2


def test_npm_that_stops_half_way_leaves_node_modules_unmarked(setup, bin_dir):
    fake(bin_dir, "npm", "PATH=/usr/bin:/bin; mkdir -p node_modules/half; echo no network; exit 1")
    with pytest.raises(SetupError, match="no network"):
        set_up_node.install_node_packages(setup, Environment("debian", Path("/python"), ""))
    assert not set_up_node.node_modules_in_step(setup.root)


def test_a_nodejs_that_brings_npm_is_not_joined_by_debians_npm(setup, debian, bin_dir, monkeypatch):
    as_root(monkeypatch, True)
    fake(bin_dir, "apt-cache", 'echo "  Candidate: 20.20.2-1nodesource1"')
    assert remedies.remedy("node", manager="apt") == "apt-get install nodejs"
    apt_get = (bin_dir / "apt-get").read_text()
    made = "; ".join(
        f"printf '#!/bin/sh\\necho v20.20.2\\n' >{bin_dir}/{name}; /bin/chmod +x {bin_dir}/{name}"
        for name in ("node", "npm")
    )
    fake(bin_dir, "apt-get", apt_get + made)
    set_up_node.ensure_node(setup, Environment("debian", Path("/python"), ""))
    assert [line.split()[-1] for line in debian.read_text().splitlines()] == ["nodejs"]


def test_without_a_new_enough_node_the_set_up_stops_with_the_command(
    setup, debian, bin_dir, monkeypatch
):
    as_root(monkeypatch, True)
    fake(bin_dir, "apt-cache", 'echo "  Candidate: 18.20.4+dfsg-1"')
    with pytest.raises(SetupError, match="Node.js is missing") as caught:
        set_up_node.ensure_node(setup, Environment("debian", Path("/python"), ""))
    assert "nodejs.org" in caught.value.remedy
    assert debian.read_text() == ""


def test_a_missing_dotnet_sdk_is_a_note_with_the_command(setup, bin_dir):
    check_dotnet(setup, Environment("debian", Path("/python"), ""))
    assert "the .NET SDK is missing" in setup.notes[0] and "dotnet" in setup.notes[0]


def test_dotnet_11_alone_is_good_enough(setup, bin_dir):
    fake(bin_dir, "dotnet", "echo '11.0.100 [/usr/share/dotnet/sdk]'")
    check_dotnet(setup, Environment("debian", Path("/python"), ""))
    assert setup.notes == []
