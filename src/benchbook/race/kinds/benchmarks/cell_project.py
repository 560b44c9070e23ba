"""A cell's [Benchmark] class as a project, with the packages that the cell names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from xml.sax.saxutils import quoteattr

from benchbook.programs.readiness import Say
from benchbook.race.kinds.functions.dotnet_project import (
    CELL,
    MicroError,
    PackageTooNew,
    Project,
    build,
    central_packages,
    stage,
)
from benchbook.race.kinds.functions.files import dotnet_text
from benchbook_kernels.base import builds

# what a cell may use without saying so: as in the C# session, and BenchmarkDotNet's
USINGS = (
    "System",
    "System.Collections",
    "System.Collections.Generic",
    "System.IO",
    "System.Linq",
    "System.Net.Http",
    "System.Text",
    "System.Threading",
    "System.Threading.Tasks",
    "BenchmarkDotNet.Attributes",
    "BenchmarkDotNet.Configs",
    "BenchmarkDotNet.Engines",
    "BenchmarkDotNet.Jobs",
)

PACKAGE = re.compile(
    r'^[ \t]*#r[ \t]+"nuget:[ \t]*([^",]+?)[ \t]*(?:,[ \t]*([^"]*?)[ \t]*)?"([^\n]*)$'
)
NOTHING = re.compile(r"[\s;]*(?://.*|/\*.*\*/\s*)?")  # what may follow it on its line
DEFERRED = re.compile(
    r"(?:[\w.]*Task\s*<\s*)?(?:[\w.]+\.)?"
    r"(IAsyncEnumerable|IEnumerable|IOrderedEnumerable|IQueryable|IEnumerator|Lazy)\b"
)


@dataclass(frozen=True)
class Package:
    """`#r "nuget: NAME, VERSION"`; version '' is the one that the project uses, or the newest."""

    name: str
    version: str = ""


def build_cell(code: str, say: Say) -> Project:
    """A cell's class as a project, built. Raises MicroError with its errors, at the cell's lines.

    Of a package without a version the newest is taken that this .NET can use.
    """
    check(code)
    limits: dict[str, str] = {}
    while True:
        project = stage_cell(code, limits)
        try:
            build(project, say)
            return project
        except PackageTooNew as error:
            lower = {name.lower(): older_than(v) for name, v in error.packages.items()}
            named = {package.name.lower() for package in cell_packages(code) if not package.version}
            newly = {name: lower[name] for name in named & lower.keys()}
            if not newly.items() - limits.items():
                raise
            limits |= newly


def check(code: str, first_line: int = 2) -> None:
    """Raise MicroError for what can be seen to be wrong without a build: code beside a package, no
    benchmark, methods that can't be called or whose work would not be timed. The harness sees more
    of the latter (Unfinished.cs).
    """
    for number, line in enumerate(code.splitlines(), first_line):
        if (match := PACKAGE.match(line)) and not NOTHING.fullmatch(match[3]):
            lost = match[3].strip(" \t;")
            problem = f"cell, line {number}: '{lost}' on the line of a package would be lost"
            raise MicroError(problem, "write it on the next line")
    bare = dotnet_text.bare(code)
    if "Benchmark" not in bare:
        problem = "there is no [Benchmark] method"
        raise MicroError(problem, "mark the methods that are to be timed with [Benchmark]")
    for method in dotnet_text.METHOD.finditer(bare):
        modifiers, result, name = method.groups()
        place = f"cell, line {first_line + bare.count(chr(10), 0, method.start(3))}: {name}"
        if result == "void" and "async" in modifiers.split():
            why = "is async void: it returns at its first await, and nobody can wait for the rest"
            raise MicroError(f"{place} {why}", "return a Task")
        if "public" not in modifiers.split():
            why = "is not public, so BenchmarkDotNet can't call it"
            raise MicroError(f"{place} {why}", "make it public")
        if deferred := DEFERRED.match(result):
            returns = " ".join(result.split())
            why = f"returns {returns}, which nobody enumerates, so its work would not be timed"
            if deferred[1] == "IAsyncEnumerable":
                remedy = "go through it with await foreach, and return what comes out"
            else:
                remedy = "return its sum, its ToArray(), or whatever needs the work to be done"
            raise MicroError(f"{place} {why}", remedy)


def older_than(version: str) -> str:
    """The range in which an older version may ask for less: up to the major version before."""
    major = version.partition(".")[0]
    return f"[*,{version if major == '0' else f'{major}.0.0'})"


def cell_packages(code: str) -> list[Package]:
    """The packages that a cell names."""
    matches = filter(None, map(PACKAGE.match, code.splitlines()))
    return [Package(match[1], match[2] or "") for match in matches]


def without_packages(code: str) -> str:
    """A cell's code, at its own lines."""
    return "\n".join("" if PACKAGE.match(line) else line for line in code.splitlines())


def stage_cell(code: str, limits: Mapping[str, str] = {}, first_line: int = 2) -> Project:
    """A project of a cell's class; errors are told at its lines (the magic is the first).

    limits: name of a package without a version, in lower case -> the range to take it from.
    """
    packages = [
        replace(package, version=package.version or limits.get(package.name.lower(), ""))
        for package in cell_packages(code)
    ]
    source = "\n".join([f"#line {first_line}", without_packages(code), ""])
    usings = "".join(f"global using {name};\n" for name in USINGS)
    central = central_packages()
    web = '\n    <FrameworkReference Include="Microsoft.AspNetCore.App" />'
    references = "".join(
        f"\n    {reference(package, central)}"
        for package in [Package("BenchmarkDotNet"), *packages]
    )
    project = f"""<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net{target()}</TargetFramework>
    <Nullable>annotations</Nullable>
    <AllowUnsafeBlocks>true</AllowUnsafeBlocks>
    <CentralPackageFloatingVersionsEnabled>true</CentralPackageFloatingVersionsEnabled>
    <SatelliteResourceLanguages>en</SatelliteResourceLanguages>
    <RollForward>Major</RollForward>
    <NuGetAudit>false</NuGetAudit>
  </PropertyGroup>
  <ItemGroup>{web if "Microsoft.AspNetCore" in code else ""}{references}
  </ItemGroup>
</Project>
"""
    return stage({CELL: source, "Usings.cs": usings}, project, central)


def target() -> str:
    """The version of .NET that projects are built for: that of the SDK."""
    return ".".join([(builds.dotnet_version() or "10.0").partition(".")[0], "0"])


def reference(package: Package, central: str) -> str:
    """A PackageReference: with its own version, or with the one that Benchbook uses."""
    known = f'Include="{package.name}"'.lower() in central.lower()
    version = package.version or ("" if known else "*")
    own = f" VersionOverride={quoteattr(version)}" if version else ""
    return f"<PackageReference Include={quoteattr(package.name)}{own} />"
