"""What may be chosen for a race: click's options, for `bench race`, %race and whoever else races.

The command and the magic take OPTIONS as their parameters; `request` reads what was given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.load import registry
from benchbook_kernels.base import words
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.nearest import unknown

if TYPE_CHECKING:  # a command's help needs no connection to another host
    from benchbook.load.load_from import Remote
    from benchbook.model.experiments import Experiment

QUICK = "quick"  # the mode of a race of which nothing is said
MINUTES = 30.0  # at most, with --until
HIGHEST_PORT = 65000  # programs take this port and those after it
DAY_MINUTES = 24 * 60.0
MOST_SECONDS = 3600.0  # of a sample, and of a warm-up
MOST_LAUNCHES, MOST_BLOCKS = 1000, 1000  # as many rounds as a run file may have
MOST_CONNECTIONS = 60_000  # of one client there are no more ports


@dataclass(frozen=True)
class Options:
    """What a caller may choose; None means: as the experiment says.

    warmup: seconds of load before the first sample; interleaved and together: as in Plan, the
    latter where the experiment allows it; more: the variants that the experiment adds then, too;
    fixed: never end a quick race earlier, though all is decided;
    until: keep racing until every interval is narrower than this, but at most `minutes`;
    share: of the blocks, or of the time, that the race would otherwise take; most: as in
    Plan.within, whatever is chosen; within: seconds in which a race in turns ends, with fewer
    blocks than planned where the machine is slower than was thought; remote: the host that
    the load comes from, None for this one.
    """

    mode: str = QUICK
    launches: int | None = None
    blocks: int | None = None
    seconds: float | None = None
    connections: int | None = None
    tool: str | None = None
    variants: tuple[str, ...] = ()
    more: bool = False
    seed: int | None = None
    path: Path | None = None
    pin: bool = True
    port: int = 0
    warmup: float | None = None
    interleaved: bool = True
    together: bool = True
    until: float | None = None
    minutes: float = MINUTES
    share: float = 1.0
    most: Mapping[str, float] = field(default_factory=dict)
    remote: Remote | None = None
    within: float | None = None
    fixed: bool = False


class Option(click.Option):
    """An option of a race, the same for the command, the magic and the environment.

    choices: the words that it takes in an experiment, if one is chosen; field: the one of Options
    that it sets, its name where it is ''; value: what a switch sets; of_load: only for experiments
    that put servers under load; of_replay: goes with --as-published. Without a type it is a switch.
    """

    name: str

    def __init__(
        self,
        flag: str,
        help: str,
        type: Any = None,
        metavar: str | None = None,
        choices: Callable[[Experiment | None], Sequence[str]] = lambda _: (),
        field: str = "",
        value: object = True,
        of_load: bool = False,
        of_replay: bool = False,
    ) -> None:
        super().__init__([flag], help=help, type=type, metavar=metavar, is_flag=type is None)
        self.choices, self.field, self.value = choices, field or self.name, value
        self.of_load, self.of_replay = of_load, of_replay

    @property
    def flag(self) -> str:
        return self.opts[0]

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """As click's, without the range of a number: an error says it."""
        record = super().get_help_record(ctx)
        return record and (record[0], self.help or "")

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        return value if self.is_flag or value is None else self.read(value)

    def read(self, given: Any) -> Any:
        """The value that a word stands for, or a value. Raises InputError where it makes no sense,
        with what would."""
        try:
            found = self.type.convert(given, self, None)
        except click.BadParameter as error:
            raise InputError(self.flag, "", *self.refused(given, error.message)) from None
        if isinstance(found, float) and not math.isfinite(found):
            raise InputError(self.flag, "", f"is {found}", "a number")
        return found

    def refused(self, given: Any, message: str) -> tuple[str, str]:
        """The problem with what was given, and the remedy. message: what its type says."""
        if not isinstance(self.type, click.IntRange | click.FloatRange):
            return message, ""
        whole, low, high = isinstance(self.type, click.IntRange), self.type.min, self.type.max
        try:
            number = int(given) if whole else float(given)
        except ValueError:
            return f"can't read '{given}'", "a whole number" if whole else "a number"
        if isinstance(number, float) and not math.isfinite(number):
            return f"is {number}", "a number"
        problem = f"is {float(given):g}"
        if low is not None and (number < low or (self.type.min_open and number == low)):
            return problem, f"{'more than' if self.type.min_open else 'at least'} {low:g}"
        return problem, f"at most {high:g}"


def load_tool(word: str) -> str:
    """The name of a load generator. Raises click.BadParameter where there is none of that name."""
    if word not in registry.choices():
        raise click.BadParameter(unknown("load generator", word, registry.choices()))
    return word


def names(word: str) -> tuple[str, ...]:
    """`a, b` as ("a", "b"). Raises click.BadParameter where there is no name."""
    found = tuple(name.strip() for name in word.split(",") if name.strip())
    if not found:
        raise click.BadParameter(f"'{word}' names no variant: leave --variants out to race all")
    return found


def share(given: str | float) -> float:
    """`1%`, `0.01`: how narrow intervals shall be. Raises click.BadParameter for anything else."""
    found = given if isinstance(given, float) else words.share(str(given)) or 0.0
    if found >= 1:
        problem = f"'{given}' is {found * 100:g} %, and must be below 100 %"
        raise click.BadParameter(f"{problem}: write 1% or 0.01")
    if not 0 < found:
        raise click.BadParameter(f"'{given}' is not a width: write 1% or 0.01")
    return found


def addresses() -> Sequence[str]:
    """This machine's, of which --listen takes one."""
    from benchbook.load.load_from import own_addresses

    return own_addresses()


OPTIONS = (
    Option("--quick", "Up to two minutes (default).", field="mode", value=QUICK),
    Option("--full", "About ten minutes, narrower intervals.", field="mode", value="full"),
    Option("--fixed", "Don't end a quick race earlier, though all is decided."),
    Option("--more", "In a quick race, those that no statement needs, too: of plots of growth."),
    Option("--launches", "Starts of every program.", click.IntRange(1, MOST_LAUNCHES), "N"),
    Option(
        "--blocks",
        "Rounds in a launch, at least one of every variant.",
        click.IntRange(1, MOST_BLOCKS),
        "N",
    ),
    Option(
        "--seconds",
        "Length of one sample.",
        click.FloatRange(0, MOST_SECONDS, min_open=True),
        "S",
    ),
    Option(
        "--connections",
        "Connections kept open at once.",
        click.IntRange(1, MOST_CONNECTIONS),
        "N",
        of_load=True,
    ),
    Option(
        "--tool",
        "Load generator.",
        load_tool,
        "|".join(registry.choices()),
        choices=lambda _: registry.choices(),
        of_load=True,
    ),
    Option(
        "--variants",
        "Only these (and the baseline).",
        names,
        "NAME,NAME",
        choices=lambda chosen: [each.name for each in chosen.variants] if chosen else [],
    ),
    Option(
        "--seed",
        "Seed of the order; drawn where not given.",
        click.IntRange(0, 2**63 - 1),
        "N",
    ),
    Option(
        "--until",
        "Keep racing until every interval is narrower than this, in points of the ratio: 1%.",
        share,
        "WIDTH",
    ),
    Option(
        "--minutes",
        f"At most this long, with --until (default {MINUTES:g}).",
        click.FloatRange(0, DAY_MINUTES, min_open=True),
        "M",
    ),
    Option("--port", "First port to use.", click.IntRange(1, HIGHEST_PORT), "PORT"),
    Option(
        "--warmup",
        "Seconds of load before the first sample.",
        click.FloatRange(0, MOST_SECONDS),
        "S",
    ),
    Option(
        "--one-after-another",
        "Don't interleave the variants: how benchmarks lie (notebook 00).",
        field="interleaved",
        value=False,
    ),
    Option(
        "--in-turns",
        "Load one program at a time and compare requests/s, instead of all at once and CPU time.",
        field="together",
        value=False,
        of_load=True,
    ),
    Option(
        "--as-published",
        "Replay the article's own method instead, and compare it with the last race.",
        of_replay=True,
    ),
    Option(
        "--shorten",
        "With --as-published: divide its durations, requests and iterations by N.",
        click.IntRange(1, 1_000_000),
        "N",
        of_replay=True,
    ),
    Option(
        "--no-pin",
        "Let programs run on all CPUs, not on those chosen for them.",
        field="pin",
        value=False,
    ),
    Option(
        "--anyway",
        "Don't wait for another race on this machine: both are disturbed, and the verdict says so.",
        of_replay=True,
    ),
    Option(
        "--load-from",
        "Run the load tool on another host, through OpenSSH; the programs run here.",
        str,
        "ssh:HOST",
        choices=lambda _: ("ssh:",),
        field="remote",
        of_load=True,
    ),
    Option(
        "--listen",
        "With --load-from: this machine's IPv4 address for the programs to listen on.",
        str,
        "ADDRESS",
        choices=lambda _: addresses(),
        field="remote",
        of_load=True,
    ),
)


@dataclass(frozen=True)
class RaceRequest:
    """What was asked for: a race with these fields of Options, or a replay.

    load_from and listen: the host that the load comes from, and where it reaches this one; anyway:
    don't wait for another race on this machine.
    """

    fields: Mapping[str, Any] = field(default_factory=dict)
    load_from: str = ""
    listen: str = ""
    as_published: bool = False
    shorten: int | None = None
    anyway: bool = False


def request(values: Mapping[str, Any]) -> RaceRequest:
    """What was asked for, from the values of OPTIONS by name; None and False stand for not given.

    Raises InputError for options that don't go together.
    """
    unset = (None, False, ())
    given = {o.name: o for o in OPTIONS if not any(values.get(o.name) is each for each in unset)}
    if "shorten" in given and "as_published" not in given:
        raise InputError("--shorten", "", "needs --as-published")
    if "quick" in given and "full" in given:
        raise InputError("--quick", "", "goes against --full", "leave one of them out")
    if "minutes" in given and "until" not in given and "as_published" not in given:
        raise InputError("--minutes", "", "needs --until", "or --launches for a shorter race")
    if "as_published" in given:
        for option in given.values():
            if not option.of_replay:
                problem = "changes the article's method"
                raise InputError(option.flag, "", problem, "leave it or --as-published out")
        shorten, anyway = values.get("shorten"), "anyway" in given
        return RaceRequest(as_published=True, shorten=shorten, anyway=anyway)
    fields = {
        option.field: option.value if option.is_flag else values[name]
        for name, option in given.items()
        if option.field != "remote" and name != "anyway"
    }
    remote = values.get("load_from") or "", values.get("listen") or ""
    return RaceRequest(fields, *remote, anyway="anyway" in given)
