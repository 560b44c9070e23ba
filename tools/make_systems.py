"""Writes docs/systems.md, all programs that the articles name, from the claims.

`python tools/make_systems.py`; with --check it writes nothing and fails where the page is not up to
date. It fails, too, where a claim names something that has no row.
"""

import argparse
import json
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / path) for path in ("src", "packages/benchbook-kernels/src")]

from benchbook.model import experiments  # noqa: E402
from benchbook.model.claims import OURS, Claim, System  # noqa: E402
from benchbook.model.experiments import Experiment  # noqa: E402
from benchbook.model.naming import short  # noqa: E402
from benchbook_kernels.base.errors import InputError  # noqa: E402

PAGE = ROOT / "docs" / "systems.md"
HOW = ("variant", "counterpart", "absent")
HEAD = """# The systems that the articles name

Of {} systems, {} were raced themselves in the recorded races, and living counterparts stand
for {}. {} more race where their packages can be had: in the recorded races they were unavailable.
Of the other {} the table says why they do not race. Made from [the claims](../data/claims) and
[the races](../data/runs) by `python tools/make_systems.py`.

"""
NAME = re.compile(r"(?<![\w.])[\w.#:/@-]*[A-Z][\w.#:/@-]*")  # what has a capital may be a system

# With a capital, but no article's system: what begins a sentence, units, hardware, parts of
# programs, and what stands for systems here.
WORDS = set(
    """
    A All An And Article At Before Besides Both Compared Databases Filters For Frameworks From
    He Here If In Is It Its Many Nine No Not On One Only Our Part Past Raw Self-host
    Self-hosting Settings So Text That The These They This Throwing To Twelve Two What When
    Where Whether With Without Writing .NET API C# Consumer Brotli Core Framework GB Mbit/s HTTP
    January June KiB Preview README REST Scheme Ultimate Windows i7-3770K -int.MaxValue
    int.MaxValue Executed Executing IgnoreOperation JSON Order RegExps ReturnStatusCodeException
    T4 Task BeginWrite Write WriteAsync res.setHeader setHeader writeHead Kestrel Mono HTTPS None
    CPU http.createServer We Pages Documentation Microsoft GetStringSync Five Twenty Between
    Promise.all Release Mind SDK Runtime-async Once While
    AOT Converting IQueryable LINQ Last Native PublishAot
    RegexOptions.Compiled Select Since Size-optimised Skip Take ToArray
    """.split()
)


def by_article(every: Sequence[Experiment]) -> dict[str, list[Experiment]]:
    """The experiments with a claim of their own, by the article that it is from."""
    found: dict[str, list[Experiment]] = {}
    for experiment in {e.claim.name: e for e in reversed(every)}.values():
        if experiment.claim.source.article.isdigit():
            found.setdefault(experiment.claim.source.article, []).append(experiment)
    return {article: found[article][::-1] for article in sorted(found)}


def check(claims: Sequence[Claim]) -> None:
    """Raises InputError where claims from one article give a system two rows, or name one that has
    none."""
    rows: dict[str, str] = {}
    for claim in claims:
        for name in (n for system in claim.systems for n in system.names):
            if rows.setdefault(name, claim.path.name) != claim.path.name:
                problem = f"has rows here and in {rows[name]}"
                raise InputError(claim.path.name, f"systems ('{name}')", problem, "leave one out")
    for claim in claims:
        for field, text in texts(claim):
            for word in unknown(text, list(rows)):
                remedy = "give it a [[systems]] row, or add it to WORDS in tools/make_systems.py"
                raise InputError(claim.path.name, field, f"'{word}' has no row", remedy)


def texts(claim: Claim) -> Iterator[tuple[str, str]]:
    """What a claim says, by field."""
    yield from (("title", claim.title), ("summary", claim.summary))
    yield "source.software", claim.source.software
    for figure in claim.figures:
        yield "figures", figure.label
    for statement in claim.statements:
        yield f"statements ('{statement.id}')", statement.says.removeprefix(f"{OURS}: ")
    for each in claim.unjudged:
        yield "unjudged", each.says


def unknown(text: str, names: Sequence[str]) -> list[str]:
    """The words of a text that may name a system and are neither a row's name nor in WORDS."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w)", "", text)
    return [word for found in NAME.findall(text) if (word := found.rstrip(".:/-")) not in WORDS]


@cache
def never_raced() -> set[str]:
    """The variants that no recorded race could have, and that were in one."""
    status: dict[str, set[str]] = {}
    for path in (ROOT / "data" / "runs").glob("*.json"):
        for entry in json.loads(path.read_text(encoding="utf-8")).get("entries", []):
            status.setdefault(entry["name"], set()).add(entry["status"])
    return {name for name, found in status.items() if found == {"unavailable"}}


def raced(system: System, experiment: Experiment, unavailable: Collection[str]) -> str:
    """How a system is raced here, in Markdown."""
    where = f"[{short(experiment.notebook.stem)}](../notebooks/{experiment.notebook.name})"
    if system.variant:
        lacking = "; unavailable in the recorded race" if system.variant in unavailable else ""
        why = f", {system.why}" if system.why else ""
        return f"itself: `{system.variant}` in {where}{why}{lacking}"
    if system.counterpart:
        return f"`{system.counterpart}` in {where} stands for it: {system.why}"
    return f"no: {system.absent}"


def page(every: Sequence[Experiment]) -> str:
    """docs/systems.md. Raises InputError for a system without a row, or with two."""
    parts = []
    systems: list[System] = []
    unavailable = never_raced()
    for article, there in by_article(every).items():
        check([experiment.claim for experiment in there])
        systems += (system for experiment in there for system in experiment.claim.systems)
        source = there[0].claim.source
        written = f", {source.year}" if source.year else ""
        parts.append(f"## Article {article}: {source.title} ({source.language}{written})\n\n")
        parts.append("| system | where it is named | raced here |\n|---|---|---|\n")
        for experiment in there:
            for system in experiment.claim.systems:
                cells = (system.name, system.place, raced(system, experiment, unavailable))
                parts.append(f"| {' | '.join(cells)} |\n")
        parts.append("\n")
    themselves, counterparts, absent = (sum(bool(getattr(s, how)) for s in systems) for how in HOW)
    lacking = sum(system.variant in unavailable for system in systems)
    counts = (len(systems), themselves - lacking, counterparts, lacking, absent)
    return HEAD.format(*counts) + "".join(parts).rstrip("\n") + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    asked = parser.parse_args(arguments)
    try:
        text = page(experiments.load_all())
    except InputError as error:
        print(error, file=sys.stderr)
        return 1
    if not asked.check:
        PAGE.write_text(text, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != text:
        print("docs/systems.md is not up to date: python tools/make_systems.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
