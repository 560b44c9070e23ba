"""Programs for Mono: compiled as their first line says, unavailable with an install line."""

import subprocess
from dataclasses import replace

import pytest

from benchbook.programs import mono, readiness, runners
from benchbook.setup.tools import remedies
from benchbook_kernels.base import builds

PROGRAM = """// mcs -r:System.Web.dll program.mono.cs other.cs

class Program
{
    static void Main() => System.Console.Write(Other.Text + typeof(System.Web.HttpContext).Name);
}
"""
INSTALLED = pytest.mark.skipif(bool(mono.lacks("System.Web")), reason=mono.lacks("System.Web"))


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.mono.cs"
    path.write_text(PROGRAM)
    (tmp_path / "other.cs").write_text('static class Other { public const string Text = "a "; }')
    return path


@pytest.fixture
def variant(program, experiment):
    return replace(experiment.variant("a"), path=program, needs=("mono:System.Web",))


def test_the_ending_says_that_it_is_for_mono(program):
    assert isinstance(runners.find(program), runners.Mono)
    assert isinstance(runners.find(program.parent / "other.cs"), runners.Dotnet)


def test_without_mono_it_is_unavailable_and_one_reads_how_to_get_it(variant, monkeypatch):
    monkeypatch.setattr(mono.shutil, "which", lambda name: None)
    monkeypatch.setattr(remedies, "package_manager", lambda: "apt")
    for unavailable in (variant, replace(variant, needs=())):
        reason = readiness.lacking(unavailable)
        assert "Mono (mono, mcs) is not installed" in reason
        assert "apt-get install mono-mcs libmono-system-web-mvc3.0-cil" in reason


def test_an_assembly_that_is_missing_makes_it_unavailable(tmp_path, monkeypatch):
    command = tmp_path / "bin" / "mono"
    known = tmp_path / "lib" / "mono" / "gac"
    libraries = [known / name / "4.0" / f"{name}.dll" for name in ("System.Web", *mono.EVERY_SITE)]
    for path in (command, *libraries):
        path.parent.mkdir(parents=True)
        path.touch()
    monkeypatch.setattr(mono.shutil, "which", lambda name: str(command))
    assert mono.lacks("System.Web") == mono.lacks("System.Xaml") == ""
    assert "Mono here has no System.Web.Mvc; get it with: " in mono.lacks("System.Web.Mvc")
    libraries[-1].unlink()
    assert f"Mono here has no {mono.EVERY_SITE[-1]}; get it with: " in mono.lacks("System.Web")


def test_a_program_for_dotnet_framework_runs_on_mono(experiment, tmp_path, monkeypatch):
    monkeypatch.setattr(builds, "build_folder", lambda path, *_: tmp_path)
    variant = replace(experiment.variant("a"), path=tmp_path / "owin.cs", needs=("mono:System",))
    program = tmp_path / "out" / "owin.exe"
    program.parent.mkdir()
    program.touch()
    command = lambda of: runners.Dotnet().command(of, {"PORT": 1}, tmp_path)  # noqa: E731
    assert command(variant) == ["mono", str(program)]
    assert command(replace(variant, needs=())) == [str(program.with_suffix(""))]


def test_what_is_built_depends_on_every_file_of_the_program(program, monkeypatch):
    monkeypatch.setattr(mono, "version", lambda: "6.8")
    before = mono.build_folder(program)
    (program.parent / "unconcerned.cs").touch()
    assert mono.build_folder(program) == before
    (program.parent / "other.cs").write_text("// changed")
    assert mono.build_folder(program) != before


def test_a_program_must_say_how_it_is_compiled(program):
    program.write_text("class Program { }")
    with pytest.raises(builds.BuildError, match="does not begin with the command"):
        mono.arguments(program)


def test_one_reads_how_to_run_it_by_hand(variant):
    line = runners.Mono().by_hand(variant)
    assert line.endswith("&& PORT=8080 mono bin/program.dll")
    assert "mcs -out:bin/program.dll -r:System.Web.dll program.mono.cs other.cs" in line


@INSTALLED
@pytest.mark.slow("compiles a program")
def test_it_is_compiled_once_and_runs(variant, tmp_path, checkout):
    said = []
    runners.Mono().build(variant, said.append)
    runners.Mono().build(variant, said.append)
    assert said == [f"building {variant.title}"]
    command = runners.Mono().command(variant, {"PORT": 1}, tmp_path)
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout == "a HttpContext"


@INSTALLED
@pytest.mark.slow("compiles a program")
def test_a_reader_is_told_of_an_error(variant, checkout):
    variant.path.write_text(PROGRAM.replace("Other.Text", "Another.Text"))
    with pytest.raises(builds.BuildError, match=r"program.mono.cs\(5,\d+\): error CS0103"):
        runners.Mono().build(variant, lambda text: None)
    assert "error CS0103" in readiness.unavailable(variant)
