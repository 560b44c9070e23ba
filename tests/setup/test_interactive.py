""".NET Interactive: found where NuGet keeps it, and started so that it keeps to this machine."""

import json
import sys

import pytest

from benchbook.setup import package
from benchbook.setup.steps import Environment, Setup, SetupOptions
from benchbook.system import paths
from benchbook_kernels.install import interactive, kernelspecs
from benchbook_kernels.install.languages import CSHARP
from benchbook_kernels.notebook.sessions import jupyter
from benchbook_kernels.notebook.sessions.csharp import CSharpSession
from benchbook_kernels.notebook.sessions.jupyter import JupyterSession
from benchbook_kernels.notebook.sessions.session import SessionError

MANIFEST = paths.root() / ".config" / "dotnet-tools.json"
VERSION = json.loads(MANIFEST.read_text())["tools"][interactive.PACKAGE]["version"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            "dotnet interactive jupyter x.json",
            "dotnet interactive jupyter --http-local-only x.json",
        ),
        (
            "/tools/dotnet-interactive jupyter --default-kernel csharp x.json",
            "/tools/dotnet-interactive jupyter --http-local-only --default-kernel csharp x.json",
        ),
        ("dotnet-interactive jupyter --http-local-only x", ""),
        ("python -m ipykernel_launcher -f x.json", ""),
        ("tslab kernel --config-path=x.json", ""),
    ],
)
def test_its_web_server_is_told_to_listen_on_this_machine_only(command, expected):
    words = interactive.on_this_machine_only(command.split())
    assert " ".join(words) == (expected or command)


def test_engine_starts_it_so(tmp_path, monkeypatch):
    """Whoever installed it, and under whatever name."""
    seen = tmp_path / "argv.json"
    fake = tmp_path / "fake-interactive.py"
    fake.write_text(f"import json, sys; json.dump(sys.argv[1:], open({str(seen)!r}, 'w'))")
    spec = {"argv": [sys.executable, str(fake), "jupyter", "{connection_file}"]}
    directory = tmp_path / "kernels" / "somebodys"
    directory.mkdir(parents=True)
    text = json.dumps({**spec, "display_name": "x", "language": "C#"})
    (directory / "kernel.json").write_text(text)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    session = JupyterSession(CSharpSession(), "somebodys")
    with pytest.raises(SessionError, match="did not start"):
        session.start()
    assert json.loads(seen.read_text())[:2] == ["jupyter", "--http-local-only"]
    assert session.language is CSHARP


@pytest.fixture
def nuget(tmp_path, monkeypatch):
    """NuGet's folder of packages, with the tool in it."""
    tool = tmp_path / "packages" / interactive.PACKAGE / VERSION / "tools" / "net9.0" / "any"
    tool.mkdir(parents=True)
    (tool / interactive.PROGRAM).write_text("")
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path / "packages"))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "dotnet").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "dotnet").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def test_its_kernelspec_starts_the_tool_of_the_manifest(nuget):
    directory = interactive.write(nuget)
    assert directory == kernelspecs.folder_in(nuget) / ".net-csharp"
    spec = json.loads((directory / "kernel.json").read_text())
    assert (
        spec["argv"][0] == str(nuget / "bin" / "dotnet") and interactive.PROGRAM in spec["argv"][3]
    )
    assert spec["argv"][-2:] == ["--http-local-only", "{connection_file}"]
    assert interactive.on_this_machine_only(spec["argv"]) == spec["argv"]
    assert not kernelspecs.is_ours(directory)
    (nuget / "packages" / interactive.PACKAGE).rename(nuget / "gone")
    assert interactive.write(nuget) is None


def test_engine_finds_it_though_jupyter_knows_none_or_ours_of_that_name(nuget, monkeypatch):
    monkeypatch.setenv("JUPYTER_PATH", str(nuget / "share" / "jupyter"))
    assert jupyter.installed(".net-csharp") and not jupyter.known_to_jupyter(".net-csharp")
    kernelspecs.write(kernelspecs.folder_in(nuget), "benchbook-csharp", ".net-csharp")
    assert jupyter.installed(".net-csharp") and not jupyter.known_to_jupyter(".net-csharp")
    monkeypatch.setenv("NUGET_PACKAGES", str(nuget / "none"))
    assert not jupyter.installed(".net-csharp")


def test_where_nuget_does_not_have_it_set_up_says_so_and_goes_on(tmp_path, monkeypatch):
    root = tmp_path / "checkout"
    (root / ".config").mkdir(parents=True)
    (root / ".config" / "dotnet-tools.json").write_text(MANIFEST.read_text())
    (root / ".benchbook").mkdir()
    (tmp_path / "dotnet").write_text("#!/bin/sh\necho 'no such package'; exit 1\n")
    (tmp_path / "dotnet").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    setup = Setup(root, SetupOptions())
    setup.log.write_text("")
    package.restore_interactive(setup, Environment("debian", root, ""))
    assert f".NET Interactive {VERSION} is not here" in setup.notes[0]
    assert "no such package" in setup.log.read_text()
