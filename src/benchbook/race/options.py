"""What may be chosen for a race: declared once, for `bench race`, %race and whoever else races.

commands/race.py makes options of the command line of OPTIONS, notebook/magics/race_magics.py makes
arguments of the magic of them; both read what was given with `request`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchbook.load import registry
from benchbook.setup.nearest import unknown
from benchbook.system.errors import InputError

if TYPE_CHECKING:  # a command's help needs no connection to another host
    from benchbook.load.load_from import Remote
    from benchbook.model.experiments import Experiment

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
    latter where the experiment allows it;
    until: keep racing until every interval is narrower than this, but at most `minutes`;
    share: of the blocks, or of the time, that the race would otherwise take; most: as in
    Plan.within, whatever is chosen; remote: the host that
    the load comes from, None for this one.
    """

    mode: str = "quick"
    launches: int | None = None
    blocks: int | None = None
    seconds: float | None = None
    connections: int | None = None
    tool: str | None = None
    variants: tuple[str, ...] = ()
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


@dataclass(frozen=True)
class Option:
    """An option as a reader writes it.

    name: --name, with "-" for "_"; convert: what a word means (ValueError where it means nothing),
    None for a switch; choices: the words that it takes in an experiment, if one is chosen; least
    and most: of a number; above_zero: more than nothing; field: the one of Options that it sets,
    name where it is ''; value: what a switch sets; of_load: only for experiments that put servers
    under load; of_replay: goes with --as-published.
    """

    name: str
    help: str
    convert: Callable[[str], Any] | None = None
    metavar: str = ""
    choices: Callable[[Experiment | None], Sequence[str]] = lambda _: ()
    least: float | None = None
    most: float = math.inf
    above_zero: bool = False
    field: str = ""
    value: object = True
    of_load: bool = False
    of_replay: bool = False

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    def parse(self, word: str) -> Any:
        """The value that a word stands for. Raises InputError where it stands for none."""
        assert self.convert
        try:
            value = self.convert(word)
        except ValueError as error:
            numbers: dict[object, str] = {int: "a whole number", float: "a number"}
            wanted = numbers.get(self.convert, "")
            problem = f"can't read '{word}'" if wanted else str(error)
            raise InputError(self.flag, "", problem, wanted) from None
        self.check(value)
        return value

    def check(self, value: object) -> None:
        """Raises InputError for a number that makes no sense, and for a tool that is not there."""
        if self.name == "tool" and isinstance(value, str):
            load_tool(value)
        if not isinstance(value, int | float) or isinstance(value, bool):
            return
        if not math.isfinite(value):
            raise InputError(self.flag, "", f"is {value}", "a number")
        if self.above_zero and value <= 0:
            raise InputError(self.flag, "", f"is {value:g}", "more than 0")
        if self.least is not None and value < self.least:
            raise InputError(self.flag, "", f"is {value:g}", f"at least {self.least:g}")
        if value > self.most:
            raise InputError(self.flag, "", f"is {value:g}", f"at most {self.most:g}")


def load_tool(word: str) -> str:
    """The name of a load generator. Raises InputError where there is none of that name."""
    if word not in registry.choices():
        raise InputError("--tool", "", unknown("load generator", word, registry.choices()))
    return word


def names(word: str) -> tuple[str, ...]:
    """`a, b` as ("a", "b"). Raises ValueError where there is no name."""
    found = tuple(name.strip() for name in word.split(",") if name.strip())
    if not found:
        raise ValueError(f"'{word}' names no variant: leave --variants out to race all")
    return found


def share(word: str) -> float:
    """`1%`, `0.01`: how narrow intervals shall be. Raises ValueError for anything else."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*(%?)\s*", word)
    found = float(match[1]) / (100 if match[2] else 1) if match else 0.0
    if not 0 < found < 1:
        raise ValueError(f"'{word}' is not a width: write 1% or 0.01")
    return found


def addresses() -> Sequence[str]:
    """This machine's, of which --listen takes one."""
    from benchbook.load.load_from import own_addresses

    return own_addresses()


OPTIONS = (
    Option("quick", "One to two minutes (default).", field="mode", value="quick"),
    Option("full", "About ten minutes, narrower intervals.", field="mode", value="full"),
    Option("launches", "Starts of every program.", int, "N", least=1, most=MOST_LAUNCHES),
    Option(
        "blocks",
        "Rounds in a launch, at least one of every variant.",
        int,
        "N",
        least=1,
        most=MOST_BLOCKS,
    ),
    Option("seconds", "Length of one sample.", float, "S", above_zero=True, most=MOST_SECONDS),
    Option(
        "connections",
        "Connections kept open at once.",
        int,
        "N",
        least=1,
        most=MOST_CONNECTIONS,
        of_load=True,
    ),
    Option(
        "tool",
        "Load generator.",
        str,
        "|".join(registry.choices()),
        choices=lambda _: registry.choices(),
        of_load=True,
    ),
    Option(
        "variants",
        "Only these (and the baseline).",
        names,
        "NAME,NAME",
        choices=lambda chosen: [each.name for each in chosen.variants] if chosen else [],
    ),
    Option(
        "seed", "Seed of the order; drawn where not given.", int, "N", least=0, most=2**63 - 1
    ),
    Option(
        "until",
        "Keep racing until every interval is narrower than this, in points of the ratio: 1%.",
        share,
        "WIDTH",
    ),
    Option(
        "minutes",
        f"At most this long, with --until (default {MINUTES:g}).",
        float,
        "M",
        above_zero=True,
        most=DAY_MINUTES,
    ),
    Option("port", "First port to use.", int, "PORT", least=1, most=HIGHEST_PORT),
    Option(
        "warmup", "Seconds of load before the first sample.", float, "S", least=0, most=MOST_SECONDS
    ),
    Option(
        "one_after_another",
        "Don't interleave the variants: how benchmarks lie (notebook 00).",
        field="interleaved",
        value=False,
    ),
    Option(
        "in_turns",
        "Load one program at a time and compare requests/s, instead of all at once and CPU time.",
        field="together",
        value=False,
        of_load=True,
    ),
    Option(
        "as_published",
        "Replay the article's own method instead, and compare it with the last race.",
        of_replay=True,
    ),
    Option(
        "shorten",
        "With --as-published: divide its durations, requests and iterations by N.",
        int,
        "N",
        least=1,
        most=1_000_000,
        of_replay=True,
    ),
    Option(
        "no_pin",
        "Let programs run on all CPUs, not on those chosen for them.",
        field="pin",
        value=False,
    ),
    Option(
        "anyway",
        "Don't wait for another race on this machine: both are disturbed, and the verdict says so.",
        of_replay=True,
    ),
    Option(
        "load_from",
        "Run the load tool on another host, through OpenSSH; the programs run here.",
        str,
        "ssh:HOST",
        choices=lambda _: ("ssh:",),
        field="remote",
        of_load=True,
    ),
    Option(
        "listen",
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
        option.field or name: values[name] if option.convert else option.value
        for name, option in given.items()
        if option.field != "remote" and name != "anyway"
    }
    remote = values.get("load_from") or "", values.get("listen") or ""
    return RaceRequest(fields, *remote, anyway="anyway" in given)
