"""`./bench share --to ADDRESS`: sends a shared file to a class's room.

The leader's machine may be busy with thirty of them: who is told to come later does so by itself.
"""

import hashlib
import hmac
import http.client
import json
import random
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError, printable
from benchbook_kernels.base.files import write_atomically

PATIENCE_SECONDS, LONGEST_WAIT = 600.0, 20.0
ANSWER_BYTES = 64 << 10
LATER = (429, 503)
EXAMPLE = "give it as the leader shows it: http://192.168.1.5:8899/k7m2-x9qp/"


@dataclass(frozen=True)
class Taken:
    """What a room says that it has of a file."""

    races: int
    guesses: int


@dataclass(frozen=True)
class RoomAddress:
    """Where a room is; code: the last part of its path; secure: whether it is reached by TLS."""

    host: str
    port: int | None
    code: str
    secure: bool = False

    @property
    def text(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        scheme = "https://" if self.secure else "http://"
        return f"{scheme}{host}{f':{self.port}' if self.port else ''}/{self.code}/"


def parse(address: str) -> RoomAddress:
    """An address that somebody typed. Raises InputError."""
    whole = address if "://" in address else f"http://{address}"
    try:
        parts = urlsplit(whole)
        code = parts.path.strip("/")
        good = whole.startswith(("http://", "https://")) and parts.hostname and not parts.query
        if good and re.fullmatch(r"[a-z0-9-]+", code):
            secure = whole.startswith("https://")
            return RoomAddress(parts.hostname or "", parts.port, code, secure)
    except ValueError:
        pass
    problem = f"'{printable(address)}' is no room's address"
    raise InputError("--to", "", problem, EXAMPLE)


def send(
    path: Path,
    to: RoomAddress,
    key: str,
    told: Callable[[str], None],
    patience: float = PATIENCE_SECONDS,
) -> Taken:
    """Send a shared file; returns what the room says that it has of it.

    key: by which the room knows the sender again (own_key); told: is called with a line where it
    has to wait. Raises BenchError where the room can't be
    reached, or does not take it.
    """
    body = path.read_bytes()
    deadline = time.monotonic() + patience
    pause = 0.5
    while True:
        try:
            check_size(to, len(body))
            status, answer, later = ask(to, "POST", body, key)
        except (OSError, http.client.HTTPException) as error:
            status, answer, later = 0, {"problem": str(error) or type(error).__name__}, 0.0
        if status == 201:
            return Taken(*(int(answer.get(name, 0)) for name in ("races", "guesses")))
        if status not in (0, *LATER) or time.monotonic() + pause > deadline:
            raise refused(to, status, answer)
        if pause == 0.5:
            told(f"{to.text} is busy or not there; trying again …")
        time.sleep(max(later, pause) * random.uniform(0.7, 1.3))
        pause = min(2 * pause, LONGEST_WAIT)


def check_size(to: RoomAddress, size: int) -> None:
    """Raises BenchError where no room is there, or it takes no file of this size."""
    status, answer, _ = ask(to, "GET")
    if status != 200:
        raise refused(to, status, answer)
    most = answer.get("most_bytes")
    if isinstance(most, int) and size > most:
        problem = f"the file is too large for the room: {size:,} bytes, at most {most:,}"
        raise BenchError(problem, "share one experiment: ./bench share 04 --to …")


def ask(
    to: RoomAddress, method: str, body: bytes | None = None, key: str = ""
) -> tuple[int, dict[str, Any], float]:
    """(status, answer, seconds to wait) of a request. No proxy: a class's room is near."""
    kind = http.client.HTTPSConnection if to.secure else http.client.HTTPConnection
    connection = kind(to.host, to.port, timeout=120)
    try:
        headers = {"Content-Type": "application/json", "X-Benchbook-Key": key}
        connection.request(method, f"/{to.code}/share", body, headers)
        response = connection.getresponse()
        text = response.read(ANSWER_BYTES).decode("utf-8", "replace")
        later = response.headers.get("Retry-After", "")
        return response.status, answer_in(text), float(later) if later.isdecimal() else 0.0
    finally:
        connection.close()


def answer_in(text: str) -> dict[str, Any]:
    """The JSON object of an answer; {} where it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def refused(to: RoomAddress, status: int, answer: dict[str, Any]) -> BenchError:
    """Why a room did not take a file."""
    if status == 404:
        return BenchError(f"there is no room at {to.text}", EXAMPLE)
    said = printable(str(answer.get("problem", "")))[:500] or f"it answers {status}"
    remedy = printable(str(answer.get("remedy") or ""))[:500]
    if not status:
        return BenchError(f"can't reach {to.text}: {said}", remedy or "ask the leader, try again")
    return BenchError(f"{to.text} does not take the file: {said}", remedy)


def own_key(code: str) -> str:
    """By which a room knows this checkout again: another one for each room, so that none can pose
    as this checkout in another room."""
    path = paths.state() / "attendee-key"
    known = path.read_text(encoding="ascii").strip() if path.is_file() else ""
    if not re.fullmatch(r"[0-9a-f]{64}", known):
        known = secrets.token_hex(32)
        write_atomically(path, f"{known}\n")
    return hmac.new(known.encode(), code.encode(), hashlib.sha256).hexdigest()
