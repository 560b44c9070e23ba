"""Do the variants answer alike? Asked before they are timed, and again at each launch.

Status, headers and body must be the baseline's, byte for byte. A variant's declared differences
(`headers` in experiment.toml) must be there exactly as declared. Only the date's value is free.
"""

import http.client
from dataclasses import dataclass
from typing import Any

from benchbook.model.variants import Variant
from benchbook.programs.programs import Program, VariantError
from benchbook.system import asking

FREE = {"date"}
ANSWER_SECONDS = 5.0


@dataclass(frozen=True)
class Answer:
    """One response: `headers` in lower case, values joined by ', ' where a name repeats."""

    status: int
    headers: dict[str, str]
    body: bytes

    def to_json(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "headers": self.headers,
            "body": self.body[:2000].decode("utf-8", "backslashreplace"),
            "bytes": len(self.body),
        }


def ask(program: Program, path: str) -> Answer:
    """GET the path. Raises VariantError where there is no HTTP answer."""
    try:
        status, found, body = asking.get(program.address, program.port, path, ANSWER_SECONDS)
    except (OSError, http.client.HTTPException) as error:
        raise VariantError(program.variant, f"gave no answer to GET {path}: {error}") from None
    headers: dict[str, str] = {}
    for name, value in found:
        name = name.lower()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return Answer(status, headers, body)


def check(variant: Variant, answer: Answer, baseline: Answer) -> None:
    """Raises VariantError for anything in which the answer differs undeclared from the baseline's.

    The baseline's own answer is checked by check_baseline.
    """
    if answer.status != baseline.status:
        raise VariantError(
            variant,
            f"answers with status {answer.status}, the baseline with {baseline.status}",
            "variants must give the same answer before they are raced",
        )
    if answer.body != baseline.body:
        raise VariantError(
            variant,
            f"answers with the body {excerpt(answer.body)}, the baseline with "
            f"{excerpt(baseline.body)}",
            "variants must give the same body, byte for byte",
        )
    for name in sorted({*answer.headers, *baseline.headers, *variant.headers}):
        check_header(variant, name, answer.headers.get(name), baseline.headers.get(name))


def check_header(variant: Variant, name: str, found: str | None, usual: str | None) -> None:
    if name in variant.headers:
        declared = variant.headers[name]
        several = declared if isinstance(declared, list) else (declared,)
        wanted = [value if isinstance(value, str) else None for value in several]
        if found not in wanted:
            declaration = " or ".join(map(text, wanted))
            raise VariantError(
                variant,
                f"declares the header {name} {declaration}, but it is {text(found)}",
                f"correct `headers` of '{variant.name}' in experiment.toml, or the variant",
            )
        if found == usual:
            raise VariantError(
                variant,
                f"declares a difference in the header {name}, but it is the baseline's",
                f"take {name} out of `headers` of '{variant.name}' in experiment.toml",
            )
    elif name in FREE and found is not None and usual is not None:
        return
    elif found != usual:
        declaration = "false" if found is None else f'"{found}"'
        raise VariantError(
            variant,
            f"has the header {name} {text(found)}, the baseline {text(usual)}",
            f"make them alike, or declare it for '{variant.name}' in experiment.toml: "
            f"headers = {{ {name} = {declaration} }}",
        )


def check_unknown(variant: Variant, answer: Answer, path: str) -> None:
    """Raises VariantError where a path that does not exist is answered as if it did."""
    if answer.status != 404:
        raise VariantError(
            variant,
            f"answers {path}, which does not exist, with status {answer.status}",
            "answer unknown paths with status 404",
        )


def check_baseline(variant: Variant, answer: Answer) -> None:
    """Raises VariantError where the baseline itself does not answer with 2xx."""
    if not 200 <= answer.status < 300:
        raise VariantError(
            variant,
            f"is the baseline and answers with status {answer.status}",
            "the baseline must answer with a status from 200 to 299",
        )


def text(value: str | None) -> str:
    return "absent" if value is None else f"'{value}'"


def excerpt(body: bytes) -> str:
    shown = repr(body[:80])[1:]
    return shown + ("…" if len(body) > 80 else "") + f" ({len(body)} bytes)"
