"""A claim: what an article said, read from data/claims/NAME.toml and checked."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook import documents, paths
from benchbook.errors import InputError


@dataclass(frozen=True)
class Source:
    """The article: what it is, when it was written, and how it measured."""

    article: str
    title: str
    year: int
    language: str
    method: str
    author: str = ""
    url: str = ""
    software: str = ""
    links: tuple[str, ...] = ()


@dataclass(frozen=True)
class Figure:
    """One published number. `variant` names the program here that does the same."""

    label: str
    value: float
    unit: str
    place: str
    variant: str = ""
    note: str = ""


@dataclass(frozen=True)
class Statement:
    """Something the article said that a race can judge.

    type "faster": a is faster than b; `ratio` is the published size (a to b), if there is one.
    type "same": a and b differ by less than `within` (a share: 0.02 is 2 %).
    type "order": `variants`, the fastest first.
    type "ratio": the ratio of a to b lies from `low` to `high`.
    `smallest_effect`: a smaller difference than this share does not matter to anybody.
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

    @property
    def names(self) -> tuple[str, ...]:
        """The variants that the statement speaks of."""
        return self.variants or (self.a, self.b)


@dataclass(frozen=True)
class Claim:
    """A whole claim file."""

    name: str
    path: Path
    title: str
    summary: str
    source: Source
    figures: tuple[Figure, ...]
    statements: tuple[Statement, ...]

    def published(self, variant: str) -> Figure | None:
        """The published figure of the program that `variant` stands for."""
        return next((f for f in self.figures if f.variant == variant), None)

    def published_ratio(self, statement: Statement) -> float | None:
        """The published ratio of a to b: stated, or the quotient of their two figures.

        None where the article gave no size, or figures in different units.
        """
        if statement.ratio is not None:
            return statement.ratio
        a, b = self.published(statement.a), self.published(statement.b)
        return a.value / b.value if a and b and a.unit == b.unit else None


def load(name: str, folder: Path | None = None) -> Claim:
    """The claim `name`: data/claims/NAME.toml, or the file NAME.toml beside an experiment.

    Raises InputError naming file, field and what was expected.
    """
    path = folder / name if folder and name.endswith(".toml") else paths.claims() / f"{name}.toml"
    return parse(documents.read_toml(path, "claim"), path)


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
    return Claim(
        name=path.stem,
        path=path,
        title=document["title"],
        summary=document["summary"],
        source=Source(**source),
        figures=tuple(Figure(**figure) for figure in document["figures"]),
        statements=tuple(
            Statement(**{**s, "variants": tuple(s.get("variants", ()))})
            for s in document["statements"]
        ),
    )
