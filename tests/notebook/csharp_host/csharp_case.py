"""A case of a table: cells of C#, and what the last of them shows."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """`value`: the last cell's value as text; `out`: all that the last cell prints; `html`: what
    the HTML that it shows, as its value or by display, must hold, in this order."""

    name: str
    cells: tuple[str, ...]
    value: str | None = None
    out: str = ""
    html: tuple[str, ...] = ()


def case(name: str, *cells: str, value=None, out="", html=()) -> Case:
    return Case(name, cells, value, out, (html,) if isinstance(html, str) else tuple(html))
