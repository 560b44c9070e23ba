"""Builds of .NET programs: many at once are as each alone; what a reader is told of errors."""

import filecmp
import subprocess

import pytest

from benchbook.programs import app_builds
from benchbook_kernels.base import builds
from benchbook_kernels.base.processes import Keeper

APP = "#:property PublishAot=false\n"
# a class of the web SDK, a property of its own, a project beside it
GOOD = {
    "web.cs": "#:sdk Microsoft.NET.Sdk.Web\n"
    + APP
    + "System.Console.Write(nameof(WebApplication));",
    "unsafe.cs": APP + "#:property AllowUnsafeBlocks=true\nunsafe { int* p = null; _ = p; }",
    "two parts & more.cs": APP + "#:project library\nConsole.Write(Library.Text);",
}
PROJECT = """\
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup>
</Project>
"""


@pytest.fixture
def apps(tmp_path, checkout, monkeypatch):
    """Programs to build, by compilers of their own, as for people: not by that of prebuilt.py."""
    monkeypatch.delenv(builds.COMPILER, raising=False)
    folder = tmp_path / "apps"
    (folder / "library").mkdir(parents=True)
    (folder / "library" / "library.csproj").write_text(PROJECT)
    code = 'public static class Library { public const string Text = "from a library"; }'
    (folder / "library" / "Library.cs").write_text(code)
    for name, text in GOOD.items():
        (folder / name).write_text(text)
    return folder


def output(path, verb="build") -> str:
    library = builds.build_folder(path, verb=verb) / "out" / f"{path.stem}.dll"
    return subprocess.run(["dotnet", library], capture_output=True, text=True, timeout=120).stdout


def test_properties_of_a_folder_count_before_what_the_sdk_sets(apps, tmp_path):
    """As where the SDK builds it: Sdk.props imports Directory.Build.props after the defaults."""
    (apps / "plain.cs").write_text("System.Console.Write(1);")
    written = app_builds.write_project(apps / "plain.cs", "build", tmp_path / "folder").read_text()
    before, _, after = written.partition('<Import Project="Sdk.props"')
    assert "<PublishAot>true</PublishAot>" in before and "PublishAot" not in after
    written = app_builds.write_project(apps / "web.cs", "build", tmp_path / "folder").read_text()
    assert "<PublishAot>false</PublishAot>" in written.partition('<Import Project="Sdk.props"')[2]


@pytest.mark.slow("builds .NET programs")
def test_programs_that_are_built_together_are_as_each_built_alone(apps):
    wrong, odd = apps / "wrong.cs", apps / "odd.cs"
    wrong.write_text(APP + "int number = true;")
    odd.write_text(APP + "#:unheard of\n")
    good = [apps / name for name in GOOD]
    told = []
    app_builds.build_together(
        {p: "build" for p in [*good, wrong, odd]}, lambda: told.append("begun")
    )
    assert told == ["begun"]
    assert all((builds.build_folder(path) / "built.txt").is_file() for path in good)
    assert not builds.build_folder(wrong).exists() and not builds.build_folder(odd).exists()
    assert [output(path) for path in good] == ["WebApplication", "", "from a library"]
    with pytest.raises(builds.BuildError, match=r"wrong.cs\(2,14\): error CS0029"):
        builds.build(wrong, "build", builds.build_folder(wrong), lambda: None)
    alone = apps.parent / "alone"
    builds.build(good[0], "build", alone, lambda: None)
    name = "web.runtimeconfig.json"
    assert filecmp.cmp(alone / "out" / name, builds.build_folder(good[0]) / "out" / name, False)


@pytest.mark.slow("builds .NET programs")
def test_what_is_published_is_built_together_too(apps):
    programs = {apps / "web.cs": "publish", apps / "unsafe.cs": "build"}
    app_builds.build_together(programs, lambda: None)
    assert [output(*each) for each in programs.items()] == ["WebApplication", ""]
    app_builds.build_together(programs, lambda: pytest.fail("nothing is left to build"))


def test_one_program_and_what_is_no_plain_app_are_left_alone(apps):
    native = apps / "native.cs"
    native.write_text("// published as a native program")
    programs = {apps / "web.cs": "build", native: "publish", apps / "library": "build"}
    app_builds.build_together(programs, lambda: pytest.fail("there is only one"))
    (apps / "appsettings.json").write_text("{}")
    programs = {apps / name: "build" for name in GOOD}
    app_builds.build_together(programs, lambda: pytest.fail("their settings lie beside them"))


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        (
            "  Determining projects to restore...\n/me/a.csproj : error NU1101: Unable to find "
            "package Not.There. No packages exist with this id in source(s): nuget.org",
            "NuGet here has no package Not.There (NU1101)",
        ),
        (
            "/me/a.csproj : error NU1102: Unable to find package Some with version (>= 3)",
            "NuGet here has no package Some >= 3 (NU1102)",
        ),
        (
            "/me/a.csproj : error NU1202: Package Carter 11.0.0 is not compatible with net10.0 "
            "(.NETCoreApp,Version=v10.0). Package Carter 11.0.0 supports: net11.0",
            "NuGet: Package Carter 11.0.0 is not compatible with net10.0 "
            "(.NETCoreApp,Version=v10.0) (NU1202)",
        ),
        (
            "/home/me/a.cs(7,13): error CS1002: ; expected [/home/me/a.cs.csproj]",
            "a.cs(7,13): error CS1002: ; expected",
        ),
        (
            "C:\\Users\\me\\a.csproj : error MSB4025: The project file could not be loaded.",
            "a.csproj: error MSB4025: The project file could not be loaded.",
        ),
        ("", "it printed nothing"),
    ],
)
def test_the_first_error_is_told_without_the_paths_of_this_machine(printed, told):
    assert builds.first_error(printed) == told


@pytest.mark.slow("builds a .NET program")
def test_a_build_leaves_no_socket_of_its_compiler(apps, tmp_path, monkeypatch):
    started, run = [], builds.run
    monkeypatch.setattr(builds, "run", lambda *a, **k: started.append(a[0]) or run(*a, **k))
    two = apps / "two parts & more.cs"  # and its library: for a single one it would cost more
    code, output = builds.run_dotnet("build", two, "-o", str(tmp_path / "out"))
    assert code == 0, output
    [compiler] = [word for word in started[0] if "SharedCompilationId" in word]
    assert not builds.compiler_socket(compiler.partition("=")[2]).exists()


@pytest.mark.slow("builds a .NET program")
def test_a_compiler_that_is_named_compiles(apps, tmp_path, monkeypatch):
    """A single program, too. Where nobody serves, its build starts the compiler, and ends it."""
    name = f"benchbook-named-{tmp_path.parent.name}"
    monkeypatch.setenv(builds.COMPILER, name)
    with Keeper() as keeper:
        keeper.remove(builds.compiler_socket(name))
        code, said = builds.run_dotnet("build", apps / "unsafe.cs", "-o", str(tmp_path / "out"))
        assert code == 0, said
        assert builds.compiler_socket(name).exists(), "it was used"
