"""Doctor: what is there, which set-up route and why, what is missing and the command that gets it.

It installs nothing, needs no package (so it also works before set-up) and ends with what disturbs
measurements on this machine right now.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from benchbook.commands.begin import checks
from benchbook.commands.begin.checks import Check
from benchbook.setup import record
from benchbook.system import machine, paths
from benchbook.system.disturbances import Disturbance, find_disturbances

T = TypeVar("T")
SYMBOLS = {"ok": "✓", "warning": "!", "missing": "✗"}


@dataclass(frozen=True)
class Doctor:
    """The whole diagnosis. effect: what a race can see here, in a sentence, where it was asked."""

    route: str
    why: str
    checks: list[Check]
    disturbances: list[Disturbance]
    manifest: dict[str, Any]
    effect: str = ""

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
            **({"detectable_effect": self.effect} if self.effect else {}),
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
        lines += ["", self.effect] if self.effect else []
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

    csharp: what C# needs is required, too. What can't be looked at, as where a limit of this shell
    is too low for it, is a line of the report.
    """
    route, why = record.route_taken(paths.root())
    with ThreadPoolExecutor(4) as pool:
        manifest = later(pool, machine.manifest)
        disturbances = later(pool, lambda: find_disturbances(watch_seconds))
        browser = later(pool, checks.check_browser)
        known = found_or(
            manifest, {"versions": {"node": "", "dotnet-sdk": "", "node_packages": {}}}
        )
        here = paths.checkout() is not None
        found = [
            each
            for name, in_checkout, look in every_check(route, known["versions"], browser)
            if here or not in_checkout
            for each in checks.looked(name, look)
        ]
        found = [replace(c, required=c.required or csharp and c.csharp) for c in found]
        if not here:
            why = "Installed as a package, without experiments: those are in a checkout."
            found = [replace(c, remedy=paths.typed(c.remedy)) for c in found]
        elif not why:
            why = "Not set up yet: ./bench setup takes the first route that works here."
        return Doctor(route, why, found, found_or(disturbances, []), known)


def every_check(
    route: str, versions: dict[str, Any], browser: Callable[[], Check]
) -> list[tuple[str, bool, checks.Look]]:
    """(name, whether it is of a checkout only, what looks) of everything that is looked at."""
    ready = record.is_ready(paths.root())
    return [
        ("limits", False, checks.check_limits),
        ("set-up", True, lambda: checks.check_setup(ready, route)),
        ("Python", False, checks.check_python),
        ("packages", False, lambda: checks.check_packages(route)),
        ("kernels", False, lambda: checks.check_kernelspecs(ready)),
        ("Node.js", False, lambda: checks.check_node(versions, route)),
        ("Node.js packages", True, checks.check_node_modules),
        (".NET SDK", False, lambda: checks.check_dotnet(versions, route)),
        ("C# session", False, lambda: checks.check_csharp(versions)),
        ("plots", False, checks.check_renderer),
        ("tools", True, lambda: checks.check_tools(versions, route)),
        ("Chromium", True, browser),
        ("C# variants", True, lambda: checks.check_switches() if ready else []),
        ("disk space", False, checks.check_disk),
        ("free ports", False, checks.check_ports),
        ("power mode", False, checks.check_power),
        (paths.state().name, False, checks.check_writable),
    ]


def later(pool: ThreadPoolExecutor, look: Callable[[], T]) -> Callable[[], T]:
    """Look at something beside the rest, where a thread may be started; what it will have found."""
    try:
        return pool.submit(look).result
    except RuntimeError:  # no thread more, by a limit of this shell
        return look


def found_or(look: Callable[[], T], otherwise: T) -> T:
    """What was found, or something else where a limit of this shell is in the way."""
    try:
        return look()
    except checks.IN_THE_WAY:
        return otherwise


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
    if os.environ.get("PYTHONPATH") == paths.pythonpath():
        del os.environ["PYTHONPATH"]  # ours, set by the launcher; not for the tools we ask
    sys.exit(main())
