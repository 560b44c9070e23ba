"""Installing the kernelspecs."""

import json
import sys
from pathlib import Path

import pytest

import benchbook
from benchbook.setup import kernelspecs

KERNELS = [
    ("benchbook-csharp", "csharp", "C#", "Benchbook (C#)"),
    ("benchbook-node", "node", "javascript", "Benchbook (Node.js)"),
]
NAMES = [kernel[0] for kernel in KERNELS]


def test_installs_into_the_environment_only(tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    prefix = tmp_path / "venv"
    assert [kernelspecs.installed(prefix, name) for name in NAMES] == [None, None]
    directories = kernelspecs.install(prefix)
    assert directories == [prefix / "share" / "jupyter" / "kernels" / name for name in NAMES]
    assert [kernelspecs.installed(prefix, name) for name in NAMES] == directories
    for directory in directories:
        assert sorted(each.name for each in directory.iterdir()) == ["kernel.json", "logo-svg.svg"]
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("name, argument, language, title", KERNELS)
def test_the_kernelspec_starts_this_python_with_this_package(
    tmp_path, name, argument, language, title
):
    directories = {directory.name: directory for directory in kernelspecs.install(tmp_path)}
    found = json.loads((directories[name] / "kernel.json").read_text())
    assert found["argv"][0] == sys.executable
    assert found["argv"][-5:] == ["-m", "benchbook.notebook", argument, "-f", "{connection_file}"]
    assert found["language"] == language
    assert found["display_name"] == title
    assert found["interrupt_mode"] == "signal"
    source = Path(found["env"]["PYTHONPATH"])
    assert (source / "benchbook" / "__init__.py").samefile(benchbook.__file__)


@pytest.mark.parametrize("name", NAMES)
def test_a_kernelspec_of_another_place_counts_as_not_installed(tmp_path, name):
    directories = {directory.name: directory for directory in kernelspecs.install(tmp_path)}
    file = directories[name] / "kernel.json"
    file.write_text(file.read_text().replace(sys.executable, "/elsewhere/python"))
    assert kernelspecs.installed(tmp_path, name) is None
    kernelspecs.install(tmp_path)
    assert kernelspecs.installed(tmp_path, name) == directories[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_kernelspec_is_replaced(tmp_path, name):
    directories = {directory.name: directory for directory in kernelspecs.install(tmp_path)}
    (directories[name] / "kernel.json").write_text("{")
    assert kernelspecs.installed(tmp_path, name) is None
    kernelspecs.install(tmp_path)
    assert kernelspecs.installed(tmp_path, name) == directories[name]
