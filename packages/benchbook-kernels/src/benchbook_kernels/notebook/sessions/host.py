"""One life of a session's host process: requests and replies, cells' output, and its end.

What the messages are: see messages.py.
"""

import json
import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from benchbook_kernels.base.processes import ended_within
from benchbook_kernels.notebook.sessions.host_process import Command, HostProcess
from benchbook_kernels.notebook.sessions.messages import (
    Broken,
    Event,
    HostEnded,
    Mark,
    Message,
    Printed,
    read_messages,
    read_printed,
    to_result,
)
from benchbook_kernels.notebook.sessions.session import CellOutput, Result

MERGE_SECONDS = 0.02  # output that comes faster than this is published together
MARK_SECONDS = 0.5  # how long a finished cell waits for what its child processes wrote
CHILDREN_SECONDS = 0.8  # a cell that still runs so long after an interrupt waits for a child
BROKEN = "a cell wrote to the descriptor on which the session sends its messages, or closed it"
CLOSED_SECONDS = 5.0  # a host that lives so much longer than its messages has lost them
TAIL_CHARS = 4000  # of what the process itself wrote, to tell why it ended
MARKS = 2  # of a cell, one for each standard stream

log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass
class HostRequest:
    """A message that awaits its reply."""

    future: Future[Any]
    convert: Callable[[Message], Any]
    otherwise: Any = None  # its result where no reply can come
    is_cell: bool = False
    reply: Message | None = None  # held back until the cell's marks are seen
    marks: int = 0
    deadline: float = 0.0


@dataclass
class Pending:
    """Text of a cell that is to be published at `due`, with what comes before that."""

    cell: int
    stream: str
    text: str
    due: float


class Host:
    """A running host process; the constructor raises SessionError where it can't be started.

    Threads read its messages, what its child processes print, and wait for its end; they put what
    they get on one queue, in order, and one more thread acts on it.
    """

    def __init__(self, title: str, command: Command, directory: str, max_output_chars: int):
        self.title = title
        self.ready = threading.Event()
        self.version: str | None = None
        self._requests: dict[int, HostRequest] = {}
        self._count = 0
        self._outputs: dict[int, CellOutput] = {}
        self._chars_left = max_output_chars  # that this cell's child processes may still print
        self._limit = max_output_chars
        self._lock = threading.RLock()
        self._closing = False
        self._why = ""  # it ended, by who ended it here
        self._told = ""  # by the host itself
        self._over = False
        self._last_words = ""
        self._queue: queue.Queue[Event] = queue.Queue(maxsize=256)
        self._host = HostProcess.start(title, command, directory)
        readers = [self._thread(self._read_messages)]
        for stream, pipe in self._host.printed:
            readers.append(self._thread(read_printed, stream, pipe, self._queue.put))
        self._thread(self._await_end, readers)
        self._thread(self._dispatch)

    @property
    def alive(self) -> bool:
        return not self._over and self._host.process.poll() is None

    @property
    def pid(self) -> int:
        return self._host.process.pid

    def end(self, why: str) -> None:
        """Kill the host and all that it started; `why` goes into the message."""
        self._why = why
        self._host.kill()

    def close(self) -> None:
        """Kill the host without a message; waits until it is gone."""
        self._closing = True
        self._host.kill()
        self._host.process.wait()

    def _thread(self, target: Callable[..., None], *arguments: Any) -> threading.Thread:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        thread.start()
        return thread

    def _read_messages(self) -> None:
        """Until they end: with the host or, where a cell has closed their descriptor, without."""
        read_messages(self._host.messages, self._queue.put)
        if not ended_within(self._host.process, CLOSED_SECONDS):
            self._queue.put(Broken())

    def _await_end(self, readers: list[threading.Thread]) -> None:
        self._host.wait()
        for reader in readers:
            reader.join(MARK_SECONDS)  # a child process may hold a pipe open
        self._queue.put(HostEnded())

    # ---- requests

    def run(self, code: str, name: str, output: CellOutput) -> Future[Result]:
        """Run a cell; its result says what went wrong, also where the host ends."""
        with self._lock:
            number = self._count + 1
            self._outputs[number] = output
            for old in sorted(self._outputs)[:-2]:  # the cell before may still be printing
                if old not in self._requests:
                    del self._outputs[old]
            self._chars_left = self._limit
            future: Future[Result] = Future()
            message = {"op": "run", "code": code, "name": name}
            if (
                not self._request(message, HostRequest(future, to_result, is_cell=True))
                and self._over
            ):
                self._settle(self._count, self._end_message())
        return future

    def ask(self, message: Message, convert: Callable[[Message], T], otherwise: T) -> Future[T]:
        """Send a question; its future gets the converted reply, or `otherwise` if none can come."""
        future: Future[T] = Future()
        with self._lock:
            if not self._request(message, HostRequest(future, convert, otherwise)):
                del self._requests[self._count]
                future.set_result(otherwise)
        return future

    def _request(self, message: Message, request: HostRequest) -> bool:
        """Send a message that awaits a reply; False where it could not be sent."""
        self._count += 1
        self._requests[self._count] = request
        return not self._over and self._send({**message, "id": self._count})

    def interrupt(self) -> None:
        """End the cell that runs; one that waits for a child process has that interrupted."""
        self._send({"op": "interrupt"})
        with self._lock:
            running = set(self._requests)
        timer = threading.Timer(CHILDREN_SECONDS, self._interrupt_children, [running])
        timer.daemon = True
        timer.start()

    def _interrupt_children(self, running: set[int]) -> None:
        """A cell may be blocked in execSync: what it waits for gets the Ctrl-C."""
        with self._lock:
            still_runs = any(r.is_cell for n, r in self._requests.items() if n in running)
        if still_runs:
            self._host.interrupt_children()

    def _send(self, message: Message) -> bool:
        line = json.dumps(message).encode() + b"\n"
        with self._lock:
            try:
                while line:
                    line = line[self._host.to_host.write(line) :]
                return True
            except (OSError, ValueError):
                return False  # it has ended; _await_end says so

    # ---- acting on what was read, in one thread

    def _dispatch(self) -> None:
        """Act on what was read until the host has ended.

        A cell can write to the descriptor of the messages, and what it writes may look like one:
        where it can't be acted on, the session is ended and says so, and the thread goes on.
        """
        while True:
            try:
                self._dispatch_all()
                return
            except Exception:
                log.exception("a message of the %s session could not be acted on", self.title)
                self.end(BROKEN)

    def _dispatch_all(self) -> None:
        pending: Pending | None = None
        while True:
            now = time.monotonic()
            if pending and now >= pending.due:
                self._publish(pending)
                pending = None
            self._settle_late(now)
            try:
                event = self._queue.get(timeout=self._patience(pending, now))
            except queue.Empty:
                continue
            if (text := self._as_text(event)) is not None:
                if pending and (pending.cell, pending.stream) != (text.cell, text.stream):
                    self._publish(pending)
                    pending = None
                if pending:
                    pending.text += text.text
                elif text.text:
                    pending = text
                continue
            if pending:
                self._publish(pending)
                pending = None
            if isinstance(event, HostEnded):
                self._report_end()
                return
            if isinstance(event, Broken):
                self.end(BROKEN)
                continue
            self._act(event)

    def _patience(self, pending: Pending | None, now: float) -> float | None:
        """Seconds until something must be done even if nothing comes; None: no such time."""
        with self._lock:
            times = [r.deadline for r in self._requests.values() if r.reply is not None]
        times += [pending.due] if pending else []
        return max(0.0, min(times) - now) if times else None

    def _as_text(self, event: Event) -> Pending | None:
        """The text that an event brings, None where it is about something else."""
        due = time.monotonic() + MERGE_SECONDS
        if isinstance(event, Printed):
            self._last_words = (self._last_words + event.text)[-TAIL_CHARS:]
            return Pending(self._latest(), event.stream, self._within_limit(event.text), due)
        if isinstance(event, dict) and event.get("op") == "stream":
            return Pending(event["id"], event["name"], event["text"], due)
        return None

    def _within_limit(self, text: str) -> str:
        """What of a cell's output may still be shown; where it is cut it says so, once."""
        if self._chars_left < 0:
            return ""
        if len(text) > self._chars_left:
            text = text[: self._chars_left] + (
                f"\n[this cell's output ends here: it exceeds {self._limit / 1e6:g} million"
                " characters]\n"
            )
            self._chars_left = -1
        else:
            self._chars_left -= len(text)
        return text

    def _latest(self) -> int:
        with self._lock:
            return max(self._outputs, default=0)

    def _output(self, number: int) -> CellOutput | None:
        with self._lock:
            return self._outputs.get(number) or self._outputs.get(self._latest())

    def _publish(self, pending: Pending) -> None:
        self._put(pending.cell, "stream", pending.stream, pending.text)

    def _put(self, number: int, kind: str, *arguments: Any) -> None:
        """Hand output over. What the receiver can't take must not end the session's thread."""
        output = self._output(number)
        if output is None or self._closing:
            return
        try:
            getattr(output, kind)(*arguments)
        except Exception:
            log.exception("a cell's output could not be published")

    def _act(self, event: Event) -> None:
        if isinstance(event, Mark):
            self._take_mark(event.cell)
        elif isinstance(event, dict):
            self._act_on(event)

    def _act_on(self, message: Message) -> None:
        match message["op"]:
            case "ready":
                self.version = message["version"]
                self.ready.set()
            case "display":
                self._put(
                    message["id"],
                    "display",
                    message["data"],
                    message.get("metadata") or {},
                    message.get("displayId"),
                    bool(message.get("update")),
                )
            case "input":
                self._thread(self._answer, message)
            case "ending":
                self._told = message["why"]
            case "reply":
                self._told = ""
                self._take_reply(message)

    def _answer(self, message: Message) -> None:
        """Ask the reader, who may take long: in a thread of its own."""
        output = self._output(message["id"])
        value, why = None, None
        if output is not None:
            try:
                value = output.input(message.get("prompt", ""), bool(message.get("password")))
            except Exception as error:
                why = str(error)
        self._send({"op": "input", "id": message["id"], "value": value, "why": why})

    # ---- settling requests

    def _take_mark(self, cell: int) -> None:
        with self._lock:
            request = self._requests.get(cell)
        if request is not None:
            request.marks += 1
            if request.marks >= MARKS and request.reply is not None:
                request.deadline = 0.0

    def _take_reply(self, message: Message) -> None:
        with self._lock:
            request = self._requests.get(message["id"])
        if request is None:
            return
        if message.get("marked") and request.marks < MARKS:
            request.reply = message
            request.deadline = time.monotonic() + MARK_SECONDS
        else:
            self._settle(message["id"], request.convert(message))

    def _settle_late(self, now: float) -> None:
        """Answer the cells whose marks have come, or won't come any more."""
        with self._lock:
            due = [
                (number, request, request.reply)
                for number, request in self._requests.items()
                if request.reply is not None and request.deadline <= now
            ]
        for number, request, reply in due:
            self._settle(number, request.convert(reply))

    def _settle(self, number: int, result: Any) -> None:
        with self._lock:
            request = self._requests.pop(number, None)
        if request is not None and request.future.set_running_or_notify_cancel():
            request.future.set_result(result)

    def _report_end(self) -> None:
        with self._lock:
            self._over = True
            waiting = dict(self._requests)
            try:
                self._host.to_host.close()
            except OSError:
                pass
        self.ready.set()
        end_message = self._end_message()
        for number, request in waiting.items():
            self._settle(number, end_message if request.is_cell else request.otherwise)
        if not any(request.is_cell for request in waiting.values()):
            self._put(self._latest(), "stream", "stderr", end_message.evalue + "\n")

    def _end_message(self) -> Result:
        why = self._why or self._told or self._host.cause(self._last_words)
        text = (
            f"the {self.title} session ended ({why}); "
            "the next cell starts a new one, variables are lost"
        )
        return Result("ended", None, "SessionEnded", text, (f"SessionEnded: {text}",))
