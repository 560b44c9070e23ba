"""C# that declares rows as a list of typed records: cells complete and check their members."""

import json
import math
import re
from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]
INT = range(-(2**31), 2**31)


def code(name: str, rows: Sequence[Row]) -> str:
    """A record type, as RunRow for `run`, and a variable with a List of it.

    Members are the keys of all rows in PascalCase: text is string, whole numbers are int or long,
    all others double; a number that a row lacks, or has as null, is NaN.
    """
    keys = list(dict.fromkeys(key for row in rows for key in row))
    types = {key: type_of([row.get(key) for row in rows]) for key in keys}
    record = f"{member(name)}Row"
    members = ", ".join(f"{types[key]} {member(key)}" for key in keys)
    values = [{member(key): value_of(row.get(key), types[key]) for key in keys} for row in rows]
    json_text = json.dumps(json.dumps(values))  # JSON's escapes are C#'s, too
    options = "new System.Text.Json.JsonSerializerOptions { NumberHandling = "
    options += "System.Text.Json.Serialization.JsonNumberHandling.AllowNamedFloatingPointLiterals }"
    of = f"System.Collections.Generic.List<{record}>"
    read = f"System.Text.Json.JsonSerializer.Deserialize<{of}>({json_text}, {options})!"
    return f"public sealed record {record}({members});\nvar {name} = {read};"


def member(key: str) -> str:
    """A key as the name of a member: p50_ms is P50Ms."""
    words = [word for word in re.split(r"[^0-9A-Za-z]+", key) if word]
    found = "".join(word[0].upper() + word[1:] for word in words)
    return found if found and not found[0].isdigit() else f"N{found}"


def type_of(values: Sequence[Any]) -> str:
    """The type that holds all of these values."""
    some = [value for value in values if value is not None]
    if some and all(isinstance(value, bool) for value in some):
        return "bool"
    if some and all(isinstance(value, str) for value in some):
        return "string"
    if some and len(some) == len(values) and all(isinstance(value, int) for value in some):
        return "int" if all(value in INT for value in some) else "long"
    if all(isinstance(value, int | float) for value in some):
        return "double"
    return "object"


def value_of(value: Any, kind: str) -> Any:
    """A value as the JSON reader takes it for a member of this type."""
    if kind == "double":
        number = math.nan if value is None else float(value)
        return number if math.isfinite(number) else named(number)
    return {"bool": False, "string": ""}.get(kind) if value is None else value


def named(number: float) -> str:
    """A number that JSON lacks, as .NET writes it."""
    if math.isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"
