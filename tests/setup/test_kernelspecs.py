"""Installing the kernelspecs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import benchbook
import benchbook_kernels
from benchbook.system import paths
from benchbook_kernels.install import kernelspecs

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
    folder = prefix / "share" / "jupyter" / "kernels"
    assert kernelspecs.ours(folder) == []
    directories = kernelspecs.install(prefix, packages=tmp_path)
    assert directories == [folder / name for name in NAMES] == kernelspecs.ours(folder)
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
    assert found["argv"][-5:] == ["-m", "benchbook_kernels", argument, "-f", "{connection_file}"]
    assert found["language"] == language
    assert found["display_name"] == title
    assert found["interrupt_mode"] == "signal"
    sources = [Path(each) for each in found["env"]["PYTHONPATH"].split(os.pathsep)]
    for source, package in zip(sources, (benchbook, benchbook_kernels), strict=True):
        assert (source / package.__name__ / "__init__.py").samefile(package.__file__)


def test_a_kernelspec_of_an_earlier_version_is_ours_and_still_starts_a_kernel(tmp_path):
    directory = kernelspecs.install(tmp_path)[0]
    file = directory / "kernel.json"
    file.write_text(file.read_text().replace('"benchbook_kernels"', '"benchbook.notebook"'))
    assert kernelspecs.is_ours(directory)
    asked = [sys.executable, "-m", "benchbook.notebook", "cobol"]
    env = {**os.environ, "PYTHONPATH": paths.pythonpath()}
    done = subprocess.run(asked, capture_output=True, text=True, env=env, timeout=60)
    assert done.returncode == 2 and "expected csharp or node, not 'cobol'" in done.stderr


@pytest.mark.parametrize("gone", [[], NAMES[:1], NAMES[1:], NAMES])
def test_what_was_removed_is_installed_again(tmp_path, monkeypatch, gone):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    directories = {each.name: each for each in kernelspecs.install(tmp_path)}
    for name in gone:
        kernelspecs.remove(directories[name])
    assert kernelspecs.mend() == bool(gone)
    assert kernelspecs.ours(kernelspecs.folder_in(tmp_path)) == list(directories.values())


@pytest.mark.parametrize("text", ["{", "[]", '{"argv": ["python", "-m", "other"]}', '{"argv": 1}'])
def test_what_is_not_ours_is_replaced_under_our_own_names_only(tmp_path, text):
    directory = kernelspecs.install(tmp_path)[0]
    file = directory / "kernel.json"
    good = file.read_text()
    file.write_text(text)
    assert not kernelspecs.is_ours(directory)
    assert directory not in kernelspecs.ours(directory.parent)
    kernelspecs.install(tmp_path)
    assert file.read_text() == good and kernelspecs.is_ours(directory)


def test_a_kernel_of_another_installation_of_ours_is_ours(tmp_path):
    directory = kernelspecs.install(tmp_path)[0]
    file = directory / "kernel.json"
    file.write_text(file.read_text().replace(sys.executable, "/elsewhere/python"))
    assert kernelspecs.is_ours(directory)


def test_a_removed_kernelspec_leaves_what_others_put_there(tmp_path):
    first, second = kernelspecs.install(tmp_path)
    (first / "notes.txt").write_text("mine")
    kernelspecs.remove(first)
    kernelspecs.remove(second)
    assert [each.name for each in first.iterdir()] == ["notes.txt"] and not second.exists()


@pytest.fixture
def packages(tmp_path):
    """A folder of npm packages with a plotly.js."""
    plotly = tmp_path / "node_modules" / "plotly.js-basic-dist-min" / kernelspecs.PLOTLY
    plotly.parent.mkdir(parents=True)
    plotly.write_text("window.Plotly = { newPlot() {} };")
    return tmp_path


def test_notebook_6_gets_a_script_that_draws_figures_with_the_plotly_js_beside_it(packages):
    for directory in kernelspecs.install(packages / "prefix", packages):
        assert (directory / kernelspecs.PLOTLY).read_text().startswith("window.Plotly")
        script = (directory / "kernel.js").read_text()
        assert script.startswith("define(['require', ") and f"'./{kernelspecs.PLOTLY}'" in script
        check = ["node", "--check", directory / "kernel.js"]
        assert subprocess.run(check, capture_output=True, timeout=60).returncode == 0
