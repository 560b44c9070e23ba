"""The format of files that people write by hand: its version, and how older ones are read.

A file says it as `format = "benchbook-claim/1"`; one without is of version 1. A new version is for
what older releases would read wrongly; it comes with a function here that makes a document of the
version before it one of the new, so that files which people keep are read for good.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from benchbook_kernels.base.errors import InputError

Document = dict[str, Any]
Migration = Callable[[Document], Document]

NEWEST: dict[str, int] = {"claim": 1, "experiment": 1}  # by schema
# What makes a document of (schema, version) one of the next version.
MIGRATIONS: dict[tuple[str, int], Migration] = {}


def name(schema: str, version: int) -> str:
    """How a file says its format."""
    return f"benchbook-{schema}/{version}"


def version_of(document: Mapping[str, Any], schema: str, where: str) -> int:
    """The version of a document. Raises InputError where it is of something else."""
    newest = name(schema, NEWEST[schema])
    said = document.get("format", name(schema, 1))
    match = re.fullmatch(rf"benchbook-{schema}/([1-9]\d{{0,8}})", str(said))
    if match is None:
        raise InputError(where, "format", f"expected {newest}, found {said!r}", "or leave it out")
    return int(match[1])


def current(document: Document, schema: str, where: str) -> Document:
    """The same in the newest form. Raises InputError where it is newer than that, or of something
    else."""
    if schema not in NEWEST:
        return document
    version, newest = version_of(document, schema, where), NEWEST[schema]
    if version > newest:
        problem = f"is {name(schema, version)}; this Benchbook reads up to {name(schema, newest)}"
        raise InputError(where, "format", problem, "get a newer Benchbook")
    for each in range(version, newest):
        document = MIGRATIONS[schema, each](document)
    return {**document, "format": name(schema, newest)} if "format" in document else document
