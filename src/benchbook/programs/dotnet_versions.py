"""Other versions of .NET than the SDK's: programs are built with the runtime of a version in them.

NuGet brings the runtimes, for self-contained builds
(https://learn.microsoft.com/dotnet/core/deploying/).
A program is compiled for the framework of its version, or the SDK's newest where the version is a
newer one, which is no combination that Microsoft supports.
"""

import re
from collections.abc import Sequence
from functools import cache

from benchbook.programs import npm, nuget
from benchbook.system import versions
from benchbook_kernels.base import builds, paths
from benchbook_kernels.base.errors import BenchError

NAME = "Microsoft.NETCore.App.Runtime"


def wanted(needs: Sequence[str]) -> str:
    """The version that is among needs ("dotnet:8.0.31", "dotnet:8"), '' where none is."""
    return next((need.removeprefix("dotnet:") for need in needs if need.startswith("dotnet:")), "")


def told(needs: Sequence[str]) -> str:
    """The whole number of the version that is needed, '' where none is."""
    return installed().get(wanted(needs), wanted(needs))


def is_whole(version: str) -> bool:
    """Is it a whole version ("8.0.31", "11.0.0-rc.1"), whose runtime a build gets from NuGet? Of
    others ("8") it is the installed runtime that runs what is built."""
    return bool(npm.EXACT.fullmatch(version))


def brings_runtime(needs: Sequence[str]) -> bool:
    """Does what is built for these needs bring its runtime, and is a program of its own?"""
    return is_whole(wanted(needs))


def framework(version: str) -> str:
    """What a program is compiled for, to run on a version: "net8.0"."""
    newest = builds.dotnet_version().partition(".")[0] or "10"
    return f"net{min(int(version.partition('.')[0]), int(newest))}.0"


def properties(needs: Sequence[str]) -> tuple[str, ...]:
    """The properties of a build for a version that is needed; none where none is."""
    version = wanted(needs)
    if not version:
        return ()
    # a restore reads TargetFrameworks, and takes no notice of a TargetFramework that it is given
    target = tuple(
        f"{name}={framework(version)}" for name in ("TargetFramework", "TargetFrameworks")
    )
    target += ("CheckEolTargetFramework=false",)
    if not is_whole(version):
        return target
    alone = f"RuntimeIdentifier={system()}", "SelfContained=true"
    return *target, *alone, f"RuntimeFrameworkVersion={version}", "NuGetAudit=false"


def lacks(version: str) -> str:
    """Why a version can't be used, with the remedy; '' where it can, as far as is known before a
    build."""
    if is_whole(version) or version in installed():
        return ""
    return (
        f".NET {version} is not installed here (there are: {', '.join(installed()) or 'none'}); "
        "install its runtime, or name a whole version, as 8.0.31, for a build with its runtime"
    )


@cache
def installed() -> dict[str, str]:
    """The installed runtimes: the newest of each ("8" -> "8.0.31")."""
    told = versions.command_output(["dotnet", "--list-runtimes"])
    found = re.findall(r"(?m)^Microsoft\.NETCore\.App (\d\S*) \[", told)
    newest: dict[str, str] = {}
    for each in sorted(filter(is_whole, found), key=npm.order):
        newest[each.partition(".")[0]] = each
    return newest


@cache
def system() -> str:
    """The name that .NET has for this system: "linux-x64"."""
    output = builds.run(["dotnet", "--info"], paths.root())[1]  # it leaves temporary folders
    told = re.search(r"(?m)^\s*RID:\s+(\S+)", output)
    if not told:
        raise BenchError("dotnet --info names no RID", "./bench doctor")
    return told[1]


def newest(version: str) -> str:
    """The newest runtime of a version ("8", "8.0.31") that NuGet has. Raises BenchError."""
    try:
        return nuget.newest(f"{NAME}.{system()}", version)
    except BenchError as error:
        raise BenchError(f".NET {version} can't be had: {error.message}", error.remedy) from None
