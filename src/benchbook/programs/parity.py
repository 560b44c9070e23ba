"""Do the variants answer alike? Asked before they are timed, and again at each launch.

Status, headers and body must be the baseline's, byte for byte. A variant's declared differences
(`headers` in experiment.toml) must be there exactly as declared. Only the date's value is free.

They are asked as the load generator asks. Where that is HTTP/1.0, they are asked in HTTP/1.1, too:
declared differences are those, and the older version must give the same body.
"""

import http.client
from dataclasses import asdict, dataclass, replace
from typing import Any

from benchbook.loadtools.manner import PLAIN, Manner
from benchbook.model.variants import Variant
from benchbook.programs.programs import Program, VariantError
from benchbook.system import asking

FREE = {"date"}
ANSWER_SECONDS = 5.0
IN_A_ROW = 5  # requests that are sent on one connection, to see whether it is kept
ENCODINGS = "gzip, deflate, br, zstd"  # what a browser asks for


@dataclass(frozen=True)
class Connection:
    """What became of a connection on which `asked` requests were sent, one after the other, in this
    version of HTTP: so many `answers` came before the server closed it. tool: as the load generator
    asks."""

    http: str
    asked: int
    answers: int
    tool: bool


@dataclass(frozen=True)
class Answer:
    """One response: `headers` in lower case, values joined by ', ' where a name repeats.

    connections: as the load generator asks, and in HTTP/1.1 where that is another version; none
    where it was not tried; compressed: the encoding for a client that asks for one, '' for none.
    """

    status: int
    headers: dict[str, str]
    body: bytes
    connections: tuple[Connection, ...] = ()
    compressed: str = ""

    @property
    def encoding(self) -> str:
        """The content encoding, '' for none."""
        return "" if (found := self.headers.get("content-encoding", "")) == "identity" else found

    def to_json(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "headers": self.headers,
            "body": self.body[:2000].decode("utf-8", "backslashreplace"),
            "bytes": len(self.body),
            "encoding": self.encoding,
            "compressed": self.compressed,
            "connections": [asdict(each) for each in self.connections],
        }


def ask(program: Program, path: str, manner: Manner = PLAIN) -> Answer:
    """GET the path. Raises VariantError where there is no HTTP answer."""
    try:
        reply = asking.get(program.address, program.port, path, ANSWER_SECONDS, manner)
    except (OSError, http.client.HTTPException) as error:
        asked = f"GET {path}" if manner.http == PLAIN.http else f"GET {path} in HTTP/{manner.http}"
        raise VariantError(program.variant, f"gave no answer to {asked}: {error}") from None
    headers: dict[str, str] = {}
    for name, value in reply.headers:
        name = name.lower()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return Answer(reply.status, headers, reply.body)


def ask_as(program: Program, path: str, manner: Manner) -> Answer:
    """The answer in HTTP/1.1, and what becomes of connections, asked as a load generator does.

    Raises VariantError where there is no answer, or another one in the tool's version of HTTP.
    """
    newer = manner if manner.http == PLAIN.http else PLAIN
    answer = ask(program, path, newer)
    connections = [connection(program, path, manner, tool=True)] if manner.keeps else []
    if manner is not newer:
        check_version(program.variant, ask(program, path, manner), answer, manner)
        if manner.keeps:
            connections.append(connection(program, path, newer, tool=False))
    encoded = Manner(newer.http, (*newer.headers, ("Accept-Encoding", ENCODINGS)))
    compressed = ask(program, path, encoded).encoding
    return replace(answer, connections=tuple(connections), compressed=compressed)


def connection(program: Program, path: str, manner: Manner, tool: bool) -> Connection:
    """Send requests on one connection. Raises VariantError where there is no answer."""
    where = (program.address, program.port, path)
    try:
        answers = asking.answers_on_one(*where, IN_A_ROW, ANSWER_SECONDS, manner)
    except (OSError, http.client.HTTPException) as error:
        raise VariantError(program.variant, f"gave no answer to GET {path}: {error}") from None
    return Connection(manner.http, IN_A_ROW, answers, tool)


def check_version(variant: Variant, found: Answer, newer: Answer, manner: Manner) -> None:
    """Raises VariantError where another version of HTTP gets other work done."""
    same = (found.status, found.encoding, found.body) == (newer.status, newer.encoding, newer.body)
    if not same:
        raise VariantError(
            variant,
            f"answers HTTP/{manner.http} with {summary(found)}, and HTTP/1.1 with {summary(newer)}",
            f"take a load generator that speaks HTTP/1.1: this one speaks HTTP/{manner.http}",
        )


def check(variant: Variant, answer: Answer, baseline: Answer, alike: str = "all") -> None:
    """Raises VariantError for anything in which the answer differs undeclared from the baseline's.

    alike: how far they must be so, one of ANSWERS of model/kinds/http.py. The baseline's own answer
    is checked by check_baseline.
    """
    if alike == "any":
        return
    if answer.status != baseline.status:
        raise VariantError(
            variant,
            f"answers with status {answer.status}, the baseline with {baseline.status}",
            "variants must give the same answer before they are raced",
        )
    if alike == "status":
        return
    if answer.encoding != baseline.encoding:
        raise VariantError(
            variant,
            f"answers with the content encoding {answer.encoding or 'none'}, the baseline with "
            f"{baseline.encoding or 'none'}, to the same request headers",
            "variants must give the same body, byte for byte: let both compress, or neither",
        )
    if answer.body != baseline.body:
        raise VariantError(
            variant,
            f"answers with the body {excerpt(answer.body)}, the baseline with "
            f"{excerpt(baseline.body)}",
            "variants must give the same body, byte for byte"
            + (" (or compare them with --answers status)" if alike == "body" else ""),
        )
    if alike == "body":
        return
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


def summary(answer: Answer) -> str:
    encoding = f", {answer.encoding}" if answer.encoding else ""
    return f"status {answer.status}{encoding} and the body {excerpt(answer.body)}"


def excerpt(body: bytes) -> str:
    shown = repr(body[:80])[1:]
    return shown + ("…" if len(body) > 80 else "") + f" ({len(body)} bytes)"
