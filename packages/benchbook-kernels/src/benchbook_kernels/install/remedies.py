"""What to type on which platform to get the .NET SDK and Node.js. Standard library only."""

from __future__ import annotations

import shutil
import sys

from benchbook_kernels.base import platforms
from benchbook_kernels.base.platforms import WINDOWS, major
from benchbook_kernels.base.running import output_of

MINIMUM_NODE = 20
MINIMUM_DOTNET = 10

INSTALL = {
    "apt": "sudo apt-get install",
    "dnf": "sudo dnf install",
    "pacman": "sudo pacman -S",
    "zypper": "sudo zypper install",
    "apk": "sudo apk add",
    "brew": "brew install",
    "winget": "winget install",
}
PACKAGES = {
    "node": {
        "apt": "nodejs npm",
        "dnf": "nodejs npm",
        "pacman": "nodejs npm",
        "zypper": "nodejs22 npm22",
        "apk": "nodejs npm",
        "brew": "node",
        "winget": "OpenJS.NodeJS.LTS",
    },
    "dotnet": {
        "apt": "dotnet-sdk-10.0",
        "dnf": "dotnet-sdk-10.0",
        "pacman": "dotnet-sdk aspnet-runtime",
        "apk": "dotnet10-sdk",
        "brew": "--cask dotnet-sdk",
        "winget": "Microsoft.DotNet.SDK.10",
    },
}
CONDA_PACKAGES = {"node": "'nodejs>=20'", "dotnet": "'dotnet-sdk>=10' 'dotnet-aspnetcore>=10'"}
OTHERWISE = {
    "node": "install Node.js 20 or newer: nodejs.org/en/download",
    "dotnet": "install the .NET 10 SDK: dotnet.microsoft.com/download",
}


def package_manager() -> str:
    """The package manager of this machine, by our short name; empty where we know none."""
    commands = {"apt": "apt-get", "brew": "brew", "winget": "winget"}
    order = (
        ("brew",) if sys.platform == "darwin" else ("winget",) if WINDOWS else tuple(INSTALL)[:5]
    )
    for name in order:
        if shutil.which(commands.get(name, name)):
            return name
    return ""


def apt_candidate(package: str) -> str:
    """The version that apt would install; empty where it has none."""
    for line in (output_of(["apt-cache", "policy", package]) or "").splitlines():
        if line.strip().startswith("Candidate:"):
            version = line.split(":", 1)[1].strip()
            return "" if version == "(none)" else version
    return ""


def apt_version(package: str) -> str:
    """The upstream part of apt's candidate, without Debian's epoch."""
    return apt_candidate(package).split(":")[-1]


def remedy(tool: str, route: str = "", manager: str | None = None) -> str:
    """The command that gets "node" or "dotnet" on this machine."""
    manager = package_manager() if manager is None else manager
    if route == "conda":
        return f"conda install --name benchbook --channel conda-forge {CONDA_PACKAGES[tool]}"
    package = PACKAGES[tool].get(manager, "")
    if manager == "apt" and tool == "node":
        version = apt_version("nodejs")
        if "nodesource" in version:
            package = "nodejs"  # brings npm, and conflicts with Debian's
        if major(version) < MINIMUM_NODE:
            package = ""
    if manager == "apt" and tool == "dotnet" and not apt_candidate(package):
        return (
            "curl -fsSL https://dot.net/v1/dotnet-install.sh | bash -s -- --channel 10.0, "
            'then export PATH="$HOME/.dotnet:$PATH"'
        )
    if not package:
        return OTHERWISE[tool]
    return platforms.for_this_user(f"{INSTALL[manager]} {package}")
