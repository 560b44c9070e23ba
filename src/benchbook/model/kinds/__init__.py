"""The kinds of experiment: what variants are, what is asked of them, in which unit speeds are.

A file each; how a kind is measured lies in the folder of its name in race/kinds.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from benchbook.model.kinds.benchmarks import Benchmarks
from benchbook.model.kinds.client import Client
from benchbook.model.kinds.commands import WholeProcesses
from benchbook.model.kinds.functions import Functions
from benchbook.model.kinds.http import Http
from benchbook.model.kinds.kind import Inside, Kind
from benchbook.model.kinds.page import Page
from benchbook_kernels.base.errors import InputError

KINDS: tuple[type[Kind], ...] = (  # run files that do not name theirs are of the first that suits
    Http,
    Benchmarks,
    Functions,
    Page,
    Client,
    WholeProcesses,
)


def parse(document: Mapping[str, Any], where: str, inside: Inside) -> Kind:
    """The kind that an experiment.toml declares. Raises InputError where it is not exactly one, or
    where the file's modes do not go with it."""
    known = {kind.table: kind for kind in KINDS if kind.table}
    given = [table for table in known if table in document]
    if len(given) != 1:
        problem = f"is given beside {given[0]}" if given else "is missing"
        remedy = "give one of " + ", ".join(f"[{table}]" for table in known)
        raise InputError(where, given[-1] if given else next(iter(known)), problem, remedy)
    found = known[given[0]].parse(document[given[0]], where, inside)
    found.check_modes(document["race"], where)
    return found


def check_variants(kind: Kind, entries: Sequence[Mapping[str, Any]], where: str) -> None:
    """Raises InputError where entries of [[variants]] do not go with the kind."""
    for i, entry in enumerate(entries):
        field = f"variants[{i}] ('{entry['name']}')"
        for other in KINDS:
            for name in (other.own_fields - kind.own_fields) & entry.keys():
                raise InputError(where, f"{field}.{name}", f"goes with [{other.table}] only")
        kind.check_variant(entry, where, field)


def of_run(document: Mapping[str, Any]) -> type[Kind]:
    """The kind of a run file, which fits the schema; older ones do not name it."""
    name, unit = document.get("kind"), document["experiment"].get("unit")
    tool = document["plan"]["tool"]
    return next(k for k in KINDS if k.name == name or (not name and k.wrote(unit, tool)))
