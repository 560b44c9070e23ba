"""A claim: what an article said, read from data/claims/NAME.toml and checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.model import documents
from benchbook.model.continued import whole
from benchbook.setup import load_tools
from benchbook.system import paths
from benchbook.system.errors import InputError

OURS = "A question of our own"
TIMES = ("ns", "µs", "us", "ms", "s")  # units of which the smaller figure is the faster


@dataclass(frozen=True)
class Source:
    """The article: what it is, when it was written (None: it does not say), how it measured."""

    article: str
    title: str
    language: str
    method: str
    year: int | None = None
    author: str = ""
    url: str = ""
    software: str = ""
    links: tuple[str, ...] = ()


@dataclass(frozen=True)
class Figure:
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
class Statement:
    """Something the article said that a race can judge.

    type "faster": a is faster than b; `ratio` is the published size (a to b), if there is one.
    type "same": a and b differ by less than `within` (a share: 0.02 is 2 %).
    type "order": `variants`, the fastest first.
    type "ratio": the ratio of a to b lies from `low` to `high`.
    `smallest_effect`: a smaller difference than this share does not matter to anybody.
    ours: no article says so, it is a question of our own; `says` then begins with that.
    """

    id: str
    says: str
    type: str
    place: str
    a: str = ""
    b: str = ""
    ratio: float | None = None
    within: float | None = None
    low: float | None = None
    high: float | None = None
    variants: tuple[str, ...] = ()
    smallest_effect: float | None = None
    ours: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The variants that the statement speaks of."""
        return self.variants or (self.a, self.b)


@dataclass(frozen=True)
class Unjudged:
    """Something that the article says and no race here judges; why: the reason for that."""

    says: str
    why: str
    place: str


@dataclass(frozen=True)
class System:
    """A program that the article names. Just one of these is given: `variant`, which is the program
    itself; `counterpart`, the variant that stands for it; `absent`, why there is neither.

    also: other names that the claims have for it; why: what makes the variant, or counterpart, one.
    """

    name: str
    place: str
    also: tuple[str, ...] = ()
    variant: str = ""
    counterpart: str = ""
    why: str = ""
    absent: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Its name, and the others."""
        return (self.name, *self.also)


@dataclass(frozen=True)
class Row:
    """A row of the article's table: the figures labelled `figure`, and what is read for them here.

    reads: a variant, or the label that a script prints; '' where nothing here does the same;
    number: the n-th measurement, from 1; 0: the mean of all (of one, where there is one).
    """

    figure: str
    reads: str = ""
    number: int = 0


@dataclass(frozen=True, kw_only=True)
class Published:
    """The article's own method, whatever its kind.

    A measurement is `runs` runs of which one figure is taken (`take`: single, best, last, mean).
    columns: the units of the article's table, in its order; rows: its rows, in theirs.
    note: where the article states the method, and what had to be assumed.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    runs: int = 1
    take: str = "single"
    measurements: int = 1
    note: str = ""

    @property
    def figures(self) -> int:
        """How many runs of each thing there are in all."""
        return self.runs * self.measurements


@dataclass(frozen=True, kw_only=True)
class PublishedHttp(Published):
    """Servers under a load generator, one after the other in `order`.

    An option that is None was not given by the article and is left to the tool. Either
    duration_seconds or requests is given.
    """

    tool: str
    order: tuple[str, ...]
    connections: int | None = None
    threads: int | None = None
    pipelining: int | None = None
    duration_seconds: int | None = None
    requests: int | None = None
    keep_alive: bool = False
    warmup_seconds: int = 0


@dataclass(frozen=True, kw_only=True)
class PublishedLoop(Published):
    """A script that times itself and prints `label: 12.3ms` for every run, as console.time does.

    It gets `iterations`, where they are given, as its only argument.
    """

    script: str
    iterations: int | None = None


@dataclass(frozen=True, kw_only=True)
class PublishedClient(Published):
    """Clients that load data so many times in a row (`iterations`), in turns, in `order`."""

    order: tuple[str, ...]
    iterations: int


@dataclass(frozen=True)
class Claim:
    """A whole claim file. method: the article's own, for --as-published; None where not given."""

    name: str
    path: Path
    title: str
    summary: str
    source: Source
    figures: tuple[Figure, ...]
    statements: tuple[Statement, ...]
    method: Published | None = None
    unjudged: tuple[Unjudged, ...] = ()
    systems: tuple[System, ...] = ()

    def published(self, variant: str) -> Figure | None:
        """The published figure of the program that `variant` stands for; None without one, and
        where it is void."""
        found = (f for f in self.figures if variant and f.variant == variant and not f.void)
        return next(found, None)

    def published_ratio(self, statement: Statement) -> float | None:
        """The published ratio of a's speed to b's: stated, or the quotient of their two figures.

        None for a question of our own, and without figures in one unit.
        """
        if statement.ours:
            return None
        if statement.ratio is not None:
            return statement.ratio
        a, b = self.published(statement.a), self.published(statement.b)
        return speed_ratio(a.value, b.value, a.unit) if a and b and a.unit == b.unit else None


def speed_ratio(a: float, b: float, unit: str) -> float:
    """How many times as fast a is as b, from two figures in `unit` (times or speeds), not 0."""
    return b / a if less_is_faster(unit) else a / b


def less_is_faster(unit: str) -> bool:
    """Is it a time, or one for each operation (ms, ns/op), with either of Unicode's two micros?"""
    return unit.replace("\N{GREEK SMALL LETTER MU}", "\N{MICRO SIGN}").partition("/")[0] in TIMES


def load(name: str, folder: Path | None = None) -> Claim:
    """The claim `name`: data/claims/NAME.toml, or the file NAME.toml beside an experiment.

    Raises InputError naming file, field and what was expected.
    """
    path = folder / name if folder and name.endswith(".toml") else paths.claims() / f"{name}.toml"
    return parse(documents.read_toml(path, "claim"), path)


def none(title: str, path: Path) -> Claim:
    """The claim of an experiment without one: nothing is said, so programs are only compared."""
    source = Source(article="none", title=title, language="none", method="none")
    return Claim("", path, title, "Nobody claims anything: a plain comparison.", source, (), ())


def parse(document: dict[str, Any], path: Path) -> Claim:
    where = paths.relative(path)
    seen: dict[str, int] = {}
    for i, statement in enumerate(document["statements"]):
        field = f"statements[{i}] ('{statement['id']}')"
        if statement["id"] in seen:
            raise InputError(
                where, f"{field}.id", f"is already the id of statements[{seen[statement['id']]}]"
            )
        seen[statement["id"]] = i
        if "a" in statement and statement["a"] == statement["b"]:
            raise InputError(where, f"{field}.b", f"a and b are both '{statement['a']}'")
        if "low" in statement and statement["low"] >= statement["high"]:
            raise InputError(where, f"{field}.high", f"must be more than low ({statement['low']})")
        ordered = statement.get("variants", [])
        if len(set(ordered)) < len(ordered):
            raise InputError(where, f"{field}.variants", "names a variant twice")
    source = dict(document["source"])
    source["links"] = tuple(source.get("links", ()))
    figures = tuple(Figure(**figure) for figure in document.get("figures", ()))
    statements = tuple(map(statement_of, whole(document["statements"])))
    return Claim(
        name=path.stem,
        path=path,
        title=document["title"],
        summary=document["summary"],
        source=Source(**source),
        figures=figures,
        statements=statements,
        method=parse_published(document.get("published"), figures, statements, where),
        unjudged=tuple(Unjudged(**each) for each in document.get("unjudged", ())),
        systems=parse_systems(document.get("systems", []), where),
    )


def parse_systems(tables: list[dict[str, Any]], where: str) -> tuple[System, ...]:
    """The programs that the article names. Raises InputError for one that says nothing of how it
    is raced, or two things, and for a name that two have."""
    systems: list[System] = []
    for i, table in enumerate(tables):
        field = f"systems[{i}] ('{table['name']}')"
        given = [key for key in ("variant", "counterpart", "absent") if key in table]
        if len(given) != 1:
            problem = f"gives {' and '.join(given)}" if given else "says nothing of how it is raced"
            remedy = "give one of: variant (itself), counterpart (with why), absent (why not)"
            raise InputError(where, field, problem, remedy)
        if "counterpart" in table and "why" not in table:
            problem = "is missing: why does the counterpart stand for it?"
            raise InputError(where, f"{field}.why", problem)
        everything: dict[str, Any] = {**table, "also": tuple(table.get("also", ()))}
        system = System(**everything)
        if twice := [n for n in system.names for other in systems if n in other.names]:
            raise InputError(where, field, f"'{twice[0]}' is the name of two systems")
        systems.append(system)
    return tuple(systems)


def parse_published(
    table: Mapping[str, Any] | None,
    figures: tuple[Figure, ...],
    statements: tuple[Statement, ...],
    where: str,
) -> Published | None:
    """The article's method. Raises InputError where its fields contradict each other."""
    if table is None:
        return None
    given = {name: value for name, value in table.items() if name != "kind"}
    runs, take = given.get("runs", 1), given.get("take", "single")
    if (runs == 1) != (take == "single"):
        problem = f"is '{take}', but there {'is 1 run' if runs == 1 else f'are {runs} runs'}"
        remedy = "one run is taken single; of several say best, last or mean"
        raise InputError(where, "published.take", problem, remedy)
    usual = "requests/s" if table["kind"] == "http" else "ms"
    columns = tuple(given.pop("columns", (usual,)))
    reads = {f.label: f.label if table["kind"] == "loop" else f.variant for f in reversed(figures)}
    rows = parse_rows(given.pop("rows", None), columns, figures, reads, where)
    most = given.get("measurements", 1)
    for i, row in enumerate(rows):
        if row.number > most:
            problem = f"is {row.number}, but there {'is 1' if most == 1 else f'are {most}'}"
            remedy = "say how many measurements there are in published.measurements"
            raise InputError(where, f"published.rows[{i}].number", problem, remedy)
    if table["kind"] == "loop":
        return PublishedLoop(columns=columns, rows=rows, **given)
    if table["kind"] == "http":
        check_options(given, where)
    spoken = [row.reads for row in rows] + [name for s in statements for name in s.names]
    order = given.pop("order", None) or list(dict.fromkeys(filter(None, spoken)))
    if len(set(order)) < len(order):
        raise InputError(where, "published.order", "names a variant twice")
    for i, row in enumerate(rows):
        if row.reads and row.reads not in order:
            problem = f"'{row.reads}' is not in published.order"
            raise InputError(where, f"published.rows[{i}].reads", problem)
    known: dict[str, Any] = {"columns": columns, "rows": rows, "order": tuple(order), **given}
    return PublishedHttp(**known) if table["kind"] == "http" else PublishedClient(**known)


def statement_of(table: Mapping[str, Any]) -> Statement:
    """A statement from its table."""
    given: dict[str, Any] = {**table, "variants": tuple(table.get("variants", ()))}
    if table.get("ours"):
        given["says"] = f"{OURS}: {table['says']}"
    return Statement(**given)


def parse_rows(
    tables: list[dict[str, Any]] | None,
    columns: tuple[str, ...],
    figures: tuple[Figure, ...],
    reads: Mapping[str, str],
    where: str,
) -> tuple[Row, ...]:
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
        return tuple(Row(label, reads[label]) for label in known)
    for i, table in enumerate(tables):
        if table["figure"] not in known:
            problem = f"no figure in {' or '.join(columns)} has the label '{table['figure']}'"
            raise InputError(where, f"published.rows[{i}].figure", problem)
    given: list[dict[str, Any]] = [{"reads": reads[t["figure"]], **t} for t in tables]
    return tuple(Row(**table) for table in given)


def check_options(given: Mapping[str, Any], where: str) -> None:
    """Raises InputError for options of a load generator that it does not have."""
    tool = given["tool"]
    if ("requests" in given) == ("duration_seconds" in given):
        problem = "is given beside requests" if "requests" in given else "is missing"
        remedy = "give either duration_seconds or requests"
        raise InputError(where, "published.duration_seconds", problem, remedy)
    tools = load_tools.declared()
    optional = frozenset().union(*(each.published_options for each in tools.values()))
    known = tools[tool].published_options
    for option in given:
        if option in optional - known:
            remedy = f"{tool} knows {' and '.join(sorted(known))}"
            raise InputError(where, f"published.{option}", f"{tool} has no such option", remedy)
    for least, most in (("threads", "connections"), ("connections", "requests")):
        if least in given and most in given and given[most] < given[least]:
            problem = f"must be at least {least} ({given[least]})"
            raise InputError(where, f"published.{most}", problem)
