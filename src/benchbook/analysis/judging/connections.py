"""Whether two programs were asked alike: a new connection costs as much as several requests.

A server that closes its connections and one that keeps them do different work, whatever their code.
The requests that are sent on one connection before the race tell who closes it at once, and in
which HTTP; the samples, who closes it later. Older runs have neither, and nothing is said of them.
"""

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchbook.model.runs import Run

# Points of the share of requests that come on a used connection: docs/method.md has the measurement
UNLIKE = 0.02
CURRENT = "1.1"  # of HTTP
REMEDY = "race with wrk or autocannon, which speak HTTP/1.1"


def reused(run: Run, name: str) -> float | None:
    """The share of an entry's requests after which the connection was used again.

    1 where no sample saw a connection replaced. Else by what became of the requests that were sent
    on one connection before the race, where the server closed it; else by the samples, since it may
    close it later. None where nothing is known.
    """
    found = [s.evidence.get("reused") for s in run.samples if s.variant == name]
    known = [share for share in found if isinstance(share, int | float)]
    seen = statistics.median(known) if known else None
    before = next((reused_share(each) for each in tried(run, name) if each.get("tool")), None)
    if seen is None or (seen < 1 and before is not None and before < 1):
        return before
    return seen


def tried(run: Run, name: str) -> Iterator[Mapping[str, Any]]:
    """What became of connections to an entry before it was raced, as parity.Connection says."""
    found = answered(run, name).get("connections")
    for each in found if isinstance(found, list) else ():
        if isinstance(each, dict):
            yield each


def answered(run: Run, name: str) -> Mapping[str, Any]:
    """What an entry answered before it was raced, as parity.Answer.to_json tells it."""
    found = run.parity.get(name)
    return found if isinstance(found, dict) else {}


def reused_share(tried_one: Mapping[str, Any]) -> float | None:
    """The share of requests after which a connection that was tried could be used again."""
    asked, answers = tried_one.get("asked"), tried_one.get("answers")
    if not isinstance(asked, int) or not isinstance(answers, int) or answers < 1:
        return None
    return 1.0 if answers >= asked else 1 - 1 / answers


def older(run: Run, name: str) -> str:
    """The older version of HTTP that the load generator speaks; '' where it speaks HTTP/1.1."""
    spoken = [str(each.get("http")) for each in tried(run, name) if each.get("tool")]
    return spoken[0] if spoken and spoken[0] != CURRENT else ""


def closes_in_older(run: Run, name: str) -> bool:
    """Does an entry close its connections only because the load generator's HTTP is so old?"""
    share = reused(run, name)
    newer = [reused_share(each) for each in tried(run, name) if not each.get("tool")]
    in_newer = newer[0] if newer else None
    return share is not None and in_newer is not None and in_newer - share > UNLIKE


@dataclass(frozen=True)
class Unlike:
    """Why the requests of two entries can't be compared. brief: in the words of a table, of the
    first entry."""

    why: str
    brief: str


def unlike(run: Run, a: str, b: str) -> Unlike | None:
    """Why the requests of two entries can't be compared; None where nothing speaks against it."""
    first, second = reused(run, a), reused(run, b)
    version = older(run, a)
    speaks = f"{run.tool.name} speaks HTTP/{version}: " if version else ""
    remedy = f"; {REMEDY}" if version else "; let both keep connections open, or neither"
    if first is not None and second is not None and abs(first - second) > UNLIKE:
        closing, keeping = (a, b) if first < second else (b, a)
        shares = f"{percent(min(first, second))} against {percent(max(first, second))}"
        longer = "keeps them" if max(first, second) >= 1 - UNLIKE else "closes them later"
        own, other = ("closes them", longer) if a == closing else (longer, "closes them")
        return Unlike(
            f"{speaks}{closing} closes its connections and {keeping} {longer} ({shares} of "
            f"requests on kept connections), and opening one costs more than a request{remedy}",
            f"not compared: of its connections, it {own}, {b} {other}",
        )
    names = list(dict.fromkeys(name for name in (a, b) if closes_in_older(run, name)))
    if not version or not names:
        return None
    verb = "closes" if len(names) == 1 else "close"
    return Unlike(
        f"{speaks}in it {' and '.join(names)} {verb} the connections that HTTP/{CURRENT} keeps, so "
        f"most of what was measured is new connections{remedy}",
        f"not compared: in HTTP/{version} {' and '.join(names)} {verb} connections",
    )


def warnings(run: Run) -> Iterator[str]:
    """What can be said before the race: by the connections that were tried, and by encodings."""
    there = [e.name for e in run.entries if e.status == "raced" and e.name in run.parity]
    closing = [name for name in there if any(closes(each) for each in tried(run, name))]
    version = next((found for name in there if (found := older(run, name))), "")
    if closing and (version or len(closing) < len(there)):
        how = f"{run.tool.name} speaks HTTP/{version}, in which " if version else ""
        some = f"{', '.join(closing)} {'closes its' if len(closing) == 1 else 'close their'}"
        yield (
            f"{how}{some} connections: opening one costs more than a request, so what is compared "
            f"with {'it' if len(closing) == 1 else 'them'} will not be valid\n"
            f"  → {REMEDY if version else 'let all keep connections open, or none'}"
        )
    encodings = {name: str(answered(run, name).get("compressed") or "") for name in there}
    if len(set(encodings.values())) > 1:
        told = ", ".join(f"{name} {found or 'none'}" for name, found in encodings.items())
        yield (
            f"clients that ask for a content encoding get different ones ({told}); "
            f"{run.tool.name} asks for none, so no compression is in this race"
        )


def closes(tried_one: Mapping[str, Any]) -> bool:
    """Did the server close the connection, asked as the load generator asks?"""
    share = reused_share(tried_one)
    return bool(tried_one.get("tool")) and share is not None and share < 1


def percent(share: float) -> str:
    """0 %, 99 %, 99.9 %: no share that is below 1 is written as 100 %."""
    return f"{100 * share:.0f} %" if share in (0, 1) or share < 0.99 else f"{100 * share:.1f} %"
