"""What an article published: figures, and the method that they were measured by."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from benchbook import loadtools
from benchbook.loadtools.tool import PublishedLoad
from benchbook_kernels.base.errors import InputError

TIMES = ("ns", "µs", "us", "ms", "s")  # units of which the smaller figure is the faster
M = TypeVar("M", bound="Published")


@dataclass(frozen=True)
class PublishedFigure:
    """One published number. `variant` names the program here that does the same.

    void: why it counts for nothing by our own rules, '' where it counts.
    """

    label: str
    value: float
    unit: str
    place: str
    variant: str = ""
    note: str = ""
    void: str = ""


@dataclass(frozen=True)
class ArticleRow:
    """A row of the article's table: the figures labelled `figure`, and what is read for them here.

    reads: a variant, or the label that a script prints; '' where nothing here does the same;
    number: the n-th measurement, from 1; 0: the mean of all (of one, where there is one).
    """

    figure: str
    reads: str = ""
    number: int = 0


@dataclass(frozen=True, kw_only=True)
class Published:
    """The article's own method, whatever its kind; a subclass is one of [published].

    kinds: as run files name it; the first is that of claims, another one is for an experiment of
    that kind.
    by_label: are figures read for labels, which a script prints, and not for variants?
    usual_unit: of the article's table, where the claim gives no columns; lengths: the fields that
    say how long a run is, with their units.
    A measurement is `runs` runs of which one figure is taken (`take`: single, best, last, mean).
    columns: the units of the article's table, in its order; rows: its rows, in theirs.
    note: where the article states the method, and what had to be assumed.
    """

    kinds: ClassVar[tuple[str, ...]]
    by_label: ClassVar[bool] = False
    usual_unit: ClassVar[str] = "ms"
    lengths: ClassVar[Mapping[str, str]] = {"iterations": "iterations"}

    columns: tuple[str, ...]
    rows: tuple[ArticleRow, ...]
    runs: int = 1
    take: str = "single"
    measurements: int = 1
    note: str = ""

    @property
    def figures(self) -> int:
        """How many runs of each thing there are in all."""
        return self.runs * self.measurements

    @classmethod
    def kind_for(cls, experiment: str) -> str:
        """As what it is replayed by an experiment of this kind."""
        return experiment if experiment in cls.kinds else cls.kinds[0]

    @property
    def length(self) -> str:
        """How long a run is, as far as the article states it."""
        stated = {unit: getattr(self, name) for name, unit in self.lengths.items()}
        return ", ".join(f"{count:,} {unit}" for unit, count in stated.items() if count)

    def as_kind(self, wanted: type[M]) -> M:
        """Itself, which must be a method of the kind wanted. Raises TypeError where it is not."""
        if not isinstance(self, wanted):
            raise TypeError(f"{type(self).__name__} is no {wanted.__name__}")
        return self

    def shortened(self, by: int) -> "Published":
        """The method with durations, requests and iterations divided by this (1: as it is).

        Durations stay whole seconds, at least one; requests stay at least as many as the
        connections. Raises InputError where the method states no length.
        """
        return self if by == 1 else replace(self, **self.divided(by))

    def divided(self, by: int) -> dict[str, Any]:
        """The fields that differ where the method is shortened."""
        raise NotImplementedError

    @classmethod
    def check(cls, table: Mapping[str, Any], where: str) -> None:
        """Raises InputError for what [published] can't say of its kind, and no schema sees."""

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Published":
        """A method of this kind, as a run file has it; a field may be missing that older files
        don't know. Raises TypeError where it is something else."""
        members = {k: tuple(v) if isinstance(v, list) else v for k, v in document.items()}
        members["rows"] = tuple(ArticleRow(**row) for row in members.get("rows", ()))
        return cls(**members)


@dataclass(frozen=True, kw_only=True)
class PublishedHttp(PublishedLoad, Published):
    """Servers under a load generator, one after the other in `order`. Either duration_seconds or
    requests is given."""

    kinds = ("http",)
    usual_unit = "requests/s"
    lengths = {"duration_seconds": "s", "requests": "requests"}

    order: tuple[str, ...]
    warmup_seconds: int = 0

    def divided(self, by: int) -> dict[str, Any]:
        changed = {}
        if self.duration_seconds:
            changed["duration_seconds"] = max(1, round(self.duration_seconds / by))
        if self.requests:
            changed["requests"] = max(self.connections or 1, math.ceil(self.requests / by))
        if self.warmup_seconds:
            changed["warmup_seconds"] = max(1, round(self.warmup_seconds / by))
        return changed

    @classmethod
    def check(cls, table: Mapping[str, Any], where: str) -> None:
        """Also options of a load generator that it does not have."""
        tool = table["tool"]
        if ("requests" in table) == ("duration_seconds" in table):
            problem = "is given beside requests" if "requests" in table else "is missing"
            remedy = "give either duration_seconds or requests"
            raise InputError(where, "published.duration_seconds", problem, remedy)
        tools = loadtools.declared()
        optional = frozenset().union(*(each.published_options for each in tools.values()))
        known = tools[tool].published_options
        for option in table:
            if option in optional - known:
                remedy = f"{tool} knows {' and '.join(sorted(known))}"
                raise InputError(where, f"published.{option}", f"{tool} has no such option", remedy)
        for least, most in (("threads", "connections"), ("connections", "requests")):
            if least in table and most in table and table[most] < table[least]:
                problem = f"must be at least {least} ({table[least]})"
                raise InputError(where, f"published.{most}", problem)


@dataclass(frozen=True, kw_only=True)
class PublishedLoop(Published):
    """A script that times itself and prints `label: 12.3ms` for every run, as console.time does.

    It gets `iterations`, where they are given, as its only argument.
    """

    kinds = ("loop",)
    by_label = True

    script: str
    iterations: int | None = None

    def divided(self, by: int) -> dict[str, Any]:
        if self.iterations is None:
            problem = "can't shorten a script whose length is not stated"
            remedy = "give published.iterations in the claim file, and let the script read it"
            raise InputError("--shorten", "", problem, remedy)
        return {"iterations": max(1, self.iterations // by)}


@dataclass(frozen=True, kw_only=True)
class PublishedClient(Published):
    """Clients that load data so many times in a row (`iterations`), in turns, in `order`."""

    kinds = ("client", "page")

    order: tuple[str, ...]
    iterations: int

    def divided(self, by: int) -> dict[str, Any]:
        return {"iterations": max(1, self.iterations // by)}


METHODS: tuple[type[Published], ...] = (PublishedHttp, PublishedLoop, PublishedClient)
KINDS = {kind: method for method in METHODS for kind in method.kinds}


def speed_ratio(a: float, b: float, unit: str) -> float:
    """How many times as fast a is as b, from two figures in `unit` (times or speeds), not 0."""
    return b / a if less_is_faster(unit) else a / b


def less_is_faster(unit: str) -> bool:
    """Is it a time, or one for each operation (ms, ns/op), with either of Unicode's two micros?"""
    return unit.replace("\N{GREEK SMALL LETTER MU}", "\N{MICRO SIGN}").partition("/")[0] in TIMES


def parse(
    table: Mapping[str, Any] | None,
    figures: tuple[PublishedFigure, ...],
    spoken: Iterable[str],
    where: str,
) -> Published | None:
    """The article's method, of [published]; spoken: the variants that its statements speak of.

    Raises InputError where its fields contradict each other.
    """
    if table is None:
        return None
    given = dict(table)
    kind = KINDS[given.pop("kind")]
    runs, take = given.get("runs", 1), given.get("take", "single")
    if (runs == 1) != (take == "single"):
        problem = f"is '{take}', but there {'is 1 run' if runs == 1 else f'are {runs} runs'}"
        remedy = "one run is taken single; of several say best, last or mean"
        raise InputError(where, "published.take", problem, remedy)
    columns = tuple(given.pop("columns", (kind.usual_unit,)))
    reads = {f.label: f.label if kind.by_label else f.variant for f in reversed(figures)}
    rows = parse_rows(given.pop("rows", None), columns, figures, reads, where)
    most = given.get("measurements", 1)
    for i, row in enumerate(rows):
        if row.number > most:
            problem = f"is {row.number}, but there {'is 1' if most == 1 else f'are {most}'}"
            remedy = "say how many measurements there are in published.measurements"
            raise InputError(where, f"published.rows[{i}].number", problem, remedy)
    if not kind.by_label:
        kind.check(given, where)
        given["order"] = parse_order(given, rows, spoken, where)
    return kind(columns=columns, rows=rows, **given)


def parse_order(
    given: Mapping[str, Any], rows: tuple[ArticleRow, ...], spoken: Iterable[str], where: str
) -> tuple[str, ...]:
    """The order as given; else that of the rows and statements."""
    named = [*(row.reads for row in rows), *spoken]
    order = given.get("order") or list(dict.fromkeys(filter(None, named)))
    if len(set(order)) < len(order):
        raise InputError(where, "published.order", "names a variant twice")
    for i, row in enumerate(rows):
        if row.reads and row.reads not in order:
            problem = f"'{row.reads}' is not in published.order"
            raise InputError(where, f"published.rows[{i}].reads", problem)
    return tuple(order)


def parse_rows(
    tables: list[dict[str, Any]] | None,
    columns: tuple[str, ...],
    figures: tuple[PublishedFigure, ...],
    reads: Mapping[str, str],
    where: str,
) -> tuple[ArticleRow, ...]:
    """The rows as given; else a row for each label, in the order of the figures.

    reads: what is read for a figure, by its label, where the row does not say.
    """
    if not figures and tables is None:  # an article that gives none in words
        return ()
    shown = [figure for figure in figures if figure.unit in columns]
    for unit in columns:
        labels = [figure.label for figure in shown if figure.unit == unit]
        if not labels:
            raise InputError(where, "published.columns", f"no figure has the unit '{unit}'")
        if twice := [label for label in labels if labels.count(label) > 1]:
            problem = f"two figures in {unit} have the label '{twice[0]}'"
            raise InputError(where, "published.rows", problem, "give each a label of its own")
    known = dict.fromkeys(figure.label for figure in shown)
    if tables is None:
        return tuple(ArticleRow(label, reads[label]) for label in known)
    for i, table in enumerate(tables):
        if table["figure"] not in known:
            problem = f"no figure in {' or '.join(columns)} has the label '{table['figure']}'"
            raise InputError(where, f"published.rows[{i}].figure", problem)
    given: list[dict[str, Any]] = [{"reads": reads[t["figure"]], **t} for t in tables]
    return tuple(ArticleRow(**table) for table in given)
