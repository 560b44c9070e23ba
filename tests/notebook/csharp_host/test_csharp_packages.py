"""`#load`, `#r` of a library, and `#r "nuget: …"`."""

import os
import shutil
from pathlib import Path

import pytest
from csharp_bench import told
from recorders import Bench

from benchbook_kernels.base import builds
from benchbook_kernels.notebook import nuget
from benchbook_kernels.notebook.sessions.csharp import CSharpSession
from made import package_for_newer_net


def test_load_runs_a_file_and_r_refers_to_a_library(csharp):
    with open(os.path.join(csharp.session.directory, "more.cs"), "w") as file:
        file.write("int FromFile() => 7;")
    csharp.run('#load "more.cs"')
    assert csharp.value("FromFile()") == "7"
    assert "nothere.dll" in csharp.error('#r "nothere.dll"\n1').traceback[0]


def test_a_package_that_does_not_exist_is_a_clear_error(csharp):
    error = csharp.error('#r "nuget: No.Such.Package.Benchbook, 1.2.3"')
    assert error.ename == "PackageError"
    assert "No.Such.Package.Benchbook" in error.evalue
    assert csharp.value("1 + 1") == "2"


@pytest.mark.parametrize(
    ("line", "lost"),
    [
        ('#r "nuget: Humanizer.Core, 2.14.1"; var glued = 5;', "var glued = 5;"),
        ('#r "nuget: Humanizer.Core, 2.14.1"var glued = 5;', "var glued = 5;"),
        ('#r "nuget: Humanizer.Core" "nuget: Other"', '"nuget: Other"'),
        ("#r nuget:Humanizer.Core,2.14.1; var glued = 5;", "var glued = 5;"),
        ('#i "nuget: https://127.0.0.1:9/index.json" var glued = 5;', "var glued = 5;"),
    ],
)
def test_code_on_the_line_of_a_package_is_an_error(csharp, line, lost):
    error = csharp.error(f"{line}\n1 + 1")
    assert error.ename == "PackageError" and f"'{lost}' on the same line" in error.evalue
    assert csharp.value("1 + 1") == "2"


def test_the_newest_package_that_this_net_can_use_is_taken(open_csharp, tmp_path, monkeypatch):
    """As with .NET's own packages, whose newest version is for the newest .NET alone."""
    name = package_for_newer_net(tmp_path)
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path / "packages"))
    csharp = open_csharp()
    csharp.run(f'#i "nuget: {tmp_path}"\n#r "nuget: {name}"')
    assert "1.0.0" in os.listdir(tmp_path / "packages" / name.lower())
    error = told(csharp, f'#r "nuget: {name}, 2.0.0"')
    assert "NU1202" in error and name in error


@pytest.fixture(scope="module")
def libraries(tmp_path_factory) -> Path:
    """A folder with Outer.dll, and Inner.dll that it needs; one build for both tests of them."""
    folder = tmp_path_factory.mktemp("libraries")
    for name, text, more in (
        ("Inner", "public class Inside { public static int Answer => 42; }", ""),
        (
            "Outer",
            "public class Outside { public static int Ask() => Inside.Answer; }",
            '<ItemGroup><ProjectReference Include="../Inner/Inner.csproj" /></ItemGroup>',
        ),
    ):
        (folder / name).mkdir()
        (folder / name / "Code.cs").write_text(text)
        target = "<PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup>"
        project = f'<Project Sdk="Microsoft.NET.Sdk">{target}{more}</Project>'
        (folder / name / f"{name}.csproj").write_text(project)
    project = folder / "Outer" / "Outer.csproj"
    command = ["dotnet", "build", str(project), "-o", str(folder / "out"), "-nodeReuse:false"]
    code, output = builds.run(command, folder)
    assert code == 0, output
    return folder / "out"


def test_a_library_finds_those_beside_it(own_csharp, libraries):
    assert own_csharp.value(f'#r "{libraries}/Outer.dll"\nOutside.Ask()') == "42"


def test_a_library_finds_those_that_cells_have_named(own_csharp, libraries, tmp_path):
    for name in ("Inner", "Outer"):
        (tmp_path / name).mkdir()
        shutil.copy(libraries / f"{name}.dll", tmp_path / name)
        own_csharp.run(f'#r "{tmp_path / name / name}.dll"')
    assert own_csharp.value("Outside.Ask()") == "42"


def test_a_package_is_used_also_where_a_source_can_not_be_reached(csharp, tmp_path):
    csharp.run(f'#i "nuget: {tmp_path}/nowhere"')
    csharp.run('#r "nuget: Humanizer.Core, 2.14.1"')  # may fail, as the source is not there
    csharp.run(
        '#r "nuget: Humanizer.Core, 2.14.1"; // in words\n#r nuget:Humanizer.Core,2.14.1 // again'
    )
    assert csharp.value('using Humanizer;\n"PascalCase".Humanize()') == "Pascal case"
    assert csharp.value('"AnotherOne".Humanize()') == "Another one"


BENCHMARKED = (
    "public class Sums { [BenchmarkDotNet.Attributes.Benchmark] public int Sum() => 1 + 1; }"
)


@pytest.fixture(scope="module")
def benchmarks(tmp_path_factory):
    """A session with BenchmarkDotNet, a class to be measured, and ways to ask for that."""
    version = nuget.central()["BenchmarkDotNet"]
    session = CSharpSession(str(tmp_path_factory.mktemp("benchmarks")))
    session.start()
    bench = Bench(session)
    for code in (
        "var before = display(1);",
        f'#r "nuget: BenchmarkDotNet, {version}"\nusing BenchmarkDotNet.Running;',
        BENCHMARKED,
    ):
        result = bench.run(code)
        assert result.status == "ok", result
    yield bench
    session.close()


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("BenchmarkRunner.Run<Sums>()", 1),
        ("// now\nBenchmarkSwitcher.FromTypes([typeof(Sums)]).Run([])", 2),
        ("void Measure<T>()\n{\n    BenchmarkRunner.Run<T>();\n}", 3),
        ("Func<Type, object> measure = type => BenchmarkRunner.Run(type);", 1),
        ("namespace Tea { class Pot { static void Run() => BenchmarkRunner.Run<int>(); } }", 1),
    ],
)
@pytest.mark.slow("starts a C# session")
def test_what_benchmark_dot_net_cannot_measure_points_to_the_magic(benchmarks, code, line):
    error = benchmarks.error(code)
    assert error.ename == "BenchmarkError" and "%%benchmark" in error.evalue
    assert f"line {line}: Benchmark" in error.evalue
    assert not [name for name in os.listdir(benchmarks.session.directory) if "Bench" in name]


@pytest.mark.slow("starts a C# session")
def test_what_is_of_the_notebook_is_the_same_beside_a_package_with_a_roslyn_of_its_own(benchmarks):
    code = 'ToShared(1);\nbefore = display(2);\nFunc<string, object> ask = password;\np("x");'
    assert benchmarks.run(code).status == "ok"
    own = benchmarks.value("typeof(Microsoft.CodeAnalysis.SyntaxTree).Assembly.GetName().Version")
    assert own.startswith("4."), "the package's, not the host's"
