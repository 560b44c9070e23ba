"""Which route leads to an environment here: conda, pip or Debian packages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from benchbook.setup.record import route_taken
from benchbook.setup.routes.conda import route_conda
from benchbook.setup.routes.debian import route_debian
from benchbook.setup.routes.pip import route_pip
from benchbook.setup.steps import Environment, RouteUnavailable, Setup, SetupError

ROUTES = ("conda", "pip", "debian")
ROUTE: dict[str, Callable[[Setup, bool], Environment]] = {
    "conda": route_conda,
    "pip": route_pip,
    "debian": route_debian,
}


def choose_route(setup: Setup) -> Environment:
    """Take the route that was asked for, else the one taken before, else the first that works."""
    taken, why = route_taken(setup.root)
    asked = setup.options.route or taken
    if asked in ROUTES:
        environment = ROUTE[asked](setup, True)
        if not setup.options.route and why:
            return replace(environment, why=why)
        return environment
    reasons: list[str] = []
    for name in ROUTES:
        try:
            environment = ROUTE[name](setup, False)
        except RouteUnavailable as reason:
            reasons.append(f"not {name}: {reason}")
            setup.write_log(reasons[-1])
            setup.say(f"  {reasons[-1]}")
            continue
        return replace(environment, why="; ".join([environment.why, *reasons]))
    raise SetupError(
        "no route leads to an environment here:\n    " + "\n    ".join(reasons),
        "conda env create -f environment.yml && conda activate benchbook, then ./bench setup",
    )
