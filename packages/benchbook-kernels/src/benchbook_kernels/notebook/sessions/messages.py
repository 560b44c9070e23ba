"""What a session and its host process say to each other.

A message is one JSON object on a line, with an `op`:

    to the host    run {id, code, name}   complete {id, code, pos}
                   inspect {id, code, pos, detail}   interrupt {}
                   parse {id, code, name}, which C# alone knows: errors of syntax
                   input {id, value, why}: to what that cell has asked, and to no later one;
                   value null where nobody can be asked, and why
    from the host  ready {version}   stream {id, name, text}
                   display {id, data, metadata, displayId, update}
                   input {id, prompt, password}, answered by one input
                   ending {why}, where it ends itself or may end before the next reply
                   reply {id, status, …}, one for each run, complete, inspect and parse

`id` counts requests; output carries the id of the cell it belongs to. Positions are in UTF-16
units, which both JavaScript and .NET count in. Each line from the host starts with a record
separator (U+001E). Halves of surrogate pairs, which strings may contain and Jupyter's messages
may not, arrive as U+FFFD, as a terminal shows them.

What child processes of the host print comes through its standard streams. When a cell ends, the
host writes a mark to each: a record separator, the cell's id, and a separator at the line's end.
"""

import codecs
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any, Literal

from benchbook_kernels.notebook.sessions.session import Result

SEPARATOR = b"\x1e"
READ_BYTES = 1 << 16
LONGEST_BYTES = 1 << 30  # of a line; a cell's output is limited to much less
MARK_CHARS = 32  # a mark is shorter
HALF = re.compile("[\ud800-\udfff]")  # of a surrogate pair
ESCAPED_HALF = re.compile(rb"\\u[dD][89a-fA-F]")

Message = dict[str, Any]
StreamName = Literal["stdout", "stderr"]


@dataclass(frozen=True)
class Printed:
    """Text that came through one of the host's standard streams."""

    stream: StreamName
    text: str


@dataclass(frozen=True)
class Mark:
    """A stream holds no more of what a cell's child processes printed."""

    cell: int


@dataclass(frozen=True)
class Broken:
    """Something that is no message came where messages come: only a cell can have written it."""


@dataclass(frozen=True)
class HostEnded:
    """The host process is gone."""


Event = Message | Printed | Mark | Broken | HostEnded
Put = Callable[[Event], None]


def read_messages(pipe: IO[bytes], put: Put) -> None:
    """Hand on messages, and what is printed between them, until the pipe ends."""
    rest = b""
    while chunk := receive(pipe):
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > LONGEST_BYTES:
            rest = b""
            put(Broken())
        for line in lines:
            printed, separator, message = line.partition(SEPARATOR)
            if printed or not separator:
                newline = "" if separator else "\n"
                put(Printed("stdout", printed.decode("utf-8", "replace") + newline))
            if separator:
                try:
                    put(parsed(message))
                except (ValueError, RecursionError, MemoryError):
                    put(Broken())
    pipe.close()


def read_printed(stream: StreamName, pipe: IO[bytes], put: Put) -> None:
    """Hand on what child processes write, and the cells' marks in it, until the pipe ends."""
    rest = b""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")  # reads may split characters
    while chunk := receive(pipe):
        rest += chunk
        while SEPARATOR in rest:
            before, _, after = rest.partition(SEPARATOR)
            number, complete, later = after.partition(SEPARATOR + b"\n")
            if text := decoder.decode(before):
                put(Printed(stream, text))
            if complete and number.isdigit():
                put(Mark(int(number)))
                rest = later
            elif not complete and len(after) < MARK_CHARS:
                rest = SEPARATOR + after
                break
            else:
                rest = after
        else:
            if text := decoder.decode(rest):
                put(Printed(stream, text))
            rest = b""
    pipe.close()


def receive(pipe: IO[bytes]) -> bytes:
    """What is there, at least a byte; empty at the end."""
    try:
        return os.read(pipe.fileno(), READ_BYTES)
    except (OSError, ValueError):
        return b""


def parsed(line: bytes) -> Message:
    """A message, whose texts can be encoded in UTF-8. Raises ValueError for anything else."""
    found: Message = json.loads(line)
    if not isinstance(found, dict) or not isinstance(found.get("op"), str):
        raise ValueError("a message is an object with an op")
    if ESCAPED_HALF.search(line):
        whole = HALF.sub("\N{REPLACEMENT CHARACTER}", json.dumps(found, ensure_ascii=False))
        found = json.loads(whole)
    return found


def to_result(reply: Message) -> Result:
    """A run's reply as a result."""
    status = reply.get("status")
    if status == "ok":
        return Result("ok", reply.get("data"))
    if status == "interrupted":
        text = "the cell was interrupted; the session and its variables are kept"
        if left := reply.get("left"):
            text += f" ({left})"
        return Result(
            "interrupted", None, "KeyboardInterrupt", text, (f"KeyboardInterrupt: {text}",)
        )
    if status == "error":
        traceback = tuple(reply["traceback"].split("\n"))
        return Result("error", None, reply["ename"], reply["evalue"], traceback)
    text = reply.get("message", "no reply")
    return Result("error", None, "SessionError", text, (f"SessionError: {text}",))
