"""The variants and modes of an experiment.toml, and what must agree with them."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchbook.model.claims import Claim
from benchbook.model.documents import Tell, refuse
from benchbook.model.naming import NAME, home
from benchbook.model.variants import Mode, Variant
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.nearest import unknown


def parse_modes(
    tables: Mapping[str, Mapping[str, Any]], names: list[str], where: str, tell: Tell = refuse
) -> dict[str, Mode]:
    """The [race.…] tables. Tells of variants that do not exist."""
    modes: dict[str, Mode] = {}
    for name, table in tables.items():
        chosen = {key: tuple(table.get(key, ())) for key in ("variants", "more")}
        for key, variants in chosen.items():
            for variant in variants:
                if variant not in names:
                    problem = unknown("variant", variant, names)
                    tell(InputError(where, f"race.{name}.{key}", problem))
        if chosen["more"] and not chosen["variants"]:
            problem = "adds nothing: without variants all race"
            tell(InputError(where, f"race.{name}.more", problem, "give variants, or leave it out"))
        given: dict[str, Any] = {**table, **chosen}
        modes[name] = Mode(**given)
    return modes


def parse_variants(
    entries: list[dict[str, Any]], folder: Path, where: str, tell: Tell = refuse
) -> tuple[Variant, ...]:
    """The [[variants]] entries. Tells of a name given twice, and of a missing file."""
    variants: list[Variant] = []
    for i, entry in enumerate(entries):
        field_name = f"variants[{i}] ('{entry['name']}')"
        if entry["name"] in [v.name for v in variants]:
            tell(InputError(where, f"{field_name}.name", "is the name of two variants"))
        files = {
            key: inside(folder, entry[key], where, f"{field_name}.{key}", tell)
            for key in ("file", "backend")
            if key in entry
        }
        headers = {name.lower(): value for name, value in entry.get("headers", {}).items()}
        variants.append(
            Variant(
                name=entry["name"],
                title=entry["title"],
                path=files["file"],
                needs=tuple(entry.get("needs", ())),
                headers=headers,
                ready_seconds=entry.get("ready_seconds", Variant.ready_seconds),
                backend=files.get("backend"),
                publish=entry.get("publish", False),
                aot=entry.get("aot", False),
                env=environment(entry),
                properties=tuple(f"{k}={v}" for k, v in entry.get("properties", {}).items()),
                paths=entry.get("paths"),
                answers_like=entry.get("answers_like", ""),
                benchmark=entry.get("benchmark", ""),
                series=entry.get("series", ""),
                case=entry.get("case", ""),
            )
        )
    return tuple(variants)


def environment(entry: Mapping[str, Any]) -> dict[str, str]:
    """The environment variables of a variant, with the number of its paths."""
    paths_ = {"PATHS": str(entry["paths"])} if "paths" in entry else {}
    return {**paths_, **entry.get("env", {})}


def inside(folder: Path, name: str, where: str, field_name: str, tell: Tell = refuse) -> Path:
    """The path of a file that must lie in an experiment's folder, or that of all its parts; tells
    where it does not."""
    if "\0" in name:
        tell(InputError(where, field_name, "holds a null character"))
        return folder
    path = (folder / name).resolve()
    if not path.is_relative_to(home(folder).resolve()):
        problem = f"'{name}' lies outside the experiment's folder"
        tell(InputError(where, field_name, problem, "keep variants in the folder"))
    elif not os.path.isfile(path):  # False, where Path.is_file raises, for a name that is too long
        problem = f"'{name}' does not exist in {paths.relative(folder)}"
        tell(InputError(where, field_name, problem))
    return path


def check_references(
    variants: tuple[Variant, ...], baseline: str, where: str, tell: Tell = refuse
) -> None:
    """What others must answer like exists, and is not itself compared with a third one."""
    known = {variant.name: variant for variant in variants}
    for i, variant in enumerate(variants):
        name, field_name = variant.answers_like, f"variants[{i}] ('{variant.name}').answers_like"
        if name and name not in known:
            tell(InputError(where, field_name, unknown("variant", name, list(known))))
        elif variant.name == baseline and name not in ("", baseline):
            tell(InputError(where, field_name, "is given for the baseline", "leave it out"))
        elif name and known[name].answers_like != name and name != baseline:
            problem = f"'{name}' is compared with another variant itself"
            remedy = f"give '{name}' answers_like = \"{name}\", or name another"
            tell(InputError(where, field_name, problem, remedy))


CLAIM_HELP = (
    'name a file in data/claims, without .toml, or one in the same folder: claim = "claim.toml"; '
    "or leave it out: then programs are compared and nothing is judged"
)


def check_claim_name(name: str, where: str) -> None:
    """Raises InputError where there can be no claim of that name, or is none in data/claims."""
    if not NAME.fullmatch(name):
        problem = f"'{name}' is not the name of a claim: no folders, no '..'"
        raise InputError(where, "claim", problem, CLAIM_HELP)
    if not name.endswith(".toml") and not os.path.isfile(paths.claims() / f"{name}.toml"):
        known = sorted(p.stem for p in paths.claims().glob("*.toml"))
        raise InputError(where, "claim", unknown("claim", name, known), CLAIM_HELP)


def check_names(claim: Claim, names: list[str], tell: Tell = refuse) -> None:
    """Every variant that the claim speaks of must exist in the experiment."""
    where = paths.relative(claim.path)
    for i, statement in enumerate(claim.statements):
        for name in statement.names:
            if name not in names:
                field_name = f"statements[{i}] ('{statement.id}')"
                tell(InputError(where, field_name, unknown("variant", name, names)))
    for i, figure in enumerate(claim.figures):
        if figure.variant and figure.variant not in names:
            field_name = f"figures[{i}] ('{figure.label}').variant"
            tell(InputError(where, field_name, unknown("variant", figure.variant, names)))
    for i, system in enumerate(claim.systems):
        name = system.variant or system.counterpart
        if name and name not in names:
            field_name = f"systems[{i}] ('{system.name}')"
            tell(InputError(where, field_name, unknown("variant", name, names)))
    for name in getattr(claim.method, "order", ()):
        if name not in names:
            tell(InputError(where, "published.order", unknown("variant", name, names)))


def check_script(claim: Claim, folder: Path) -> None:
    """The script of a published loop must be in the experiment's folder."""
    script = getattr(claim.method, "script", "")
    if script and not os.path.isfile(folder / script):
        problem = f"'{script}' does not exist in {paths.relative(folder)}"
        raise InputError(paths.relative(claim.path), "published.script", problem)
