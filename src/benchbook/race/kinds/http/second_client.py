"""A second, slow client reads whole answers while load generators, which don't, count theirs.

A server may answer right as long as it is looked at, and wrong under load: with what was computed
before, with an error page of the same length, with nothing.
"""

import http.client
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from benchbook.loadtools.manner import PLAIN, Manner
from benchbook.programs.parity import ANSWER_SECONDS, Answer, excerpt
from benchbook.programs.programs import Program
from benchbook.system import asking

PAUSE_SECONDS = 0.02  # between the questions of a round
ROUND_SECONDS = 1.0  # from a round to the next: of a program's requests these are too few to count
LEAST_SECONDS = (
    0.2  # that an answer may take; one that takes longer is the load generator's to tell
)


@contextmanager
def reading(
    programs: Mapping[str, Program],
    answers: Mapping[str, Answer],
    seconds: float,
    manner: Manner = PLAIN,
) -> Iterator[dict[str, str]]:
    """For the next `seconds`, or until the block ends, GET the path of one program after the other,
    as the load generator asks.

    Yields a dictionary that fills: for each program whose answer had another body than the one in
    `answers`, what it was. Questions without an answer, and those with another status, don't count:
    the load generator counts these. When the block ends nothing is being asked.
    """
    wrong: dict[str, str] = {}
    over = threading.Event()
    asked = {name: program for name, program in programs.items() if name in answers}
    deadline = time.monotonic() + seconds

    def read() -> None:
        while asked and not over.is_set():
            began = time.monotonic()
            for name, program in asked.items():
                left = deadline - time.monotonic()
                if left < LEAST_SECONDS or over.wait(PAUSE_SECONDS):
                    return
                try:
                    patience = min(left, ANSWER_SECONDS)
                    there = program.address, program.port, program.path
                    reply = asking.get(*there, patience, manner)
                except (OSError, http.client.HTTPException):
                    continue
                if name not in wrong and (
                    told := difference(reply.status, reply.body, answers[name])
                ):
                    wrong[name] = told
            over.wait(max(0.0, began + ROUND_SECONDS - time.monotonic()))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        yield wrong
    finally:
        over.set()
        reader.join()


def difference(status: int, body: bytes, before: Answer) -> str:
    """In what an answer is another than the one before; '' where it is the same."""
    if status != before.status or body == before.body:
        return ""
    then = excerpt(before.body)
    return f"answers with the body {excerpt(body)} under load, and before with {then}"
