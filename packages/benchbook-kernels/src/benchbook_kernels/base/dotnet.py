"""How `dotnet` is called: it says and starts nothing beside its work; one build runs at a time."""

from contextlib import AbstractContextManager
from pathlib import Path

from benchbook_kernels.base import files

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
