"""What may be chosen for a profile: click's options, for `bench why`, %why and who else asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from benchbook.race import limits
from benchbook.race.options import OPTIONS, Option, Options
from benchbook_kernels.base.errors import InputError

LAUNCHES, SECONDS = 5, 4.0
ATTACK_SECONDS = 360.0  # of all races under changed conditions
LEAST_MS, MOST_MS = 0.1, 100.0
OF_RACE = ("connections", "tool", "port", "no_pin", "anyway")
OWN = (
    Option(
        "--launches", f"Starts of every copy (default {LAUNCHES}).", click.IntRange(1, 100), "N"
    ),
    Option(
        "--seconds",
        f"Length of the window in each launch (default {SECONDS:g}).",
        click.FloatRange(0.2, 600),
        "S",
    ),
    Option(
        "--interval",
        "Milliseconds between two samples, as asked for (default: 2 in Node.js, 1 in .NET).",
        click.FloatRange(LEAST_MS, MOST_MS),
        "MS",
    ),
)
WHY_OPTIONS = (*OWN, *(option for option in OPTIONS if option.name in OF_RACE))
RECORDED = click.Option(
    ["--recorded"],
    is_flag=True,
    help="Measure nothing: show what Benchbook brings along, from another machine.",
)


@dataclass(frozen=True)
class WhyOptions:
    """launches of all copies; seconds of each window; interval_us: between two samples, None as
    is usual for a runtime;
    race: options of the race whose load it is; anyway: beside another race on this machine;
    recorded: measure nothing, but show what was recorded elsewhere."""

    launches: int = LAUNCHES
    seconds: float = SECONDS
    interval_us: float | None = None
    race: Options = field(default_factory=Options)
    anyway: bool = False
    recorded: bool = False


def why_options(values: Mapping[str, Any]) -> WhyOptions:
    """What was asked for, from the values of WHY_OPTIONS by name; within the limits that the
    environment sets (race/limits.py). Raises InputError for values that make no sense."""
    allowed = limits.read()
    given = {name: values[name] for name in ("connections", "tool", "port") if values.get(name)}
    if values.get("no_pin"):
        given["pin"] = False
    return WhyOptions(
        launches=int(allowed.most("launches", values.get("launches") or LAUNCHES)),
        seconds=allowed.most("seconds", values.get("seconds") or SECONDS),
        interval_us=1000 * values["interval"] if values.get("interval") else None,
        race=Options(**{**preset(allowed.presets), **given}, most=allowed.lengths),
        anyway=bool(values.get("anyway")),
        recorded=bool(values.get("recorded")),
    )


def check_once(what: str, names: Sequence[str], remedy: str) -> None:
    """Raises InputError where one program is named twice."""
    if len(set(names)) < len(names):
        raise InputError(what, "", f"names '{names[0]}' twice", remedy)


def preset(presets: Mapping[str, object]) -> dict[str, Any]:
    """What holds where nobody says anything else."""
    return {name: value for name, value in presets.items() if name in ("connections", "tool")}
