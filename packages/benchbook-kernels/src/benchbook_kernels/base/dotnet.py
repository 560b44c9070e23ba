"""How `dotnet` is called: it says and starts nothing beside its work; one build runs at a time."""

import os
from contextlib import AbstractContextManager
from pathlib import Path

from benchbook_kernels.base import files, paths

CENTRAL = "Directory.Packages.props"
WAIT_SECONDS = 1800  # for builds of other processes
# Variables with which it is quiet and leaves no server behind.
QUIET = {
    "DOTNET_NOLOGO": "1",
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_CLI_UI_LANGUAGE": "en",
    "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
    "DOTNET_GENERATE_ASPNET_CERTIFICATE": "false",
    "MSBUILDDISABLENODEREUSE": "1",  # no server of MSBuild may outlive a build
}


def one_build(builds: Path) -> AbstractContextManager[int]:
    """Held while a program is built into the folder of builds: one process builds at a time."""
    return files.lock(builds / "building.lock", WAIT_SECONDS)


def packages_folder() -> Path | None:
    """Where NuGet keeps packages for this user, None for one without a home.

    https://learn.microsoft.com/nuget/consume-packages/managing-the-global-packages-and-cache-folders
    """
    try:
        return Path(os.environ.get("NUGET_PACKAGES") or Path.home() / ".nuget" / "packages")
    except RuntimeError:
        return None


def own_project(project: Path) -> Path:
    """The .csproj of a project of ours; where the packages are installed as wheels that of a copy,
    because a build writes beside its project, and needs the versions of packages above or beside
    it."""
    if not paths.SHIPPED.is_dir():
        return project
    copy = paths.state() / project.parent.name
    sources = {path.relative_to(project.parent): path for path in sources_in(project.parent)}
    sources[Path(CENTRAL)] = paths.beside_bench(CENTRAL)
    for name, source in sources.items():
        content = source.read_bytes()
        if not (copy / name).is_file() or (copy / name).read_bytes() != content:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            files.write_atomically(copy / name, content)
    for path in sources_in(copy):  # of an older version
        if path.relative_to(copy) not in sources:
            path.unlink(missing_ok=True)
    return copy / project.name


def sources_in(folder: Path) -> list[Path]:
    """The files that a project's build reads, without what it makes."""
    made = {folder / "bin", folder / "obj"}
    found = [path for path in folder.rglob("*") if path.is_file() and path.name[0] != "."]
    return [path for path in found if not made & set(path.parents)]
