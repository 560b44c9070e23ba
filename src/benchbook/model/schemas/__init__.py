"""What documents look like: schemas as files; those made from dataclasses and TypedDicts, by the
types of their fields and what the fields say.

A field says more than its type by `name: Annotated[int, About("what it is", minimum=0)]`.
"""

import dataclasses
from collections.abc import Iterable
from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

LEFT_OUT = {"left out": "where it is None"}  # metadata of a field of the document
NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array"}
NAMES |= {dict: "object", NoneType: "null"}  # in JSON Schema
CLOSED = {"additionalProperties": False}
INSTEAD = {"type", "enum", "namesOf"}  # rules that stand for the type of the field


class About:
    """What a field is, for readers of the source and of errors; and `rules` of JSON Schema.

    younger: than the format, so that older files lack it; formerly: its name in older files; shape:
    the type whose fields a plain dict has; only: the names of its values, where they are alike.
    """

    def __init__(
        self,
        text: str = "",
        *,
        younger: bool = False,
        formerly: str = "",
        shape: Any = None,
        only: Iterable[str] = (),
        **rules: Any,
    ) -> None:
        self.text, self.younger, self.formerly = text, younger, formerly
        self.shape, self.only, self.rules = shape, list(only), rules


def of(kind: Any) -> dict[str, Any]:
    """The schema of a type that JSON can hold, with no other fields than its own.

    Raises TypeError for another type. What is not compared is no part of a document.
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        said: About = inner[1]
        found = {} if INSTEAD & said.rules.keys() else of(said.shape or inner[0])
        if said.only:
            named = dict.fromkeys(said.only, found["additionalProperties"])
            found = {**found, "properties": named, "required": said.only, **CLOSED}
        return found | said.rules | ({"description": said.text} if said.text else {})
    if origin is UnionType and NoneType in inner and len(inner) == 2:
        found = of(inner[0])
        return {**found, "type": [found["type"], "null"]}
    if origin in (list, tuple):
        return {"type": "array", "items": of(inner[0])}
    if origin is dict:
        return {"type": "object"} | (
            {} if inner[1] is Any else {"additionalProperties": of(inner[1])}
        )
    if kind in NAMES:
        return {"type": NAMES[kind]}
    if dataclasses.is_dataclass(kind) or is_typeddict(kind):
        return of_fields(kind)
    raise TypeError(f"no schema of {kind}")


def of_fields(kind: Any) -> dict[str, Any]:
    """The schema of an object with the fields of a dataclass or a TypedDict."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    known = {f.name: f for f in dataclasses.fields(kind)} if not is_typeddict(kind) else {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if known and (name not in known or not known[name].compare):
            continue
        hint = get_args(hint)[0] if get_origin(hint) is NotRequired else hint
        said = hint.__metadata__[0] if get_origin(hint) is Annotated else About()
        properties[name] = of(hint)
        if known and "left out" in known[name].metadata:
            properties[name]["type"] = properties[name]["type"][0]  # there, or not, but never null
        elif not said.younger:
            required.append(name)
        if said.formerly:
            older = {"description": f"in older files: the {name}"}
            properties[said.formerly] = properties[name] | older
    return {"type": "object", "properties": properties, "required": required, **CLOSED}
