"""Writes docs/claim-format.md, and the schemas for editors in docs/schemas, from the schemas that
Benchbook checks files with: `python tools/make_claim_format.py`; with --check it only compares."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomllib

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / path) for path in ("src", "packages/benchbook-kernels/src")]

from benchbook.model import documents  # noqa: E402
from benchbook.model.schemas import formats  # noqa: E402

PAGE, SCHEMAS = ROOT / "docs" / "claim-format.md", ROOT / "docs" / "schemas"
HEAD = """\
# The format of claims and experiments

An experiment is a folder: `experiment.toml` says what is raced and how, the variants are files
beside it, and a claim says what somebody stated. The claim is a file `claim.toml` in the folder
(`claim = "claim.toml"`), or, in Benchbook's own checkout, one in `data/claims`. [Your own
question](your-own-question.md) makes such a folder in one command; `./bench check FOLDER` says
everything that is wrong with it, with file and line.

`python tools/make_claim_format.py` makes this page from the schemas that files are checked with.

## In an editor

Editors that know JSON Schema for TOML (taplo, in VS Code the extension *Even Better TOML*)
complete and check fields. Each file that `./bench new` writes names its schema in its first line,
which lies beside it:

```toml
#:schema ./.schemas/claim.schema.json
```

The schemas of this version are [claim.schema.json](schemas/claim.schema.json) and
[experiment.schema.json](schemas/experiment.schema.json); their `$id`s end with the version of the
format.

## Versions

```toml
format = "benchbook-claim/1"
```

says for which version a claim.toml was written (in experiment.toml it is an experiment's). A file
that says nothing is of version 1, the only one so far. A file of a newer version is refused with
a sentence; older ones are read as they are, for good: each version brings a function that makes
files of the one before it its own (`src/benchbook/model/schemas/formats.py`). New fields that
older files may leave out need no version.
"""
EXAMPLES = {
    "claim": {
        "A question of our own, without figures": """\
title = "Is b faster than a?"
summary = "Nobody claims it yet: a question of our own."

[source]
article = "none"
title = "A question of our own"
language = "English"
method = "none"

[[statements]]
id = "b-is-faster"
says = "b is faster than a"
ours = true
type = "faster"
a = "b"
b = "a"
place = "our own question"
smallest_effect = 0.02
""",
        "A post's figures, and one statement of each type": """\
title = "The new parser is 12 % faster"
summary = "A post compares three parsers in a server and gives requests a second."

[source]
article = "a post"
title = "Parsers compared"
author = "somebody"
url = "https://example.org/parsers"
year = 2026
language = "English"
method = "autocannon, 100 connections, 10 s, one run each"

[[figures]]
label = "old"
value = 25000
unit = "requests/s"
place = "the first table, row 1"
variant = "old"

[[figures]]
label = "new"
value = 28000
unit = "requests/s"
place = "the first table, row 2"
variant = "new"

[[statements]]
id = "new-is-faster"
says = "the new parser is faster; the size follows from the two figures"
type = "faster"
a = "new"
b = "old"
place = "the heading"

[[statements]]
id = "small-makes-no-difference"
says = "the small one is as fast as the old one"
type = "same"
a = "small"
b = "old"
within = 0.03
place = "the second paragraph"

[[statements]]
id = "in-this-order"
says = "new, then old, then small"
type = "order"
variants = ["new", "old", "small"]
place = "the plot"

[[statements]]
id = "by-a-tenth-to-a-fifth"
says = "between 10 and 20 % faster"
type = "ratio"
a = "new"
b = "old"
low = 1.1
high = 1.2
place = "the conclusion"

[published]
kind = "http"
tool = "autocannon"
connections = 100
duration_seconds = 10
""",
        "How a script that times itself was run, for `--as-published`": """\
title = "A loop"
summary = "A script prints how long ten million calls take."

[source]
article = "a post"
title = "Loops"
url = "https://example.org/loops"
language = "English"
method = "console.time around a loop"

[[figures]]
label = "template"
value = 120
unit = "ms"
place = "the output below the script"
variant = "template"

[[statements]]
id = "template-is-faster"
says = "a template is forty times as fast"
type = "faster"
a = "template"
b = "stringify"
ratio = 40
place = "the heading"

[published]
kind = "loop"
script = "loop.mjs"
iterations = 10000000
""",
        "How clients that load data in a loop were run": """\
title = "A binary format loads faster"
summary = "Clients load a list again and again."

[source]
article = "slides"
title = "Formats"
url = "https://example.org/formats"
language = "English"
method = "a loop in the client"

[[statements]]
id = "binary-is-faster"
says = "binary loads faster than JSON"
type = "faster"
a = "binary"
b = "json"
place = "slide 12"

[published]
kind = "client"
iterations = 100
order = ["json", "binary"]
""",
    },
    "experiment": {
        "Servers, asked for one path": """\
title = "Parsers in a server"
question = "Is the new parser faster where a server uses it?"
claim = "claim.toml"
baseline = "old"

[http]
path = "/parse"
connections = 50

[race.quick]
budget_seconds = 30
sample_seconds = 0.2

[race.full]
budget_seconds = 300
sample_seconds = 2

[[variants]]
name = "old"
title = "the old parser"
file = "old.mjs"

[[variants]]
name = "new"
title = "the new parser"
file = "new.mjs"
needs = ["npm:fastify"]
headers = { keep-alive = "timeout=72" }
""",
        "Functions, of JavaScript (of C#: `project`, or `files = true`)": """\
title = "Parsers in memory"
question = "Is the new parser faster by itself?"
baseline = "old"

[micro]
module = "timed.mjs"

[race.quick]
budget_seconds = 20
sample_seconds = 0.1

[race.full]
budget_seconds = 300
sample_seconds = 0.1

[[variants]]
name = "old"
title = "the old parser"
file = "old.mjs"
benchmark = "parse"
""",
        "Commands, which run to their end": """\
title = "Compressors"
question = "Which of them is done first?"
baseline = "gzip"

[commands]
arguments = ["-9"]
input = "words.txt"
output = "any"

[race.quick]
budget_seconds = 20
sample_seconds = 0.1

[race.full]
budget_seconds = 120
sample_seconds = 0.1

[[variants]]
name = "gzip"
title = "gzip"
file = "gzip.sh"
needs = ["tool:gzip", "os:linux"]
""",
        "Servers, each with a client of its own": """\
title = "A list over HTTP"
question = "In which format does a client have a list first?"
baseline = "json"

[client]
path = "/forecasts"

[race.quick]
budget_seconds = 60
sample_seconds = 0.2

[race.full]
budget_seconds = 600
sample_seconds = 1

[[variants]]
name = "json"
title = "JSON"
file = "Json/Json.csproj"
""",
        "A web page that loads data": """\
title = "A list in a page"
question = "In which format has a page its data first?"
baseline = "json"

[page]
server = "Server/Server.csproj"
packages = ["@msgpack/msgpack"]

[race.quick]
budget_seconds = 60
sample_seconds = 0.2

[race.full]
budget_seconds = 600
sample_seconds = 1

[[variants]]
name = "json"
title = "JSON"
file = "json.mjs"
needs = ["browser:chromium"]
""",
    },
}
ABOUT = {
    "claim": "claim.toml",
    "experiment": "experiment.toml",
}
NAMES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "table",
}
Schema = Mapping[str, Any]


def resolved(part: Schema, whole: Schema) -> Schema:
    """What a part refers to, where it does."""
    reference = part.get("$ref", "")
    found: Schema = whole["$defs"][reference.rpartition("/")[2]] if reference else part
    return found


def kind_of(part: Schema, whole: Schema) -> str:
    """What a field's value is, in words."""
    part = resolved(part, whole)
    if "enum" in part:
        return " or ".join(f'`"{value}"`' for value in part["enum"])
    if "anyOf" in part:
        return "see there"
    if part.get("type") == "array":
        item = kind_of(part.get("items", {}), whole)
        return "list of tables" if item == "table" else f"list of {item}s"
    return NAMES[part["type"]]


def rows(part: Schema, whole: Schema, place: str) -> Iterator[str]:
    """The rows of a table's fields, each followed by those of the tables in it."""
    part = resolved(part, whole)
    yield from fields(part, part.get("required", []), whole, place)
    for rule in part.get("allOf", []):
        ((field, said),) = rule["if"]["properties"].items()
        known = part["properties"]
        own = {n: p for n, p in rule["then"]["properties"].items() if n not in known}
        then = {**rule["then"], "properties": own}
        where = f"with `{field} = \"{said['const']}\"`: "
        yield from fields(then, then.get("required", []), whole, place, where)


def fields(
    part: Schema, required: Sequence[str], whole: Schema, place: str, where: str = ""
) -> Iterator[str]:
    """A row for each field. place: the table's name, with its dot; where: when it may be given."""
    for name, field in part.get("properties", {}).items():
        inner = resolved(field, whole)
        about = field.get("description") or inner.get("description", "")
        if not about:
            raise SystemExit(f"{place}{name} says not what it is: give it a description")
        needed = "yes" if name in required else ""
        text = f"{where}{about}".replace("|", "\\|")
        yield f"| `{place}{name}` | {kind_of(field, whole)} | {needed} | {text} |"
        items = resolved(inner.get("items", {}), whole)
        if inner.get("type") == "array" and items.get("type") == "object":
            yield from rows(items, whole, f"{place}{name}[].")
        elif inner.get("properties"):
            yield from rows(inner, whole, f"{place}{name}.")


def page() -> str:
    """docs/claim-format.md. Raises SystemExit where an example would be refused."""
    parts = [HEAD]
    for schema, file in ABOUT.items():
        whole = documents.whole(schema)
        parts.append(f"\n## {file}\n")
        for title, text in EXAMPLES[schema].items():
            if wrong := documents.problems(tomllib.loads(text), schema, title):
                raise SystemExit(str(wrong[0]))
            parts.append(f"\n### {title}\n\n```toml\n{text}```\n")
        parts.append(f"\n### Every field of {file}\n\n")
        parts.append("A field of a table in a list is written `list[].field`.\n\n")
        parts.append("| field | value | needed | meaning |\n|---|---|---|---|\n")
        parts += (f"{row}\n" for row in rows(whole, whole, ""))
    return "".join(parts)


def made() -> dict[Path, str]:
    """Every file that is made, with its text."""
    texts = {PAGE: page()}
    for schema in formats.NEWEST:
        text = json.dumps(documents.whole(schema), indent=2, ensure_ascii=False)
        texts[SCHEMAS / f"{schema}.schema.json"] = f"{text}\n"
    return texts


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    asked = parser.parse_args(arguments)
    old = [
        path
        for path, text in made().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    for path in old:
        if asked.check:
            told = f"{path.name} is not up to date: python tools/make_claim_format.py"
            print(told, file=sys.stderr)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made()[path], encoding="utf-8")
    return int(asked.check and bool(old))


if __name__ == "__main__":
    sys.exit(main())
