"""What doctor looks for: each check says what it found, what that is for and how to get it.

Nothing here needs a package, because a diagnosis must also work before set-up.
"""

from __future__ import annotations

import contextlib
import errno
import importlib.metadata
import json
import platform
import random
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchbook import loadtools
from benchbook.loadtools.tool import LoadTool
from benchbook.programs.runtimes import javascript
from benchbook.setup import steps
from benchbook.setup.routes import pythons
from benchbook.setup.tools import node, remedies
from benchbook.system import machine, paths, probe
from benchbook.system.versions import node_package_versions
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.platforms import major
from benchbook_kernels.install.kernelspecs import KERNELS, folder_in
from benchbook_kernels.install.remedies import MINIMUM_DOTNET, MINIMUM_NODE

PORTS = (20000, 32768)  # programs.PORTS, which needs packages
MOST_PROGRAMS = 48  # that listen at once, each on a port of its own
ROOM_MIB = 1024  # builds, runs and executed notebooks fit into this


@dataclass(frozen=True)
class Check:
    """One thing that was looked for. csharp: it is what C# needs."""

    name: str
    status: str  # ok, warning or missing
    found: str
    needed_for: str
    remedy: str = ""
    required: bool = True
    csharp: bool = False


Look = Callable[[], Check | list[Check]]
MORE_FILES = "raise the limits of this shell, or start a new one: ulimit -n 4096"
# What is raised where a limit of this shell is in the way: too few files, threads, too little
# memory; a folder that can't be listed for it looks like an empty one (LookupError).
IN_THE_WAY = (OSError, RuntimeError, MemoryError, LookupError, ImportError)


def looked(name: str, look: Look) -> list[Check]:
    """What a check found; that it could not look, where a limit is in the way."""
    try:
        found = look()
        return found if isinstance(found, list) else [found]
    except IN_THE_WAY as error:
        why = getattr(error, "strerror", "") or str(error) or type(error).__name__
        said = f"can't be looked at ({why})"
        return [Check(name, "warning", said, "this diagnosis", MORE_FILES)]


def check_limits() -> Check:
    """The limits of the shell (ulimit), which the programs of a race get, too."""
    name, purpose = "limits", "races with many connections, builds"
    low = [
        (f"only {soft:,} {what}", f"ulimit {flag} {unit if flag == '-n' else 'unlimited'}")
        for what, flag, unit, soft in system_limits()
        if soft < unit
    ]
    if low:
        found = ", ".join(told for told, _ in low)
        return Check(name, "warning", found, purpose, "; ".join(remedy for _, remedy in low))
    return Check(name, "ok", "enough files, processes and memory", purpose)


def system_limits() -> list[tuple[str, str, int, int]]:
    """(what, ulimit's option, as much as is needed, as much as may be had); [] on Windows."""
    try:
        import resource
    except ImportError:
        return []
    wanted = (
        ("open files", "-n", 1024, "RLIMIT_NOFILE"),
        ("processes and threads", "-u", 512, "RLIMIT_NPROC"),
        ("bytes of memory", "-v", 8 << 30, "RLIMIT_AS"),
        ("bytes in a file", "-f", 1 << 30, "RLIMIT_FSIZE"),
    )
    found = []
    for what, flag, least, limit in wanted:
        soft = resource.getrlimit(getattr(resource, limit))[0] if hasattr(resource, limit) else -1
        if soft >= 0:  # -1, or a very large number, is none
            found.append((what, flag, least, soft))
    return found


def check_setup(ready: bool, route: str) -> Check:
    if ready:
        return Check("set-up", "ok", f"finished, route {route}", "everything")
    found = "files that it was made from have changed" if route else "not set up yet"
    if route:
        return Check("set-up", "warning", found, "everything", "./bench setup")
    return Check("set-up", "missing", found, "everything", "./bench setup")


def check_python() -> Check:
    version = platform.python_version()
    if sys.version_info[:2] >= pythons.MINIMUM_PYTHON:
        return Check("Python", "ok", f"{version} ({sys.executable})", "Benchbook itself")
    return Check(
        "Python",
        "missing",
        f"{version} is too old: 3.11 or newer is needed",
        "Benchbook itself",
        "conda env create -f environment.yml, or a newer Python on PATH, then ./bench setup",
    )


def lower_bounds() -> dict[str, str]:
    """The oldest versions that the pip route is content with."""
    text = probe.read(paths.root() / "requirements.txt")
    return dict(re.findall(r"(?m)^([\w-]+)>=([\w.]+)", text))


def older(version: str, bound: str) -> bool:
    def numbers(text: str) -> list[int]:
        return [int(part) for part in re.findall(r"\d+", text)[:3]]

    return numbers(version) < numbers(bound)


def check_packages(route: str) -> list[Check]:
    """Python packages, with their versions; only the pip and conda routes have lower bounds."""
    front_end = pythons.FRONT_ENDS.get(route, "jupyterlab")
    bounds = lower_bounds() if route in ("pip", "conda") else {}
    command = f"./bench setup --route {route}" if route else "./bench setup"
    modules: tuple[str, ...] = (*pythons.MODULES, front_end)
    if paths.checkout() is None:  # neither the project's tests nor its notebooks are here
        modules = tuple(each for each in pythons.MODULES if each != "pytest")
        command = f"{sys.executable} -m pip install benchbook's wheel again"
    checks = []
    for module in modules:
        purpose = "the notebooks" if module == front_end else "Benchbook itself"
        if find_spec(module) is None:
            checks.append(Check(module, "missing", "not installed", purpose, command))
            continue
        try:
            version = importlib.metadata.version(module)
        except importlib.metadata.PackageNotFoundError:
            version = "of unknown version"
        if module in bounds and older(version, bounds[module]):
            found = f"{version}, older than {bounds[module]}"
            checks.append(Check(module, "warning", found, purpose, command))
        else:
            checks.append(Check(module, "ok", version, purpose))
    return checks


def check_kernelspecs(ready: bool) -> Check:
    """The notebook kernels must be installed in this environment and point to its Python."""
    name, purpose = "kernels", "the notebooks"
    folder = folder_in(sys.prefix)
    good: list[str] = []
    bad: list[str] = []
    for file in sorted(folder.glob("benchbook-*/kernel.json")):
        try:
            program = json.loads(file.read_text(encoding="utf-8"))["argv"][0]
        except (OSError, ValueError, KeyError, IndexError):
            bad.append(file.parent.name)
            continue
        known = program == "python" or shutil.which(program)  # Jupyter's own, or a path
        (good if known else bad).append(file.parent.name)
    if bad:
        found = f"{', '.join(bad)}: kernel.json in {folder} names no Python that exists"
        return Check(name, "missing", found, purpose, "./bench setup")
    if absent := [known for known in KERNELS if known not in good]:
        found = f"no {' and no '.join(absent)} in {folder}"
        return Check(name, "missing", found, purpose, "./bench setup")
    return Check(name, "ok", ", ".join(good), purpose)


def check_node(versions: dict[str, Any], route: str) -> Check:
    version = versions["node"]
    if major(version) >= MINIMUM_NODE:
        return Check("Node.js", "ok", version, "the Node.js experiments")
    found = f"{version} is too old: 20 or newer is needed" if version else "not on PATH"
    hint = remedies.remedy("node", route)
    return Check("Node.js", "missing", found, "the Node.js experiments", hint)


def check_node_modules() -> Check:
    name, purpose = "Node.js packages", "Fastify variants, autocannon and offline plots"
    if node.node_modules_in_step(paths.root()):
        found = node_package_versions()
        text = ", ".join(f"{package} {version}" for package, version in found.items() if version)
        return Check(name, "ok", text, purpose)
    there = (paths.root() / "node_modules").exists()
    found_text = "node_modules is not in step with package-lock.json" if there else "not installed"
    return Check(name, "missing", found_text, purpose, "./bench setup")


def check_dotnet(versions: dict[str, Any], route: str) -> Check:
    version, purpose = versions["dotnet-sdk"], "the C# experiments"
    if major(version) >= MINIMUM_DOTNET:
        return Check(".NET SDK", "ok", version, purpose, required=False, csharp=True)
    found = f"{version} is too old: 10 or newer is needed" if version else "not on PATH"
    hint = remedies.remedy("dotnet", route)
    return Check(".NET SDK", "missing", found, purpose, hint, required=False, csharp=True)


def check_switches() -> list[Check]:
    """C# variants that run in another .NET than the others; nothing where there is none."""
    from benchbook.model import experiments  # which needs packages that set-up brings
    from benchbook.programs import readiness

    found, told = list[str](), list[tuple[str, str]]()
    for folder in experiments.folders():
        with contextlib.suppress(BenchError):
            experiment = experiments.load(folder)
            for variant in experiment.variants:
                if remarks := readiness.remarks(variant):
                    found.append(f"{experiment.number}/{variant.name}")
                    told += [(problem, remedy) for _, problem, remedy in remarks]
    if not found:
        return []
    problems, remedies_told = ("; ".join(dict.fromkeys(each)) for each in zip(*told, strict=True))
    return [
        Check(
            "C# variants",
            "warning",
            ", ".join(found),
            f"what it says of each: {problems}",
            remedies_told,
            False,
        )
    ]


def check_tools(versions: dict[str, Any], route: str) -> list[Check]:
    """Load generators (one is enough), nginx and Mono."""
    checks = [check_load_tool(tool, versions, route) for tool in loadtools.declared().values()]
    purposes = {
        "nginx": "variants behind a web server (experiment 02)",
        "mono": "variants on .NET Framework's System.Web (experiments 01 to 03)",
    }
    for tool, purpose in purposes.items():
        hint = remedies.remedy(tool, route)
        checks.append(optional(tool, versions.get(tool), purpose, "not on PATH", hint))
    checks += [
        check_runtime("Deno", "deno.com", "experiments 08 and 13", versions),
        check_runtime("Bun", "bun.com", "experiment 13", versions),
    ]
    gerbil = versions.get("gerbil")
    checks.append(optional("Gerbil", gerbil, "experiment 08", "not installed", remedies.GERBIL))
    return checks


def check_runtime(name: str, site: str, purpose: str, versions: dict[str, Any]) -> Check:
    """A runtime of JavaScript that set-up gets from npm, else somebody has on PATH."""
    found = versions["node_packages"].get(name.lower()) or versions.get(name.lower())
    where = f"where npm has a binary for this system ({javascript.SIZE}); else https://{site}"
    return optional(name, found, purpose, "not installed", f"./bench setup, {where}")


def optional(name: str, version: str | None, purpose: str, absent: str, remedy: str) -> Check:
    """A program that only some variants need; absent: what is said where it has no version."""
    if version:
        return Check(name, "ok", version, purpose, required=False)
    return Check(name, "missing", absent, purpose, remedy, required=False)


def check_load_tool(tool: LoadTool, versions: dict[str, Any], route: str) -> Check:
    """A load generator: a command on PATH, or an npm package of this project."""
    version = (versions["node_packages"] if tool.npm else versions).get(tool.npm or tool.name)
    absent = "not installed" if tool.npm else "not on PATH"
    return optional(tool.name, version, tool.purpose, absent, remedies.remedy(tool.name, route))


def check_browser() -> Check:
    name, purpose = "Chromium", "experiment 07 in the browser, the browser tests"
    found = remedies.find_browser()
    if found:
        return Check(name, "ok", found, purpose, required=False)
    hint = "./bench setup --with-browser"
    return Check(name, "missing", "not found", purpose, hint, required=False)


def check_disk() -> Check:
    name, purpose = "disk space", "builds, runs and executed notebooks"
    free_mib = shutil.disk_usage(existing(paths.root())).free >> 20
    if free_mib >= ROOM_MIB:
        return Check(name, "ok", f"{free_mib / 1024:.0f} GiB free", purpose)
    status = "warning" if free_mib >= ROOM_MIB // 4 else "missing"
    hint = f"free {ROOM_MIB} MiB on the disk of this folder; .benchbook/scratch may be deleted"
    return Check(name, status, f"{free_mib} MiB free", purpose, hint)


def check_csharp(versions: dict[str, Any]) -> Check:
    """The C# session of the notebooks is built by set-up, where there is an SDK."""
    name, purpose = "C# session", "C# cells"
    try:
        from benchbook_kernels.notebook.sessions import csharp

        built = bool(versions["dotnet-sdk"]) and csharp.built() is not None
    except (ImportError, OSError):
        built = False
    if built:
        return Check(name, "ok", "built", purpose, required=False, csharp=True)
    hint = "./bench setup, with the .NET SDK on PATH and NuGet in reach (or --from a bundle)"
    return Check(name, "missing", "not built", purpose, hint, required=False, csharp=True)


def check_renderer() -> Check:
    """Can a plot be made and drawn with no network? Makes a small one, as notebooks do."""
    name, purpose = "plots", "every notebook's figures, with no network"
    hint = "./bench setup" if paths.checkout() else "pip install --upgrade plotly"
    try:
        from plotly import graph_objects

        from benchbook.show import embed

        made = graph_objects.Figure(graph_objects.Scatter(x=[1, 2], y=[1, 2])).to_json()
        script = embed.packed_library()
    except (ImportError, OSError, ValueError) as error:
        return Check(name, "missing", f"plotly fails: {error}", purpose, hint)
    if not script or '"scatter"' not in made:
        return Check(name, "missing", "plotly.js is not there", purpose, hint)
    return Check(name, "ok", f"plotly.js of {len(script) / 2**20:.1f} MiB, drawn offline", purpose)


def check_ports() -> Check:
    """Programs listen on 127.0.0.1, all of an experiment's at once."""
    name, purpose = "free ports", "HTTP variants, which listen on 127.0.0.1"
    reason = ""
    hint = "check the firewall and that the loopback interface is up (ip link set lo up)"
    with contextlib.ExitStack() as listening:
        free = 0
        for port in random.sample(range(*PORTS), 3 * MOST_PROGRAMS):
            try:
                listener = listening.enter_context(socket.socket())
                listener.bind(("127.0.0.1", port))
                free += 1
            except OSError as error:
                reason = str(error.strerror)
                if error.errno in (errno.EMFILE, errno.ENFILE):
                    hint = MORE_FILES
            if free == MOST_PROGRAMS:
                found = f"{free} on 127.0.0.1, from {PORTS[0]} to {PORTS[1] - 1}"
                return Check(name, "ok", found, purpose)
    found = f"{free} of {3 * MOST_PROGRAMS} tried on 127.0.0.1 ({reason})"
    return Check(name, "warning" if free else "missing", found, purpose, hint)


def check_power() -> Check:
    """A laptop that saves power measures its power plan."""
    name, purpose = "power mode", "figures that can be compared with a neighbour's"
    source, plan = machine.power_source(), machine.power_saving()
    bad = [*(["on battery"] if source == "battery" else []), *([plan] if plan else [])]
    if bad:
        hint = "plug it in and choose the power mode for performance"
        return Check(name, "warning", ", ".join(bad), purpose, hint)
    return Check(name, "ok", "mains" if source else "no battery, no power saving", purpose)


def check_writable() -> Check:
    name, purpose = paths.state().name, "logs, builds and runs"
    place = existing(paths.state())
    try:
        with tempfile.TemporaryFile(dir=place):
            return Check(name, "ok", "can be written", purpose)
    except OSError as error:
        hint = steps.to_write_there(error, place)
        found = f"{place} cannot be written: {error.strerror}"
        return Check(name, "missing", found, purpose, hint)


def existing(place: Path) -> Path:
    """A folder, or the nearest above it that is there."""
    return next((path for path in (place, *place.parents) if path.exists()), place)
