"""Read a TOML or JSON document and check it against a JSON Schema of this package.

Errors name the file, the field and what was expected. Source: JSON Schema 2020-12,
https://json-schema.org/draft/2020-12/schema, as the library jsonschema implements it.
"""

import difflib
import json
import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from benchbook import paths
from benchbook.errors import InputError

KIND = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}


def read_toml(path: Path, schema: str) -> dict[str, Any]:
    """The document at `path`, checked against schemas/`schema`.schema.json.

    Raises InputError where it is missing, is not TOML or UTF-8, or does not fit.
    """
    return read(path, schema, "TOML", tomllib.loads)


def read_json(path: Path, schema: str) -> dict[str, Any]:
    """As read_toml, for JSON."""
    return read(path, schema, "JSON", json.loads)


def read(path, schema, language, parse):
    where = paths.relative(path)
    try:
        document = parse(path.read_text(encoding="utf-8-sig"))  # as some editors of Windows save it
    except OSError as error:
        raise InputError(where, "", f"cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(where, "", f"is not UTF-8 (byte {error.start})") from None
    except (ValueError, RecursionError) as error:  # also too long a number, or nested too deeply
        raise InputError(where, "", f"is not {language}: {error}") from None
    check(document, schema, where)
    return document


def check(document: Any, schema: str, where: str) -> None:
    """Raise InputError for the first place where `document` does not fit the schema."""
    errors = sorted(validator(schema).iter_errors(document), key=lambda e: list(map(str, e.path)))
    if errors:
        error = min(errors, key=specificity)
        field, problem, remedy = explain(error, document)
        raise InputError(where, field, problem, remedy)


def specificity(error) -> int:
    """Unknown and mistyped fields first: a missing field is often the misspelt one."""
    order = ["additionalProperties", "type", "enum", "const", "pattern"]
    return order.index(error.validator) if error.validator in order else len(order)


@cache
def validator(schema: str):
    from jsonschema import Draft202012Validator, validators  # costs 0.1 s: only where it is used

    types = {
        "integer": lambda _, value: type(value) is int and is_number(value),
        "number": lambda _, value: is_number(value),
    }
    strict = validators.extend(
        Draft202012Validator, type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(types)
    )
    text = (paths.PACKAGE / "schemas" / f"{schema}.schema.json").read_text(encoding="utf-8")
    return strict(json.loads(text))


def is_number(value: Any) -> bool:
    """Is it one to calculate with? JSON Schema takes 3.0 for an integer, and passes NaN."""
    return (
        type(value) is int and abs(value) < 2**63 or type(value) is float and math.isfinite(value)
    )


def explain(error, document: Any) -> tuple[str, str, str]:
    """A schema error as (field, problem, remedy) in the reader's words."""
    field = dotted(error.absolute_path, document)
    rule, value = error.validator, error.validator_value
    if rule == "additionalProperties":
        known = sorted(error.schema.get("properties", {}))
        unknown = [key for key in error.instance if key not in known][0]
        close = difflib.get_close_matches(unknown, known, n=1)
        remedy = f"did you mean '{close[0]}'? " if close else ""
        return join(field, unknown), "unknown field", f"{remedy}known here: {', '.join(known)}"
    if rule == "required":
        missing = [name for name in value if name not in error.instance][0]
        about = error.schema.get("properties", {}).get(missing, {}).get("description", "")
        return join(field, missing), "is missing", f"expected: {about}" if about else ""
    about = error.schema.get("description", "")
    if rule == "type":
        wanted = " or ".join(KIND[t] for t in ([value] if isinstance(value, str) else value))
        problem = f"expected {wanted}, found {shown(error.instance)}"
    elif rule == "enum":
        problem = f"expected one of {', '.join(map(shown, value))}, found {shown(error.instance)}"
    elif rule == "pattern":
        problem = f"{shown(error.instance)} does not have the form {value}"
    elif rule in ("minimum", "exclusiveMinimum"):
        word = "at least" if rule == "minimum" else "more than"
        problem = f"expected {word} {value}, found {shown(error.instance)}"
    elif rule == "minItems":
        problem = f"expected at least {value} entries, found {len(error.instance)}"
    elif rule in ("maximum", "exclusiveMaximum"):
        word = "at most" if rule == "maximum" else "less than"
        problem = f"expected {word} {value}, found {shown(error.instance)}"
    elif rule == "minLength":
        problem = "is empty"
    elif rule == "anyOf" and about:
        return field, f"expected {about}, found {shown(error.instance)}", ""
    elif rule == "anyOf" and error.context:
        return explain(min(error.context, key=specificity), document)
    else:
        problem = error.message
    return field, problem, about


def dotted(path, document: Any) -> str:
    """`variants[2] ('bare').file` for the path variants, 2, file."""
    text, here = "", document
    for key in path:
        here = here[key]
        if isinstance(key, int):
            name = here.get("name") or here.get("id") if isinstance(here, dict) else None
            text += f"[{key}]" + (f" ('{name}')" if isinstance(name, str) else "")
        else:
            text = join(text, key)
    return text


def join(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name


def shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"
