"""NuGet packages, and workloads of the .NET SDK: can they be had here? Not every feed has all.

A package is asked for in the version that everything here uses, or in another as NAME@VERSION.

What was found out is kept beside the builds: a package that was there once is not asked for again;
one that was missing is asked for anew before every race, because it may have come.
"""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from benchbook.programs import app_builds, runners
from benchbook.system import paths
from benchbook_kernels.base import builds, dotnet

REMEDY = "get it with: dotnet nuget add source URL"
PATIENCE_SECONDS, MORE_SECONDS = 120, 30  # for NuGet to find out, and for each package more
UNKNOWN = "NuGet did not say whether it has the package {}"
PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net10.0</TargetFramework>
    <NuGetAudit>false</NuGetAudit>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Include="{name}" />
  </ItemGroup>
</Project>
"""


def lacks(name: str) -> str:
    """Why a package could not be had when it was last asked for, '' where it could or was not."""
    try:
        return record(name).read_text(encoding="utf-8")
    except OSError:
        return ""


def probe(*names: str) -> dict[str, str]:
    """Why packages can't be had, '' where they can: asks NuGet, at once for all that it did not
    give before, here or elsewhere."""
    found = {name: "" for name in names if has_cached(name)}
    missing = [name for name in names if lacks(name) or not record(name).is_file()]
    unknown = [name for name in dict.fromkeys(missing) if name not in found]
    for name, reason in {**found, **(restore(unknown) if unknown else {})}.items():
        if record(name).is_file() and lacks(name) == reason:
            continue
        record(name).parent.mkdir(parents=True, exist_ok=True)
        record(name).write_text(reason, encoding="utf-8")
    return {name: lacks(name) for name in names}


def has_cached(name: str) -> bool:
    """Does NuGet keep a package in just its version for this user? Then it gave it once, with all
    that it depends on."""
    package, exact = name.partition("@")[0].lower(), version(name).lower()
    folder = dotnet.packages_folder()
    if not folder or not exact:
        return False
    return (folder / package / exact / ".nupkg.metadata").is_file()


def record(name: str) -> Path:
    """Where it is kept what was found out about a package in its version."""
    package = name.partition("@")[0]
    return paths.builds() / f"nuget-{package}-{version(name) or 'unknown'}.txt"


@cache
def version(name: str) -> str:
    """The version in which a package is asked for, '' where none is said."""
    if "@" in name:
        return name.partition("@")[2]
    try:
        text = (paths.root() / "Directory.Packages.props").read_text(encoding="utf-8")
    except OSError:
        return ""
    match = re.search(rf'Include="{re.escape(name)}"\s+Version="([^"]+)"', text)
    return match[1] if match else ""


def restore(names: Sequence[str]) -> dict[str, str]:
    """Restore projects that refer to one package each; why that failed, '' where it did not."""
    if reason := runners.Dotnet().missing():
        return dict.fromkeys(names, reason)
    paths.scratch().mkdir(parents=True, exist_ok=True)
    # a folder of its own, because others may ask at the same time
    folder = Path(tempfile.mkdtemp(prefix="nuget-", dir=paths.scratch()))
    try:
        projects = {name: folder / str(i) / "probe.csproj" for i, name in enumerate(names)}
        for name, project in projects.items():
            project.parent.mkdir()
            project.write_text(PROJECT.format(name=name.partition("@")[0]), encoding="utf-8")
        every = app_builds.write(all_restored(projects), folder / "every.proj")
        command = ["dotnet", "restore", str(every), "-v:quiet", "--disable-build-servers"]
        output = builds.run(command, folder, PATIENCE_SECONDS + MORE_SECONDS * len(names))[1]
        return {name: answered(name, project, output) for name, project in projects.items()}
    except builds.BuildError as error:
        return {name: f"{UNKNOWN.format(name)}: {error.message}" for name in names}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def all_restored(projects: Mapping[str, Path]) -> ElementTree.Element:
    """An MSBuild project that restores others, each with the version that its package is asked for
    in. One that fails keeps no other from it."""
    every = ElementTree.Element("Project")
    items = app_builds.add(every, "ItemGroup")
    for name, project in projects.items():
        given = ";".join(app_builds.versions([f"nuget:{name}"]))
        app_builds.add(items, "Each", Include=str(project), AdditionalProperties=given)
    task = {"Projects": "@(Each)", "Targets": "Restore", "ContinueOnError": "true"}
    app_builds.add(app_builds.add(every, "Target", Name="Restore"), "MSBuild", **task)
    return every


def answered(name: str, project: Path, output: str) -> str:
    """What the output of a restore says of one of its projects."""
    own = os.path.join("", *project.parts[-3:])
    lines = [line for line in output.splitlines() if own in line and "error" in line]
    if lines:
        return f"{builds.first_error(chr(10).join(lines))}; {REMEDY}"
    # a restore that was ended halfway calls itself a success, but has written nothing
    if (project.parent / "obj" / "project.assets.json").is_file():
        return ""
    error = next((line for line in output.splitlines() if "error" in line), "")
    return UNKNOWN.format(name) + (f": {builds.first_error(error)}" if error else "")


def lacks_workload(name: str) -> str:
    """Why a workload of the .NET SDK, such as wasm-tools, can't be used; '' where it can."""
    if reason := runners.Dotnet().missing():
        return reason
    if name in workloads():
        return ""
    return f"the .NET workload {name} is not installed; get it with: dotnet workload install {name}"


@cache
def workloads() -> frozenset[str]:
    """The installed workloads of the .NET SDK; it is asked only where there may be some."""
    home = Path(shutil.which("dotnet") or "").resolve().parent
    if sys.platform != "win32" and (home / "sdk").is_dir():
        if not (home / "metadata" / "workloads").is_dir():  # where the SDK keeps its record of them
            return frozenset()
    output = builds.run(["dotnet", "workload", "list", "--machine-readable"], paths.root())[1]
    found = re.search(r'"installed":\[(.*?)\]', output)
    return frozenset(re.findall(r'"([^"]+)"', found[1])) if found else frozenset()
