"""NuGet packages, and workloads of the .NET SDK: can they be had here? Not every feed has all.

A package is asked for in the version that everything here uses, or in another as NAME@VERSION.

What was found out is kept beside the builds: a package that was there once is not asked for again;
one that was missing is asked for anew before every race, because it may have come.
"""

import re
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

from benchbook.programs import app_builds, runners
from benchbook.system import paths
from benchbook_kernels.base import builds

REMEDY = "get it with: dotnet nuget add source URL"
PATIENCE_SECONDS = 120  # for NuGet to find out
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


def probe(name: str) -> str:
    """Why a package can't be had, '' where it can: asks NuGet, unless it gave it before."""
    path = record(name)
    if path.is_file() and not lacks(name):
        return ""
    reason = restore(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(reason, encoding="utf-8")
    return reason


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


def restore(name: str) -> str:
    """Restore a project that refers to the package only; why that failed, '' where it did not."""
    if reason := runners.Dotnet().missing():
        return reason
    paths.scratch().mkdir(parents=True, exist_ok=True)
    # a folder of its own, because others may ask at the same time
    folder = Path(tempfile.mkdtemp(prefix="nuget-", dir=paths.scratch()))
    project = folder / "probe.csproj"
    project.write_text(PROJECT.format(name=name.partition("@")[0]), encoding="utf-8")
    unknown = f"NuGet did not say whether it has the package {name}"
    try:
        command = ["dotnet", "restore", str(project), "-v:quiet", "--disable-build-servers"]
        command += [f"-p:{each}" for each in app_builds.versions([f"nuget:{name}"])]
        code, output = builds.run(command, folder, PATIENCE_SECONDS)
        if code:
            return f"{builds.first_error(output)}; {REMEDY}"
        # a restore that was ended halfway calls itself a success, but has written nothing
        return "" if (folder / "obj" / "project.assets.json").is_file() else unknown
    except builds.BuildError as error:
        return f"{unknown}: {error.message}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
