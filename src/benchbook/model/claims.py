"""A claim: what an article said, read from data/claims/NAME.toml and checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.model import documents, published
from benchbook.model.continued import whole
from benchbook.model.documents import Tell, refuse, telling
from benchbook.model.published import Published, PublishedFigure, speed_ratio
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError

OURS = "A question of our own"


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
class Claim:
    """A whole claim file. method: the article's own, for --as-published; None where not given."""

    name: str
    path: Path
    title: str
    summary: str
    source: Source
    figures: tuple[PublishedFigure, ...]
    statements: tuple[Statement, ...]
    method: Published | None = None
    unjudged: tuple[Unjudged, ...] = ()
    systems: tuple[System, ...] = ()

    def published(self, variant: str) -> PublishedFigure | None:
        """The published figure of the program that `variant` stands for; None without one, and
        where it is excluded."""
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


def load(name: str, folder: Path | None = None, tell: Tell = refuse) -> Claim:
    """The claim in a file (`place`). Raises InputError naming file, field and what was expected;
    what contradicts itself is told."""
    path = place(name, folder)
    return parse(documents.read_toml(path, "claim"), path, tell)


def place(name: str, folder: Path | None = None) -> Path:
    """Where a claim lies: data/claims/NAME.toml, or the file NAME.toml beside an experiment."""
    return folder / name if folder and name.endswith(".toml") else paths.claims() / f"{name}.toml"


def none(title: str, path: Path) -> Claim:
    """The claim of an experiment without one: nothing is said, so programs are only compared."""
    source = Source(article="none", title=title, language="none", method="none")
    return Claim("", path, title, "Nobody claims anything: a plain comparison.", source, (), ())


def parse(document: dict[str, Any], path: Path, tell: Tell = refuse) -> Claim:
    where = paths.relative(path)
    seen: dict[str, int] = {}
    for i, statement in enumerate(document["statements"]):
        field = f"statements[{i}] ('{statement['id']}')"
        if statement["id"] in seen:
            problem = f"is already the id of statements[{seen[statement['id']]}]"
            tell(InputError(where, f"{field}.id", problem))
        seen[statement["id"]] = i
        if "a" in statement and statement["a"] == statement["b"]:
            tell(InputError(where, f"{field}.b", f"a and b are both '{statement['a']}'"))
        if "low" in statement and statement["low"] >= statement["high"]:
            tell(InputError(where, f"{field}.high", f"must be more than low ({statement['low']})"))
        ordered = statement.get("variants", [])
        if len(set(ordered)) < len(ordered):
            tell(InputError(where, f"{field}.variants", "names a variant twice"))
    source = dict(document["source"])
    source["links"] = tuple(source.get("links", ()))
    figures = tuple(PublishedFigure(**figure) for figure in document.get("figures", ()))
    statements = tuple(map(statement_of, whole(document["statements"])))
    spoken = [name for statement in statements for name in statement.names]
    method = None
    with telling(tell):
        method = published.parse(document.get("published"), figures, spoken, where)
    return Claim(
        name=path.stem,
        path=path,
        title=document["title"],
        summary=document["summary"],
        source=Source(**source),
        figures=figures,
        statements=statements,
        method=method,
        unjudged=tuple(Unjudged(**each) for each in document.get("unjudged", ())),
        systems=parse_systems(document.get("systems", []), where, tell),
    )


def parse_systems(
    tables: list[dict[str, Any]], where: str, tell: Tell = refuse
) -> tuple[System, ...]:
    """The programs that the article names. Tells of one that says nothing of how it is raced, or
    two things, and of a name that two have."""
    systems: list[System] = []
    for i, table in enumerate(tables):
        field = f"systems[{i}] ('{table['name']}')"
        given = [key for key in ("variant", "counterpart", "absent") if key in table]
        if len(given) != 1:
            problem = f"gives {' and '.join(given)}" if given else "says nothing of how it is raced"
            remedy = "give one of: variant (itself), counterpart (with why), absent (why not)"
            tell(InputError(where, field, problem, remedy))
        if "counterpart" in table and "why" not in table:
            problem = "is missing: why does the counterpart stand for it?"
            tell(InputError(where, f"{field}.why", problem))
        everything: dict[str, Any] = {**table, "also": tuple(table.get("also", ()))}
        system = System(**everything)
        if twice := [n for n in system.names for other in systems if n in other.names]:
            tell(InputError(where, field, f"'{twice[0]}' is the name of two systems"))
        systems.append(system)
    return tuple(systems)


def statement_of(table: Mapping[str, Any]) -> Statement:
    """A statement from its table."""
    given: dict[str, Any] = {**table, "variants": tuple(table.get("variants", ()))}
    if table.get("ours"):
        given["says"] = f"{OURS}: {table['says']}"
    return Statement(**given)
