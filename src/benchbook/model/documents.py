"""Read a TOML or JSON document and check it against a JSON Schema of this package: a file in
schemas/, or for runs the one made from their dataclasses.

Errors name the file, the field and what was expected. Source: JSON Schema 2020-12,
https://json-schema.org/draft/2020-12/schema, as the library jsonschema implements it.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import tomllib

from benchbook import loadtools
from benchbook.model import kinds
from benchbook.model.schemas import CLOSED, NAMES, formats
from benchbook.system import paths
from benchbook_kernels.base import untrusted
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.nearest import nearest
from benchbook_kernels.base.untrusted import is_number
from benchbook_kernels.base.words import counted

Tell = Callable[[InputError], None]  # told what is wrong: raises it, or goes on with what can be
Rule = Callable[[Any, Any, Any, Any], Iterator[Any]]  # of jsonschema: (validator, …) -> errors
# What a schema says of a plain value.
PLAIN = {"type", "enum", "pattern", "minimum", "exclusiveMinimum", "maximum", "description"}
PLAIN |= {"properties", "required", "additionalProperties", "items", "minItems"}

# Those whose schemas are made from dataclasses, which most commands don't need.
OF_PROFILES = ("attack", "cost", "layers", "versions", "why")

KIND = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}


def refuse(error: InputError) -> None:
    """Raises the error: the first that is found ends the reading."""
    raise error


@contextmanager
def telling(tell: Tell) -> Iterator[None]:
    """An error that comes from within is told."""
    try:
        yield
    except InputError as error:
        tell(error)


def read_toml(path: Path, schema: str) -> dict[str, Any]:
    """The document at `path`, checked against the schema of this name.

    Raises InputError where it is missing, is not TOML or UTF-8, or does not fit.
    """
    where = paths.relative(path)
    document: dict[str, Any] = untrusted.read(path, where, "TOML", tomllib.loads)
    document = formats.current(document, schema, where)
    check(document, schema, where)
    return document


def read_json(path: Path, schema: str) -> dict[str, Any]:
    """As read_toml, for JSON."""
    where = paths.relative(path)
    document: dict[str, Any] = untrusted.read_json(path, where)
    check(document, schema, where)
    return document


def check(document: Any, schema: str, where: str) -> None:
    """Raise InputError for the first place where `document` does not fit the schema."""
    errors = sorted(validator(schema).iter_errors(document), key=lambda e: list(map(str, e.path)))
    if errors:
        error = min(errors, key=specificity)
        field, problem, remedy = explain(error, document)
        raise InputError(where, field, problem, remedy)


def problems(document: Any, schema: str, where: str) -> list[InputError]:
    """Every place where `document` does not fit the schema, each told once."""
    found = sorted(validator(schema).iter_errors(document), key=lambda e: list(map(str, e.path)))
    told = [each for error in found for each in explained(error, document)]
    return [InputError(where, *each) for each in dict.fromkeys(told)]


def specificity(error: Any) -> int:
    """Unknown and mistyped fields first: a missing field is often the misspelt one."""
    order = ["additionalProperties", "type", "enum", "const", "pattern"]
    return order.index(error.validator) if error.validator in order else len(order)


def filled(schema: Any) -> Any:
    """A schema, with `"namesOf": "load tools"` replaced by an enum of names.

    "load tools": what http.tool takes; "replayable tools": those that run as an article ran them;
    "kinds": of experiments. `"tablesBy"`: a field whose value says which other fields there are.
    """
    if isinstance(schema, list):
        return [filled(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "tablesBy" in schema:
        return filled(with_tables(**schema))
    if "namesOf" not in schema:
        return {name: filled(part) for name, part in schema.items()}
    tools = loadtools.declared()
    names = {
        "load tools": ["auto", *tools],
        "kinds": [kind.name for kind in kinds.KINDS],
        "replayable tools": [name for name, tool in tools.items() if tool.published_options],
    }
    rest = {name: part for name, part in schema.items() if name != "namesOf"}
    return {"enum": names[schema["namesOf"]], **rest}


def with_tables(tablesBy: dict[str, Any], **schema: Any) -> dict[str, Any]:
    """A schema in JSON Schema's own words: beside the common properties a value of the field
    allows those of its table, and no others."""
    field: str = tablesBy["field"]
    common: dict[str, Any] = dict.fromkeys(schema["properties"], {})
    rules = [
        {
            "if": {"properties": {field: {"const": value}}, "required": [field]},
            "then": {**table, "properties": common | table["properties"], **CLOSED},
        }
        for value, table in tablesBy["tables"].items()
    ]
    return {**schema, "allOf": rules}


def whole(schema: str) -> dict[str, Any]:
    """A schema from its file, in JSON Schema's own words: for editors, and for our checks."""
    file = paths.PACKAGE / "model" / "schemas" / f"{schema}.schema.json"
    found: dict[str, Any] = filled(json.loads(file.read_text(encoding="utf-8")))
    return found


@cache
def validator(schema: str) -> Any:
    """A validator of jsonschema for one of our schemas, strict about numbers."""
    from jsonschema import Draft202012Validator, validators  # costs 0.1 s: only where it is used

    types = {
        "integer": lambda _, value: type(value) is int and is_number(value),
        "number": lambda _, value: is_number(value),
    }
    rules = Draft202012Validator.VALIDATORS
    strict = validators.extend(
        Draft202012Validator,
        {name: quick(name, rules[name]) for name in ("properties", "items")},
        type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(types),
    )
    if schema == "run":
        from benchbook.model import runs  # 5 ms, which commands that read no run save

        return strict(filled(runs.document_schema()))
    if schema in OF_PROFILES:
        from benchbook.model.profiles import attack, by_version, comparison, cost, layers

        made = {"attack": attack, "cost": cost, "layers": layers, "versions": by_version}
        return strict({**made, "why": comparison}[schema].document_schema())
    found = {keyword: rule for keyword, rule in whole(schema).items() if keyword != "$id"}
    return strict(found)  # references are within it, and old versions of the library look elsewhere


def quick(keyword: str, rule: Rule) -> Rule:
    """The library's rule, which is asked only where a value does not plainly fit: it takes 10 µs
    for each value inside, and run files have hundreds of thousands."""

    def asked(check: Any, part: Any, value: Any, schema: Any) -> Iterator[Any]:
        if not plainly_fits(value, {keyword: part}):
            yield from rule(check, part, value, schema)

    return asked


def plainly_fits(value: Any, schema: Any) -> bool:
    """Does a value fit a schema that says no more than PLAIN? False for all that is not as plain,
    which may fit as well."""
    if not isinstance(schema, dict) or not PLAIN.issuperset(schema):
        return False
    name, allowed = NAMES.get(type(value), ""), schema.get("type")  # one, or several
    if allowed and name not in allowed and not (name == "integer" and "number" in allowed):
        return False
    if "enum" in schema and not (name == "string" and value in schema["enum"]):
        return False
    if name == "object":
        parts, others = schema.get("properties", {}), schema.get("additionalProperties", {})
        return all(name in value for name in schema.get("required", ())) and all(
            plainly_fits(each, parts.get(name, others)) for name, each in value.items()
        )
    if name == "array":
        part = schema.get("items", {})
        return len(value) >= schema.get("minItems", 0) and all(
            plainly_fits(each, part) for each in value
        )
    if is_number(value):
        least, most = schema.get("minimum", value), schema.get("maximum", value)
        above = schema.get("exclusiveMinimum", -math.inf)
        return bool(least <= value <= most and value > above)
    if name == "string":
        return bool(re.search(schema.get("pattern", ""), value))
    return name in ("boolean", "null")


def explain(error: Any, document: Any) -> tuple[str, str, str]:
    """A schema error as (field, problem, remedy) in the reader's words; the first where several
    fields are unknown, or missing."""
    return next(explained(error, document))


def explained(error: Any, document: Any) -> Iterator[tuple[str, str, str]]:
    """All that a schema error says, each as (field, problem, remedy) in the reader's words."""
    field = dotted(error.absolute_path, document)
    properties = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    if error.validator == "additionalProperties":
        known = sorted(properties)
        for unknown in (key for key in error.instance if key not in known):
            close = nearest(unknown, known)
            remedy = f"did you mean '{close}'? " if close else ""
            told = f"{remedy}known here: {', '.join(known)}"
            yield join(field, unknown), "unknown field", told
    elif error.validator == "required":
        for missing in (name for name in error.validator_value if name not in error.instance):
            about = properties.get(missing, {}).get("description", "")
            yield join(field, missing), "is missing", f"expected: {about}" if about else ""
    else:
        yield explain_value(error, field, document)


def explain_value(error: Any, field: str, document: Any) -> tuple[str, str, str]:
    """As `explain`, of an error in a value."""
    rule, value = error.validator, error.validator_value
    about = error.schema.get("description", "")
    if rule == "type":
        wanted = " or ".join(KIND[t] for t in ([value] if isinstance(value, str) else value))
        problem = f"expected {wanted}, found {formatted(error.instance)}"
    elif rule == "enum":
        problem = (
            f"expected one of {', '.join(map(formatted, value))}, found {formatted(error.instance)}"
        )
    elif rule == "pattern":
        problem = f"{formatted(error.instance)} does not have the form {value}"
    elif rule in ("minimum", "exclusiveMinimum"):
        word = "at least" if rule == "minimum" else "more than"
        problem = f"expected {word} {value}, found {formatted(error.instance)}"
    elif rule == "minItems":
        problem = f"expected at least {counted(value, 'entry')}, found {len(error.instance)}"
    elif rule in ("maximum", "exclusiveMaximum"):
        word = "at most" if rule == "maximum" else "less than"
        problem = f"expected {word} {value}, found {formatted(error.instance)}"
    elif rule == "minLength":
        problem = "is empty"
    elif rule == "anyOf" and about:
        return field, f"expected {about}, found {formatted(error.instance)}", ""
    elif rule == "anyOf" and error.context:
        return explain(min(error.context, key=specificity), document)
    else:
        problem = error.message
    return field, problem, about


def dotted(path: Iterable[str | int], document: Any) -> str:
    """`variants[2] ('bare').file` for the path variants, 2, file."""
    text, here = "", document
    for key in path:
        here = here[key]
        if isinstance(key, int):
            name = here.get("name") or here.get("id") if isinstance(here, dict) else None
            text += f"[{key}]" + (f" ('{name}')" if isinstance(name, str) else "")
        else:
            text = join(text, str(key))
    return text


def join(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name


def formatted(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"
