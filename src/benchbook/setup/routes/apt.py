"""Debian and Ubuntu packages, by apt-get; sudo only where allowed. Standard library only."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchbook import loadtools
from benchbook.setup.steps import Setup, SetupError
from benchbook_kernels.base import platforms
from benchbook_kernels.base.running import run
from benchbook_kernels.install.remedies import apt_candidate


def apt_sections(root: Path) -> dict[str, list[str]]:
    """requirements-apt.txt: packages by purpose; the load generators are tools, too."""
    sections: dict[str, list[str]] = {}
    name = ""
    for line in (root / "requirements-apt.txt").read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("["):
            name = line.strip("[]")
            sections[name] = []
        elif line:
            sections[name].append(line)
    loads = loadtools.declared().values()
    sections["tools"] += [tool.packages["apt"] for tool in loads if "apt" in tool.packages]
    return sections


def has_apt() -> bool:
    return bool(shutil.which("apt-get") and shutil.which("dpkg-query"))


def not_installed(packages: Sequence[str]) -> list[str]:
    """Which of these Debian packages are not fully installed."""
    try:
        wanted = ["-f", "${db:Status-Status} ${Package}\n", *packages]
        listed = run(["dpkg-query", "-W", *wanted], timeout=60).stdout
    except OSError:
        return list(packages)
    there = {
        line.split()[1]
        for line in listed.splitlines()
        if len(line.split()) == 2 and line.split()[0] == "installed"
    }
    return [package for package in packages if package not in there]


def apt_install(setup: Setup, required: Sequence[str], optional: Sequence[str] = ()) -> None:
    """Install what is missing of these; only the required ones may stop the set-up."""
    missing = not_installed(list(dict.fromkeys([*required, *optional])))
    if not missing:
        return
    needed = [package for package in missing if package in required]
    words = ["sudo apt-get install --no-install-recommends", *missing]
    command = platforms.for_this_user(" ".join(words))
    root = platforms.is_root()
    if not root and not may_use_sudo(setup, missing, command):
        if needed:
            offer = "\n  or let set-up do it: ./bench setup --yes (uses sudo)"
            raise SetupError(
                f"Debian packages are missing: {' '.join(needed)}",
                command + (offer if platforms.has_sudo() and not setup.options.yes else ""),
            )
        setup.notes.append(f"optional, not installed: {' '.join(missing)}; to get it: {command}")
        return
    sudo: list[str] = [] if root else ["sudo"]
    apt = Apt(setup, sudo)
    with setup.step(f"Debian packages: {summary(missing)}"):
        unknown = [package for package in missing if not apt_candidate(package)]
        if unknown:
            apt.update()
            unknown = [package for package in missing if not apt_candidate(package)]
        if lacking := [package for package in needed if package in unknown]:
            raise SetupError(
                f"apt has no package named {' or '.join(lacking)}",
                "check the apt sources (Debian 12 or Ubuntu 24.04 and newer have them), "
                "or take another route: ./bench setup --route pip",
            )
        wanted = [package for package in missing if package not in unknown]
        try:
            if wanted:
                apt.install(wanted)
        except SetupError:
            if not needed:
                raise
            apt.install(needed)
    if left := not_installed([package for package in missing if package not in needed]):
        setup.notes.append(f"optional, could not be installed: {' '.join(left)}")


def summary(packages: Sequence[str]) -> str:
    shown = " ".join(packages[:4])
    return shown if len(packages) <= 4 else f"{shown} and {len(packages) - 4} more"


def may_use_sudo(setup: Setup, missing: Sequence[str], command: str) -> bool:
    """Whether to go on as root: only where the user has said so."""
    if not platforms.has_sudo():
        return False
    if setup.options.yes:
        return True
    if not sys.stdin.isatty() or not sys.stderr.isatty():
        return False
    print(f"These packages are missing: {' '.join(missing)}", file=sys.stderr)
    print(f"Run this now?  {command}  [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


@dataclass
class Apt:
    """apt-get, made to work unattended and to wait for another apt to end."""

    setup: Setup
    sudo: list[str]

    def get(self, *arguments: str) -> None:
        interactive = bool(self.sudo) and sys.stdin.isatty()
        sudo = self.sudo if interactive or not self.sudo else ["sudo", "-n"]
        environment = ["env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8"]
        if settings := os.environ.get("APT_CONFIG"):  # sudo would drop it
            environment.append(f"APT_CONFIG={settings}")
        self.setup.run(
            [
                *sudo,
                *environment,
                "apt-get",
                "-q",
                "-y",
                "-o",
                "DPkg::Lock::Timeout=600",
                *arguments,
            ],
            remedy="read .benchbook/setup.log, mend the apt sources, then call ./bench setup again",
            own_group=not self.sudo,
            stdin=None if interactive else subprocess.DEVNULL,
            hold_lock=False,
        )

    def update(self) -> None:
        """Fetch the package lists; a source that does not answer need not be the one we want."""
        with contextlib.suppress(SetupError):
            self.get("update")

    def install(self, packages: Sequence[str]) -> None:
        if interrupted_dpkg():
            self.setup.run([*self.sudo, "dpkg", "--configure", "-a"], check=False)
        arguments = ("install", "--no-install-recommends", *packages)
        try:
            self.get(*arguments)
        except SetupError:
            self.update()  # lists that are too old name files that are gone
            self.get(*arguments)


def interrupted_dpkg() -> bool:
    """Whether an earlier dpkg was stopped half-way."""
    updates = Path("/var/lib/dpkg/updates")
    try:
        return any(updates.iterdir())
    except OSError:
        return False
