"""Installing the kernelspec."""

import json
import sys
from pathlib import Path

import benchbook
from benchbook.kernel import spec


def test_installs_into_the_environment_only(tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    prefix = tmp_path / "venv"
    assert spec.installed(prefix) is None
    (directory,) = spec.install(prefix)
    assert directory == prefix / "share" / "jupyter" / "kernels" / "benchbook-node"
    assert spec.installed(prefix) == directory
    assert sorted(each.name for each in directory.iterdir()) == ["kernel.json", "logo-svg.svg"]
    assert list(home.iterdir()) == []


def test_the_kernelspec_starts_this_python_with_this_package(tmp_path):
    (directory,) = spec.install(tmp_path)
    found = json.loads((directory / "kernel.json").read_text())
    assert found["argv"][0] == sys.executable
    assert found["argv"][-5:] == ["-m", "benchbook.kernel", "node", "-f", "{connection_file}"]
    assert found["language"] == "javascript"
    assert found["display_name"] == "Benchbook (Node.js)"
    assert found["interrupt_mode"] == "signal"
    source = Path(found["env"]["PYTHONPATH"])
    assert (source / "benchbook" / "__init__.py").samefile(benchbook.__file__)


def test_a_kernelspec_of_another_place_counts_as_not_installed(tmp_path):
    (directory,) = spec.install(tmp_path)
    file = directory / "kernel.json"
    file.write_text(file.read_text().replace(sys.executable, "/elsewhere/python"))
    assert spec.installed(tmp_path) is None
    spec.install(tmp_path)
    assert spec.installed(tmp_path) == directory


def test_a_broken_kernelspec_is_replaced(tmp_path):
    (directory,) = spec.install(tmp_path)
    (directory / "kernel.json").write_text("{")
    assert spec.installed(tmp_path) is None
    spec.install(tmp_path)
    assert spec.installed(tmp_path) == directory
