"""C# programs with several versions of NuGet packages, and by several versions of .NET."""

import subprocess
import zipfile

import pytest

from asked_lab import Asked
from benchbook.programs import app_builds, dotnet_versions, nuget, readiness, runners
from benchbook_kernels.base import builds
from benchbook_kernels.base.errors import BenchError, InputError

SOURCES = """<configuration><packageSources>
  <clear /><add key="here" value="feed" />
</packageSources></configuration>"""
ABOUT = """<?xml version="1.0"?>
<package><metadata><id>{name}</id><version>{version}</version><authors>t</authors>
<description>d</description></metadata></package>"""
PRINTS = """#:package Mine@1.0.0
#:property PublishAot=false
Console.Write(File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "mine.txt")));
"""
# a package without code: it has a file copied to where programs are built
COPIED = """<Project><ItemGroup>
  <None Include="$(MSBuildThisFileDirectory)mine.txt" CopyToOutputDirectory="Always" />
</ItemGroup></Project>"""
PROJECT = """<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>
  <OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework>
  <ImplicitUsings>enable</ImplicitUsings>
</PropertyGroup><ItemGroup>{reference}</ItemGroup></Project>"""
CENTRAL = """<Project><PropertyGroup>
  <ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally>
</PropertyGroup><ItemGroup>
  <PackageVersion Include="Mine" Version="1.0.0" />
</ItemGroup></Project>"""


@pytest.fixture(scope="module")
def feed(tmp_path_factory):
    """A folder of packages that NuGet asks, and nothing else: Mine 1.0.0, 1.2.0 and 2.0.0.

    And of a.cs, which prints the version that it has: what one test built is there for the next.
    """
    here = tmp_path_factory.mktemp("feed")
    asked = Asked(here / "mine")
    (asked.folder / "feed").mkdir(parents=True)
    asked.write({"nuget.config": SOURCES, "a.cs": PRINTS})
    for version in ("1.0.0", "1.2.0", "2.0.0"):
        path = asked.folder / "feed" / f"Mine.{version}.nupkg"
        with zipfile.ZipFile(path, "w") as package:
            package.writestr("Mine.nuspec", ABOUT.format(name="Mine", version=version))
            package.writestr("build/Mine.targets", COPIED)
            package.writestr("build/mine.txt", version)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUGET_PACKAGES", str(here / "packages"))
        patch.setenv("BENCHBOOK_ROOT", str(here))
        patch.chdir(asked.folder)
        nuget.versions.cache_clear()
        yield asked
        nuget.versions.cache_clear()


def printed(variants):
    """What programs print, once they are built."""
    assert set(readiness.make_ready(variants, lambda text: None).values()) == {""}
    found = []
    for variant in variants:
        command = runners.get(variant.path).command(variant, {}, variant.runs_in)
        found.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return found


pytestmark = pytest.mark.slow("builds C# programs")


def test_a_file_is_built_with_each_version_and_stays_as_it_is(feed):
    found = feed.variants("a.cs", nuget="Mine@1,2.0.0")
    assert [variant.name for variant in found] == ["Mine@1.2.0", "Mine@2.0.0"]
    assert [variant.title for variant in found] == ["Mine 1.2.0", "Mine 2.0.0"]
    assert printed(found) == ["1.2.0", "2.0.0"]
    assert (feed.folder / "a.cs").read_text() == PRINTS


def test_one_version_is_compared_with_the_one_that_a_program_asks_for(feed):
    found = feed.variants("a.cs", nuget="Mine@2")
    assert [variant.name for variant in found] == ["unchanged", "Mine@2.0.0"]
    assert printed(found) == ["1.0.0", "2.0.0"]


@pytest.mark.parametrize("central", [False, True])
def test_a_project_gets_it_wherever_its_version_stands_and_keeps_its_own_builds(feed, central):
    version = "" if central else ' Version="1.0.0"'
    reference = PROJECT.format(reference=f'<PackageReference Include="Mine"{version} />')
    own = "// a build's own: two of it would not compile\nclass Made { }"
    place = f"{central}/p"
    feed.write({f"{place}/p.csproj": reference, f"{place}/Program.cs": PRINTS.split("\n", 2)[2]})
    feed.write({f"{place}/obj/Made.cs": own, f"{place}/Made.cs": own})
    if central:
        feed.write({f"{central}/Directory.Packages.props": CENTRAL})
    before = sorted(feed.folder.rglob("*"))
    found = feed.variants(f"{place}/p.csproj", nuget="Mine@1.2.0..Mine@2")
    built = slice(1, 2) if central else slice(2)  # one shows where a version is read
    assert printed(found[built]) == ["1.2.0", "2.0.0"][built]
    assert sorted(feed.folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"nuget": "Mine@1,9"}, BenchError, "NuGet here has no Mine 9: its newest are .*2.0.0"),
        ({"nuget": "Nowhere@1,2"}, BenchError, "no Nowhere 1: it has no package of that name"),
        ({"nuget": "Other@1.0.0,2.0.0"}, InputError, "no #:package or PackageReference Other"),
        ({"dotnet": "4,10"}, InputError, "there is no .NET 4"),
        ({"dotnet": "10,77"}, BenchError, r"\.NET 77 can't be had: NuGet here has no Microsoft"),
    ],
)
def test_what_can_not_be_had_is_told(feed, given, error, said):
    with pytest.raises(error, match=said):
        feed.names("a.cs", **given)


def test_a_whole_version_that_nuget_does_not_have_is_told_by_the_build(feed):
    found = feed.variants("a.cs", nuget="Mine@1.2.0,1.2.7")
    reasons = readiness.make_ready(found, lambda text: None)
    assert reasons["Mine@1.2.0"] == ""
    assert "NuGet here has no package Mine 1.2.7" in reasons["Mine@1.2.7"]


METHOD = """#:package Mine@1.0.0
public static class Reads
{
    static readonly string place = Path.Combine(AppContext.BaseDirectory, "mine.txt");
    public static string Version() => File.ReadAllText(place);
}
"""


def test_methods_are_built_with_each_version(feed):
    feed.write({"m.cs": METHOD})
    with pytest.raises(BenchError, match='answers otherwise than Mine 1.2.0: it has "2.0.0"'):
        feed.names("m.cs", nuget="Mine@1.2.0,2.0.0")
    found = feed.variants("m.cs", nuget="Mine@1.2.0,2.0.0", answers="any")
    assert [variant.name for variant in found] == ["Mine@1.2.0", "Mine@2.0.0"]
    feed.write({"b.cs": METHOD.replace("#:package Mine@1.0.0\n", "").replace("mine.txt", "no.txt")})
    with pytest.raises(InputError, match="no #:package or PackageReference Mine"):
        feed.names("b.cs", nuget="Mine@1.2.0,2.0.0")


# ── Versions of .NET ─────────────────────────────────────────────────────────────────────────────

RUNS = "#:property PublishAot=false\nConsole.Write(Environment.Version.Major);\n"


def test_installed_versions_run_what_is_compiled_for_them(asked, checkout):
    installed = list(dotnet_versions.installed())
    asked.write({"a.cs": RUNS})
    found = asked.variants("a.cs", dotnet=",".join(installed), env="A=0,1")
    assert {need for variant in found for need in variant.needs} == {
        f"dotnet:{version}" for version in installed
    }
    assert printed(found[::2]) == installed
    told = [readiness.software(variant)[0] for variant in found[::2]]
    assert told == [
        f".NET SDK {builds.dotnet_version()}, .NET {whole}"
        for whole in dotnet_versions.installed().values()
    ]


@pytest.mark.parametrize("word", ["s.mjs", "dotnet a.dll"])
def test_what_dotnet_does_not_run_is_refused(asked, word):
    asked.write({"s.mjs": "process.env.PORT"})
    installed = next(iter(dotnet_versions.installed()))
    with pytest.raises(InputError, match="--dotnet: is for none of these programs"):
        asked.names(word, dotnet=installed)


FRAMEWORK = ("TargetFramework", "TargetFrameworks")


def test_versions_that_are_not_all_installed_are_all_built_with_their_runtime(asked, monkeypatch):
    have = ("7.0.20", "11.0.0-rc.1", "8.0.4", "8.0.31", "12.0.1")
    monkeypatch.setattr(nuget, "versions", lambda package: have)
    monkeypatch.setattr(dotnet_versions, "installed", lambda: {"8": "8.0.4"})
    asked.write({"a.cs": RUNS})
    found = asked.variants("a.cs", dotnet="8,12")
    assert [variant.name for variant in found] == ["dotnet-8", "dotnet-12"]
    assert [variant.title for variant in found] == [".NET 8.0.31", ".NET 12.0.1"]
    newest = builds.dotnet_version().partition(".")[0]
    for variant, whole, framework in zip(found, ["8.0.31", "12.0.1"], ["8", newest]):
        given = app_builds.chosen(variant)
        assert f"RuntimeFrameworkVersion={whole}" in given and "SelfContained=true" in given
        # seen: a restore that was given TargetFramework alone got packages for the project's own
        assert {f"{name}=net{framework}.0" for name in FRAMEWORK} <= set(given)
        [command] = runners.get(variant.path).command(variant, {}, variant.runs_in)
        assert command.endswith("/out/a")  # it is no DLL that the installed .NET would run
    assert any("12.0.1 they are compiled for" in text for text in asked.said)


def test_a_need_for_a_version_that_is_not_installed_says_how_it_can_be_had():
    assert readiness.lacks("dotnet:8.0.31") == ""
    reason = readiness.lacks("dotnet:5")
    assert ".NET 5 is not installed here" in reason and "as 8.0.31" in reason
