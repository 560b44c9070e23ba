"""An experiment: a folder of snippets with an experiment.toml, read and checked."""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchbook import claims, documents, paths
from benchbook.claims import Claim
from benchbook.errors import InputError

FILE = "experiment.toml"


@dataclass(frozen=True)
class Variant:
    """One program that does the job one way.

    `headers` are the response headers that differ from the baseline's on purpose: their value, or
    False for one that is absent. `edited` says that the file is a reader's scratch copy.
    """

    name: str
    title: str
    path: Path
    needs: tuple[str, ...] = ()
    headers: Mapping[str, str | bool] = field(default_factory=dict)
    ready_seconds: float = 10.0
    edited: bool = False

    @property
    def code(self) -> str:
        return self.path.read_text(encoding="utf-8")


@dataclass(frozen=True)
class Mode:
    """How long to race: `quick` for a workshop, `full` for an answer. All in seconds."""

    budget_seconds: float
    sample_seconds: float
    warmup_seconds: float = 0.2
    launches: int | None = None
    blocks: int | None = None


@dataclass(frozen=True)
class Http:
    """What is asked of each server."""

    path: str
    connections: int = 50
    tool: str = "auto"


@dataclass(frozen=True)
class Experiment:
    """A whole experiment.toml with the claim that it tests."""

    name: str
    folder: Path
    title: str
    question: str
    claim: Claim
    baseline: str
    http: Http
    modes: Mapping[str, Mode]
    variants: tuple[Variant, ...]

    @property
    def number(self) -> str:
        return self.name.partition("-")[0]

    @property
    def notebook(self) -> Path:
        return paths.notebooks() / f"{self.name}.ipynb"

    def variant(self, name: str) -> Variant:
        """Raises InputError where there is no such variant."""
        for variant in self.variants:
            if variant.name == name:
                return variant
        names = [variant.name for variant in self.variants]
        raise InputError(f"experiment {self.name}", "", unknown("variant", name, names))

    def with_edit(self, variant: Variant) -> "Experiment":
        """The same experiment with an edited copy of one variant in the original's place."""
        changed = tuple(variant if v.name == variant.name else v for v in self.variants)
        return replace(self, variants=changed)


def unknown(kind: str, name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return f"no {kind} '{name}'{hint} (there are: {', '.join(known) or 'none'})"


def folders() -> Iterator[Path]:
    """The folders in snippets/ that hold an experiment, in order."""
    if paths.snippets().is_dir():
        yield from sorted(p.parent for p in paths.snippets().glob(f"*/{FILE}"))


def load_all() -> list[Experiment]:
    """Every experiment in snippets/, in order. Raises InputError for the first that is wrong."""
    return [load(folder) for folder in folders()]


def find(which: str) -> Experiment:
    """The experiment meant by a number (04), a name, or the path of a folder.

    Raises InputError where there is none, or more than one.
    """
    if "/" in which or "\\" in which or (Path(which) / FILE).is_file():
        folder = Path(which).resolve()
        if not (folder / FILE).is_file():
            raise InputError(which, "", f"has no {FILE}", f"give a folder that holds an {FILE}")
        return load(folder)
    every = list(folders())
    number = which.zfill(2) if which.isdigit() else which
    matches = [f for f in every if f.name == which or f.name.partition("-")[0] == number]
    exact = [f for f in matches if f.name == which]
    if len(matches) > 1 and not exact:
        names = ", ".join(f.name for f in matches)
        raise InputError(f"experiment {which}", "", f"is not one but several: {names}", "name one")
    if not matches:
        names = [f.name for f in every]
        raise InputError(f"experiment {which}", "", unknown("experiment", which, names))
    return load((exact or matches)[0])


def load(folder: Path) -> Experiment:
    """The experiment in `folder`. Raises InputError naming file, field and what was expected."""
    path = folder / FILE
    document = documents.read_toml(path, "experiment")
    where = paths.relative(path)
    variants = parse_variants(document["variants"], folder, where)
    names = [variant.name for variant in variants]
    if document["baseline"] not in names:
        raise InputError(where, "baseline", unknown("variant", document["baseline"], names))
    claim_name = document["claim"]
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", claim_name):
        problem = f"'{claim_name}' is not the name of a claim: no folders, no '..'"
        raise InputError(where, "claim", problem, "name a file in data/claims, without .toml")
    if not claim_name.endswith(".toml") and not (paths.claims() / f"{claim_name}.toml").is_file():
        known = sorted(p.stem for p in paths.claims().glob("*.toml"))
        raise InputError(where, "claim", unknown("claim", claim_name, known))
    claim = claims.load(claim_name, folder)
    check_names(claim, names)
    check_script(claim, folder)
    return Experiment(
        name=folder.name,
        folder=folder,
        title=document["title"],
        question=document["question"],
        claim=claim,
        baseline=document["baseline"],
        http=Http(**document["http"]),
        modes={name: Mode(**mode) for name, mode in document["race"].items()},
        variants=variants,
    )


def parse_variants(entries: list[dict[str, Any]], folder: Path, where: str) -> tuple[Variant, ...]:
    variants: list[Variant] = []
    for i, entry in enumerate(entries):
        field_name = f"variants[{i}] ('{entry['name']}')"
        if entry["name"] in [v.name for v in variants]:
            raise InputError(where, f"{field_name}.name", "is the name of two variants")
        path = (folder / entry["file"]).resolve()
        if not path.is_relative_to(folder.resolve()):
            problem = f"'{entry['file']}' lies outside the experiment's folder"
            raise InputError(where, f"{field_name}.file", problem, "keep variants in the folder")
        if not path.is_file():
            problem = f"'{entry['file']}' does not exist in {paths.relative(folder)}"
            raise InputError(where, f"{field_name}.file", problem)
        headers = {name.lower(): value for name, value in entry.get("headers", {}).items()}
        variants.append(
            Variant(
                name=entry["name"],
                title=entry["title"],
                path=path,
                needs=tuple(entry.get("needs", ())),
                headers=headers,
                ready_seconds=entry.get("ready_seconds", Variant.ready_seconds),
            )
        )
    return tuple(variants)


def check_names(claim: Claim, names: list[str]) -> None:
    """Every variant that the claim speaks of must exist in the experiment."""
    where = paths.relative(claim.path)
    for i, statement in enumerate(claim.statements):
        for name in statement.names:
            if name not in names:
                field_name = f"statements[{i}] ('{statement.id}')"
                raise InputError(where, field_name, unknown("variant", name, names))
    for i, figure in enumerate(claim.figures):
        if figure.variant and figure.variant not in names:
            field_name = f"figures[{i}] ('{figure.label}').variant"
            raise InputError(where, field_name, unknown("variant", figure.variant, names))
    for name in getattr(claim.method, "order", ()):
        if name not in names:
            raise InputError(where, "published.order", unknown("variant", name, names))


def check_script(claim: Claim, folder: Path) -> None:
    """The script of a published loop must be in the experiment's folder."""
    script = getattr(claim.method, "script", "")
    if script and not (folder / script).is_file():
        problem = f"'{script}' does not exist in {paths.relative(folder)}"
        raise InputError(paths.relative(claim.path), "published.script", problem)
