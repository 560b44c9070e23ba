"""Statements that go on from the one before them, as articles do: "… and so is b"."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def whole(tables: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The statements' tables; one that "… goes on" repeats the sentence from which it does."""
    says = ""
    for table in tables:
        says = f"{says} {table['says']}" if table["says"].startswith("…") else table["says"]
        yield {**table, "says": says}
