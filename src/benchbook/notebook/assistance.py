"""Tab, Shift-Tab and `name?`: what the sessions know of the code at the cursor."""

import asyncio
from concurrent.futures import Future
from typing import Any, TypeVar

from benchbook.notebook import cells
from benchbook.notebook.cells import Part
from benchbook.notebook.languages import Sessions
from benchbook.notebook.sessions.session import Completions, SessionError

ANSWER_SECONDS = 2.0  # how long Tab and Shift-Tab wait for a session that may be busy

T = TypeVar("T")


class Assistance:
    """Asks the sessions of one notebook; in each code a position counts characters."""

    def __init__(self, sessions: Sessions):
        self.sessions = sessions

    def part_at(self, code: str, pos: int) -> tuple[Part, int]:
        """The part of a cell that the cursor is in, and the cursor's position in its code."""
        starts = [0]
        for line in code.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        parts = cells.split(code, self.sessions.own)
        at = parts[0]
        for part in parts:
            if starts[part.line] <= pos:
                at = part
        start = code.find(at.code, starts[at.line]) if at.code else starts[at.line]
        if start < 0 or pos < start:
            return Part(cells.IPYTHON, code), pos
        return at, pos - start

    async def complete(self, part: Part, pos: int, shift: int) -> dict[str, Any]:
        """A complete_reply for a position in a part that begins `shift` characters into a cell."""
        found = Completions((), pos, pos)
        try:
            future = self.sessions.get(part.language).complete(part.code, pos)
            found = await _soon(future) or found
        except SessionError:
            pass
        start, end = found.start + shift, found.end + shift
        types = [
            {"text": each.text, "type": each.type, "start": start, "end": end}
            for each in found.matches
        ]
        return {
            "status": "ok",
            "matches": [each.text for each in found.matches],
            "cursor_start": start,
            "cursor_end": end,
            "metadata": {"_jupyter_types_experimental": types},
        }

    async def inspect(
        self, language: str, code: str, pos: int, detail: int
    ) -> dict[str, Any] | None:
        """A MIME bundle that tells what stands at a position, None where there is no answer."""
        try:
            return await _soon(self.sessions.get(language).inspect(code, pos, detail))
        except SessionError:
            return None

    def is_name(self, word: str) -> bool:
        """Does the own session know this name? (`!word` is then an expression, not a command.)"""
        try:
            future = self.sessions.get().inspect(word, len(word), 0)
            return future.result(ANSWER_SECONDS) is not None
        except (SessionError, TimeoutError):
            return False


async def _soon(future: Future[T]) -> T | None:
    """A session's answer, None where it is busy."""
    answer: asyncio.Future[T] = asyncio.wrap_future(future)
    try:
        return await asyncio.wait_for(answer, ANSWER_SECONDS)
    except asyncio.TimeoutError:
        return None


def shifted(reply: dict[str, Any], by: int) -> dict[str, Any]:
    """IPython's complete_reply about a part, with positions in the whole cell."""
    reply["cursor_start"] += by
    reply["cursor_end"] += by
    for each in reply.get("metadata", {}).get("_jupyter_types_experimental", ()):
        each["start"] += by
        each["end"] += by
    return reply


def ours_first(reply: dict[str, Any], shell: Any) -> dict[str, Any]:
    """IPython's complete_reply with our magics before its own."""
    magics = shell.magics_manager.magics
    ours = {
        name
        for kind in ("line", "cell")
        for name, magic in magics[kind].items()
        if magic.__module__.startswith("benchbook.")
    }

    def rank(text: str) -> bool:
        return not (text.startswith("%") and text.lstrip("%") in ours)

    reply["matches"].sort(key=rank)
    types = reply.get("metadata", {}).get("_jupyter_types_experimental", [])
    types.sort(key=lambda each: rank(each["text"]))
    return reply
