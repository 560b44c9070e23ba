"""Node.js and its packages, for every route."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from pathlib import Path

from benchbook.setup.routes.apt import apt_install, has_apt
from benchbook.setup.steps import Environment, Setup, SetupError, search_path
from benchbook.setup.tools.remedies import remedy
from benchbook_kernels.base.files import write_atomically
from benchbook_kernels.base.platforms import major
from benchbook_kernels.base.running import output_of
from benchbook_kernels.install.remedies import MINIMUM_NODE, apt_version


def ensure_node(setup: Setup, environment: Environment) -> None:
    """Node.js and npm are needed by most experiments; apt may have a version that is new enough."""
    search = search_path(environment)
    if node_problem(search) and environment.route != "conda" and has_apt():
        # one after the other: some sources' nodejs brings npm and conflicts with Debian's
        for package in ("nodejs", "npm"):
            if node_problem(search) and major(apt_version("nodejs")) >= MINIMUM_NODE:
                with contextlib.suppress(SetupError):
                    apt_install(setup, [package])
    if problem := node_problem(search):
        raise SetupError(problem, remedy("node", environment.route))


def node_problem(search: str) -> str:
    """What is wrong with Node.js on this PATH; empty where nothing is."""
    node = shutil.which("node", path=search)
    if not node:
        return f"Node.js is missing (version {MINIMUM_NODE} or newer is needed)"
    version = output_of([node, "--version"])
    if major(version) < MINIMUM_NODE:
        return f"Node.js {version or '?'} is too old: {MINIMUM_NODE} or newer is needed"
    return "" if shutil.which("npm", path=search) else "npm is missing (it comes with Node.js)"


def lock_digest(root: Path) -> str:
    both = (root / "package.json").read_bytes() + (root / "package-lock.json").read_bytes()
    return hashlib.sha256(both).hexdigest()


def node_modules_in_step(root: Path) -> bool:
    """Whether node_modules was finished from this very package-lock.json."""
    try:
        mark = (root / "node_modules" / ".benchbook").read_text(encoding="utf-8").strip()
    except OSError:
        return False
    return mark == lock_digest(root) and (root / "node_modules" / ".package-lock.json").exists()


def install_node_packages(setup: Setup, environment: Environment) -> None:
    if node_modules_in_step(setup.root):
        return
    (setup.root / "node_modules" / ".benchbook").unlink(missing_ok=True)
    env = {**os.environ, "PATH": search_path(environment)}
    cache = Path(env.get("npm_config_cache") or Path.home() / ".npm")
    home = next(path for path in (cache, *cache.parents) if path.exists())
    if not os.access(home, os.W_OK):
        env["npm_config_cache"] = str(setup.state / "npm-cache")
    npm = shutil.which("npm", path=env["PATH"]) or "npm"
    with setup.step("Node.js packages from package-lock.json, with npm"):
        quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
        setup.run(
            [npm, "ci", "--include=dev", "--ignore-scripts", *quiet],
            env=env,
            cwd=setup.root,
            remedy="check the network and npm's settings (npm config list), then ./bench setup",
        )
    write_atomically(setup.root / "node_modules" / ".benchbook", lock_digest(setup.root) + "\n")
