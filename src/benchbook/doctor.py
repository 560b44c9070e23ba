"""Doctor: what is there, which set-up route and why, what is missing and the command that gets it.

It installs nothing, needs no package (so it also works before set-up) and ends with what disturbs
measurements on this machine right now.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import json
import os
import platform
import random
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchbook import bootstrap, machine, setup_routes
from benchbook.kernel.spec import KERNELS

SYMBOLS = {"ok": "✓", "warning": "!", "missing": "✗"}
PORTS = (20000, 32768)  # programs.PORTS, which needs packages
MOST_PROGRAMS = 40  # that listen at once, each on a port of its own
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


@dataclass(frozen=True)
class Doctor:
    """The whole diagnosis."""

    route: str
    why: str
    checks: list[Check]
    disturbances: list[machine.Disturbance]
    manifest: dict[str, Any]

    @property
    def ok(self) -> bool:
        """Whether all that is required is there."""
        return not any(check.required and check.status == "missing" for check in self.checks)

    def as_dict(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "route": self.route,
            "why": self.why,
            "checks": [asdict(check) for check in self.checks],
            "disturbances": [asdict(disturbance) for disturbance in self.disturbances],
            "machine": self.manifest,
        }

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), indent=2)

    def text(self) -> str:
        """The diagnosis for reading: what is there, what is missing, what disturbs."""
        lines = [f"Set up by route {self.route}: {self.why}" if self.route else self.why, ""]
        width = max(len(check.name) for check in self.checks)
        for check in self.checks:
            optional = "" if check.required or check.status == "ok" else " (optional)"
            symbol = SYMBOLS[check.status]
            lines.append(f" {symbol} {check.name:<{width}}  {check.found}{optional}")
            if check.status != "ok":
                lines.append(f"   {'':<{width}}  for {check.needed_for}")
                lines.append(f"   {'':<{width}}  → {check.remedy}")
        lines += ["", "What disturbs measurements on this machine now:"]
        for disturbance in self.disturbances:
            symbol = "!" if disturbance.severity == "warning" else "·"
            lines.append(f" {symbol} {disturbance.name}: {disturbance.found}")
            lines.append(f"     {disturbance.means}")
            lines.append(f"     → {disturbance.remedy}")
        if not self.disturbances:
            lines.append(" ✓ nothing that can be seen from here")
        missing = [c.name for c in self.checks if c.required and c.status == "missing"]
        if missing:
            lines += ["", f"Not ready: {', '.join(missing)} missing."]
        else:
            csharp = [c.name for c in self.checks if c.csharp and c.status == "missing"]
            without = f" But for C#: {', '.join(csharp)} missing." if csharp else ""
            lines += ["", f"Ready.{without}"]
        return "\n".join(lines)


def report(watch_seconds: float = 0.5, csharp: bool = False) -> Doctor:
    """Look at everything; takes about a second, half of it to watch other processes.

    csharp: what C# needs is required, too.
    """
    route, why = bootstrap.route_taken(bootstrap.ROOT)
    ready = bootstrap.is_ready(bootstrap.ROOT)
    with ThreadPoolExecutor(4) as pool:
        manifest = pool.submit(machine.manifest)
        disturbances = pool.submit(machine.disturbances, watch_seconds)
        browser = pool.submit(check_browser)
        versions = manifest.result()["versions"]
        checks = [
            check_setup(ready, route),
            check_python(),
            *check_packages(route),
            check_kernelspecs(ready),
            check_node(versions, route),
            check_node_modules(),
            check_dotnet(versions, route),
            check_csharp(versions),
            check_renderer(),
            *check_tools(versions, route),
            browser.result(),
            check_disk(),
            check_ports(),
            check_power(),
            check_writable(),
        ]
        checks = [replace(c, required=c.required or csharp and c.csharp) for c in checks]
        if not why:
            why = "Not set up yet: ./bench setup takes the first route that works here."
        return Doctor(route, why, checks, disturbances.result(), manifest.result())


def check_setup(ready: bool, route: str) -> Check:
    if ready:
        return Check("set-up", "ok", f"finished, route {route}", "everything")
    found = "files that it was made from have changed" if route else "not set up yet"
    if route:
        return Check("set-up", "warning", found, "everything", "./bench setup")
    return Check("set-up", "missing", found, "everything", "./bench setup")


def check_python() -> Check:
    version = platform.python_version()
    if sys.version_info[:2] >= setup_routes.MINIMUM_PYTHON:
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
    text = machine.read(bootstrap.ROOT / "requirements.txt")
    return dict(re.findall(r"(?m)^([\w-]+)>=([\w.]+)", text))


def older(version: str, bound: str) -> bool:
    def numbers(text: str) -> list[int]:
        return [int(part) for part in re.findall(r"\d+", text)[:3]]

    return numbers(version) < numbers(bound)


def check_packages(route: str) -> list[Check]:
    """Python packages, with their versions; only the pip and conda routes have lower bounds."""
    front_end = setup_routes.FRONT_ENDS.get(route, "jupyterlab")
    bounds = lower_bounds() if route in ("pip", "conda") else {}
    command = f"./bench setup --route {route}" if route else "./bench setup"
    checks = []
    for module in (*setup_routes.MODULES, front_end):
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
    folder = Path(sys.prefix) / "share" / "jupyter" / "kernels"
    good: list[str] = []
    bad: list[str] = []
    for file in sorted(folder.glob("benchbook-*/kernel.json")):
        try:
            program = json.loads(file.read_text(encoding="utf-8"))["argv"][0]
        except (OSError, ValueError, KeyError, IndexError):
            bad.append(file.parent.name)
            continue
        (good if shutil.which(program) else bad).append(file.parent.name)
    if bad:
        found = f"{', '.join(bad)}: kernel.json in {folder} names no Python that exists"
        return Check(name, "missing", found, purpose, "./bench setup")
    if absent := [known for known in KERNELS if known not in good]:
        found = f"no {' and no '.join(absent)} in {folder}"
        return Check(name, "missing", found, purpose, "./bench setup")
    return Check(name, "ok", ", ".join(good), purpose)


def check_node(versions: dict[str, Any], route: str) -> Check:
    version = versions["node"]
    if bootstrap.major(version) >= bootstrap.MINIMUM_NODE:
        return Check("Node.js", "ok", version, "the Node.js experiments")
    found = f"{version} is too old: 20 or newer is needed" if version else "not on PATH"
    hint = bootstrap.remedy("node", route)
    return Check("Node.js", "missing", found, "the Node.js experiments", hint)


def check_node_modules() -> Check:
    name, purpose = "Node.js packages", "Fastify variants, autocannon and offline plots"
    if bootstrap.node_modules_in_step(bootstrap.ROOT):
        found = machine.node_package_versions()
        text = ", ".join(f"{package} {version}" for package, version in found.items() if version)
        return Check(name, "ok", text, purpose)
    there = (bootstrap.ROOT / "node_modules").exists()
    found_text = "node_modules is not in step with package-lock.json" if there else "not installed"
    return Check(name, "missing", found_text, purpose, "./bench setup")


def check_dotnet(versions: dict[str, Any], route: str) -> Check:
    version, purpose = versions["dotnet-sdk"], "the C# experiments"
    if bootstrap.major(version) >= bootstrap.MINIMUM_DOTNET:
        return Check(".NET SDK", "ok", version, purpose, required=False, csharp=True)
    found = f"{version} is too old: 10 or newer is needed" if version else "not on PATH"
    hint = bootstrap.remedy("dotnet", route)
    return Check(".NET SDK", "missing", found, purpose, hint, required=False, csharp=True)


def check_tools(versions: dict[str, Any], route: str) -> list[Check]:
    """Load generators (one is enough, and autocannon is always ours), nginx and pinning."""
    checks = []
    purposes = {
        "wrk": "HTTP load with the least overhead (else autocannon is used)",
        "ab": "HTTP load as in the articles that used ApacheBench",
        "nginx": "variants behind a web server (experiment 02)",
        "taskset": "keeping server and load generator on cores of their own",
    }
    for tool, purpose in purposes.items():
        if version := versions[tool]:
            checks.append(Check(tool, "ok", version, purpose, required=False))
        elif tool != "taskset" or sys.platform == "linux":
            hint = bootstrap.remedy(tool, route)
            checks.append(Check(tool, "missing", "not on PATH", purpose, hint, required=False))
    autocannon = versions["node_packages"].get("autocannon")
    purpose = "HTTP load where wrk and ab are absent"
    if autocannon:
        checks.append(Check("autocannon", "ok", autocannon, purpose, required=False))
    else:
        hint = "./bench setup"
        checks.append(Check("autocannon", "missing", "not installed", purpose, hint, False))
    deno, purpose = versions["node_packages"].get("deno") or versions.get("deno"), "experiment 08"
    if deno:
        checks.append(Check("Deno", "ok", deno, purpose, required=False))
    else:
        hint = "./bench setup, where npm has a binary for this system; else https://deno.com"
        checks.append(Check("Deno", "missing", "not installed", purpose, hint, False))
    return checks


def check_browser() -> Check:
    name, purpose = "Chromium", "experiment 07 in the browser, the browser tests"
    found = bootstrap.find_browser()
    if found:
        return Check(name, "ok", found, purpose, required=False)
    hint = "./bench setup --with-browser"
    return Check(name, "missing", "not found", purpose, hint, required=False)


def check_disk() -> Check:
    name, purpose = "disk space", "builds, runs and executed notebooks"
    free_mib = shutil.disk_usage(bootstrap.ROOT).free >> 20
    if free_mib >= ROOM_MIB:
        return Check(name, "ok", f"{free_mib / 1024:.0f} GiB free", purpose)
    status = "warning" if free_mib >= ROOM_MIB // 4 else "missing"
    hint = f"free {ROOM_MIB} MiB on the disk of this folder; .benchbook/scratch may be deleted"
    return Check(name, status, f"{free_mib} MiB free", purpose, hint)


def check_csharp(versions: dict[str, Any]) -> Check:
    """The C# session of the notebooks is built by set-up, where there is an SDK."""
    name, purpose = "C# session", "C# cells"
    try:
        from benchbook.kernel import csharp

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
    try:
        from plotly import graph_objects

        from benchbook import embed

        made = graph_objects.Figure(graph_objects.Scatter(x=[1, 2], y=[1, 2])).to_json()
        script = embed.packed_library()
    except (ImportError, OSError, ValueError) as error:
        return Check(name, "missing", f"plotly fails: {error}", purpose, "./bench setup")
    if not script or '"scatter"' not in made:
        return Check(name, "missing", "plotly.js is not there", purpose, "./bench setup")
    return Check(name, "ok", f"plotly.js of {len(script) / 2**20:.1f} MiB, drawn offline", purpose)


def check_ports() -> Check:
    """Programs listen on 127.0.0.1, all of an experiment's at once."""
    name, purpose = "free ports", "HTTP variants, which listen on 127.0.0.1"
    reason = ""
    with contextlib.ExitStack() as listening:
        free = 0
        for port in random.sample(range(*PORTS), 3 * MOST_PROGRAMS):
            listener = listening.enter_context(socket.socket())
            try:
                listener.bind(("127.0.0.1", port))
                free += 1
            except OSError as error:
                reason = str(error.strerror)
            if free == MOST_PROGRAMS:
                found = f"{free} on 127.0.0.1, from {PORTS[0]} to {PORTS[1] - 1}"
                return Check(name, "ok", found, purpose)
    found = f"{free} of {3 * MOST_PROGRAMS} tried on 127.0.0.1 ({reason})"
    hint = "check the firewall and that the loopback interface is up (ip link set lo up)"
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
    name, purpose = ".benchbook", "the environment, logs and runs"
    folder = bootstrap.ROOT / ".benchbook"
    place = folder if folder.exists() else bootstrap.ROOT
    try:
        with tempfile.TemporaryFile(dir=place):
            return Check(name, "ok", "can be written", purpose)
    except OSError as error:
        hint = f'sudo chown -R $(id -un) "{place}"'
        found = f"{place} cannot be written: {error.strerror}"
        return Check(name, "missing", found, purpose, hint)


def main(arguments: Sequence[str] | None = None) -> int:
    """`bench doctor` before set-up, when the real command line cannot run yet."""
    parser = argparse.ArgumentParser(prog="bench doctor", description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--csharp", action="store_true", help="count what C# needs, too")
    options = parser.parse_args(arguments)
    doctor = report(csharp=options.csharp)
    print(doctor.to_json() if options.json else doctor.text())
    return 0 if doctor.ok else 1


if __name__ == "__main__":
    if os.environ.get("PYTHONPATH") == str(bootstrap.ROOT / "src"):
        del os.environ["PYTHONPATH"]  # ours, set by the launcher; not for the tools we ask
    sys.exit(main())
