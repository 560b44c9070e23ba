"""Tab, Shift-Tab and `name?`: what the sessions know of the code at the cursor."""

import asyncio
from concurrent.futures import Future
from typing import Any, TypeVar

from benchbook_kernels.notebook import completion
from benchbook_kernels.notebook.cells import Place
from benchbook_kernels.notebook.open_sessions import Sessions
from benchbook_kernels.notebook.sessions.session import Completions, SessionError

ANSWER_SECONDS = 2.0  # how long Tab and Shift-Tab wait for a session that may be busy

T = TypeVar("T")


class Assistance:
    """Asks the sessions of one notebook; in each code a position counts characters."""

    def __init__(self, sessions: Sessions):
        self.sessions = sessions

    async def complete(self, place: Place) -> dict[str, Any]:
        """A complete_reply of the session whose language a place is in, empty where none is."""
        answer = Completions((), place.pos, place.pos)
        try:
            future = self.sessions.get(place.part.language).complete(place.code, place.pos)
            answer = await _soon(future) or answer
        except SessionError:
            pass
        matches = [(each.text, each.type) for each in answer.matches]
        return completion.reply(place, matches, answer.start, answer.end)

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
