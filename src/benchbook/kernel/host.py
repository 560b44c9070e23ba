"""One life of a session's host process: messages, what its children print, and its end.

A message is one JSON object on a line, with an `op`:

    to the host    run {id, code, name}   complete {id, code, pos}
                   inspect {id, code, pos, detail}   interrupt {}   input {value}
    from the host  ready {version}   stream {id, name, text}
                   display {id, data, metadata, displayId, update}
                   input {id, prompt, password}, answered by one input
                   ending {why}, where it ends itself or may end before the next reply
                   reply {id, status, …}, one for each run, complete and inspect

`id` counts requests; output carries the id of the cell it belongs to. Positions are in UTF-16
units, which both JavaScript and .NET count in. Each line from the host starts with a record
separator (U+001E). Halves of surrogate pairs, which strings may hold and Jupyter's messages
may not, arrive as U+FFFD, as a terminal shows them. On Windows, where a process inherits only the
three standard streams, messages travel on those; elsewhere on two descriptors of their own, so that
output can't be mistaken for a message.
"""

import codecs
import contextlib
import json
import logging
import os
import queue
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import IO, Any

import psutil

from benchbook.kernel.sessions import Output, Result, SessionError

WINDOWS = os.name == "nt"
OWN_DESCRIPTORS = not WINDOWS
SEPARATOR = b"\x1e"
READ_BYTES = 1 << 16
MERGE_SECONDS = 0.02  # output that comes faster than this is published together
MARK_SECONDS = 0.5  # how long a finished cell waits for what its child processes wrote
CHILDREN_SECONDS = 0.8  # a cell that still runs so long after an interrupt waits for a child
TAIL_CHARS = 4000  # of what the process itself wrote, to tell why it ended
HALF = re.compile("[\ud800-\udfff]")  # of a surrogate pair
ESCAPED_HALF = re.compile(rb"\\u[dD][89a-fA-F]")

# Given the descriptors for messages in and out: command line and environment.
Command = Callable[[int, int], tuple[list[str], dict[str, str]]]
log = logging.getLogger(__name__)


@dataclass
class Request:
    """A message that awaits its reply."""

    future: Future
    convert: Callable[[dict[str, Any]], Any]
    is_cell: bool = False
    reply: dict[str, Any] | None = None  # held back until the cell's marks are seen
    marks: int = 0
    deadline: float = 0.0


class Host:
    """A running host process; the constructor raises SessionError where it can't be started.

    Threads read its messages, what its child processes print, and wait for its end; they put what
    they get on one queue, in order, and one more thread acts on it.
    """

    def __init__(self, title: str, command: Command, directory: str, max_output_chars: int):
        self.title = title
        self.ready = threading.Event()
        self.version: str | None = None
        self._requests: dict[int, Request] = {}
        self._count = 0
        self._outputs: dict[int, Output] = {}
        self._raw_left = max_output_chars
        self._limit = max_output_chars
        self._lock = threading.RLock()
        self._closing = False
        self._why = ""  # given by who ended it here
        self._told = ""  # by the host itself
        self._over = False
        self._raw_tail = ""
        self._queue: queue.Queue[tuple] = queue.Queue(maxsize=256)
        self._launch(command, directory)

    @property
    def alive(self) -> bool:
        return not self._over and self.process.poll() is None

    # ---- starting and ending

    def _launch(self, command: Command, directory: str) -> None:
        if not OWN_DESCRIPTORS:
            self._start_process(*command(0, 1), directory, stdin=subprocess.PIPE)
            assert self.process.stdin and self.process.stdout and self.process.stderr
            self._to_host: IO[bytes] = self.process.stdin
            messages, raw = self.process.stdout, [("stderr", self.process.stderr)]
        else:
            in_read, in_write = os.pipe()
            out_read, out_write = os.pipe()
            try:
                self._start_process(
                    *command(in_read, out_write),
                    directory,
                    stdin=subprocess.DEVNULL,
                    pass_fds=(in_read, out_write),
                )
            except BaseException:
                os.close(in_write)
                os.close(out_read)
                raise
            finally:
                os.close(in_read)
                os.close(out_write)
            assert self.process.stdout and self.process.stderr
            self._to_host = open(in_write, "wb", buffering=0)
            messages = open(out_read, "rb", buffering=0)
            raw = [("stdout", self.process.stdout), ("stderr", self.process.stderr)]
        readers = [self._thread(self._read_messages, messages)]
        readers += [self._thread(self._read_raw, name, pipe) for name, pipe in raw]
        self._thread(self._await_end, readers)
        self._thread(self._dispatch)

    def _start_process(
        self, command: list[str], environment: dict[str, str], directory: str, **options: Any
    ) -> None:
        # In a group of its own: a terminal's or Jupyter's Ctrl-C is not for it.
        if WINDOWS:
            options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP
        else:
            options["start_new_session"] = True
        try:
            self.process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=directory,
                env=environment,
                **options,
            )
        except OSError as error:
            raise SessionError(f"the {self.title} session can't be started: {error}") from error

    def _thread(self, target: Callable, *arguments: Any) -> threading.Thread:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        thread.start()
        return thread

    def end(self, why: str) -> None:
        """Kill the host and all that it started; `why` goes into the message."""
        self._why = why
        self._kill()

    def close(self) -> None:
        """Kill the host without a message; waits until it is gone."""
        self._closing = True
        self._kill()
        self.process.wait()

    def _kill(self) -> None:
        try:
            if WINDOWS:
                for child in psutil.Process(self.process.pid).children(recursive=True):
                    child.kill()
                self.process.kill()
            elif self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
        except (OSError, psutil.Error):
            pass

    # ---- requests

    def run(self, code: str, name: str, output: Output) -> Future[Result]:
        with self._lock:
            number = self._count + 1
            self._outputs[number] = output
            for old in sorted(self._outputs)[:-2]:  # the cell before may still be printing
                if old not in self._requests:
                    del self._outputs[old]
            self._raw_left = self._limit
            message = {"op": "run", "code": code, "name": name}
            return self.ask(message, to_result, None, is_cell=True)

    def ask(
        self, message: dict[str, Any], convert: Callable, otherwise: Any, is_cell: bool = False
    ) -> Future:
        """Send a request; its future gets the converted reply, or `otherwise` if none can come."""
        future: Future = Future()
        with self._lock:
            self._count += 1
            self._requests[self._count] = Request(future, convert, is_cell)
            message = {**message, "id": self._count}
            if self._over or not self._send(message):
                if not is_cell:
                    del self._requests[self._count]
                    future.set_result(otherwise)
                elif self._over:
                    self._settle(self._count, self._obituary())
        return future

    def interrupt(self) -> None:
        self._send({"op": "interrupt"})
        with self._lock:
            running = set(self._requests)
        timer = threading.Timer(CHILDREN_SECONDS, self._interrupt_children, [running])
        timer.daemon = True
        timer.start()

    def _interrupt_children(self, running: set[int]) -> None:
        """A cell may be blocked in execSync: what it waits for gets the Ctrl-C."""
        with self._lock:
            if not any(r.is_cell for n, r in self._requests.items() if n in running):
                return
        try:
            for child in psutil.Process(self.process.pid).children(recursive=True):
                child.terminate() if WINDOWS else child.send_signal(signal.SIGINT)
        except psutil.Error:
            pass

    def _send(self, message: dict[str, Any]) -> bool:
        line = json.dumps(message).encode() + b"\n"
        with self._lock:
            try:
                while line:
                    line = line[self._to_host.write(line) :]
                return True
            except (OSError, ValueError):
                return False  # it has ended; _await_end says so

    # ---- reading, each in a thread of its own

    def _read_messages(self, pipe: IO[bytes]) -> None:
        rest = b""
        while chunk := read(pipe):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                raw, separator, message = line.partition(SEPARATOR)
                if raw or not separator:
                    newline = "" if separator else "\n"
                    self._queue.put(("raw", "stdout", raw.decode("utf-8", "replace") + newline))
                if separator:
                    self._queue.put(("message", parsed(message)))
        pipe.close()

    def _read_raw(self, name: str, pipe: IO[bytes]) -> None:
        """Takes the cells' marks (see node_output.mjs) out of what child processes write."""
        rest = b""
        mark = SEPARATOR
        decoder = codecs.getincrementaldecoder("utf-8")("replace")  # reads may split characters
        while chunk := read(pipe):
            rest += chunk
            while mark in rest:
                text, _, after = rest.partition(mark)
                number, complete, later = after.partition(mark + b"\n")
                if text := decoder.decode(text):
                    self._queue.put(("raw", name, text))
                if complete and number.isdigit():
                    self._queue.put(("mark", int(number)))
                    rest = later
                elif not complete and len(after) < 32:
                    rest = mark + after
                    break
                else:
                    rest = after
            else:
                if text := decoder.decode(rest):
                    self._queue.put(("raw", name, text))
                rest = b""
        pipe.close()

    def _await_end(self, readers: list[threading.Thread]) -> None:
        self.process.wait()
        if not WINDOWS:  # what cells started goes with it, also where it ended by itself
            with contextlib.suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)
        for reader in readers:
            reader.join(MARK_SECONDS)  # a child process may hold a pipe open
        self._queue.put(("end",))

    # ---- acting on what was read, in one thread

    def _dispatch(self) -> None:
        pending: list[Any] | None = None  # [id, stream name, texts] not yet published
        flush_at = 0.0
        while True:
            now = time.monotonic()
            if pending and now >= flush_at:
                self._publish(pending)
                pending = None
            self._settle_late(now)
            try:
                event = self._queue.get(timeout=self._patience(pending, flush_at, now))
            except queue.Empty:
                continue
            stream = self._as_stream(event)
            if stream is not None:
                if pending and tuple(pending[:2]) != stream[:2]:
                    self._publish(pending)
                    pending = None
                if pending is None:
                    pending, flush_at = [*stream[:2], []], time.monotonic() + MERGE_SECONDS
                pending[2].append(stream[2])
                continue
            if pending:
                self._publish(pending)
                pending = None
            if event[0] == "end":
                self._report_end()
                return
            self._act(event)

    def _patience(self, pending: Any, flush_at: float, now: float) -> float | None:
        """Seconds until something must be done even if nothing comes; None: no such time."""
        with self._lock:
            held = [r.deadline for r in self._requests.values() if r.reply is not None]
        times = held + ([flush_at] if pending else [])
        return max(0.0, min(times) - now) if times else None

    def _as_stream(self, event: tuple) -> tuple[int, str, str] | None:
        if event[0] == "raw":
            _, name, text = event
            self._raw_tail = (self._raw_tail + text)[-TAIL_CHARS:]
            if self._raw_left < 0:
                return None
            if len(text) > self._raw_left:
                text = text[: self._raw_left] + (
                    f"\n[this cell's output ends here: it exceeds {self._limit / 1e6:g} million"
                    " characters]\n"
                )
                self._raw_left = -1
            else:
                self._raw_left -= len(text)
            return self._latest(), name, text
        if event[0] == "message" and event[1].get("op") == "stream":
            message = event[1]
            return message["id"], message["name"], message["text"]
        return None

    def _latest(self) -> int:
        with self._lock:
            return max(self._outputs, default=0)

    def _output(self, number: int) -> Output | None:
        with self._lock:
            return self._outputs.get(number) or self._outputs.get(self._latest())

    def _publish(self, pending: list[Any]) -> None:
        number, name, texts = pending
        self._put(number, "stream", name, "".join(texts))

    def _put(self, number: int, kind: str, *arguments: Any) -> None:
        """Hand output over. What the receiver can't take must not end the session's thread."""
        output = self._output(number)
        if output is None or self._closing:
            return
        try:
            getattr(output, kind)(*arguments)
        except Exception:
            log.exception("a cell's output could not be published")

    def _act(self, event: tuple) -> None:
        if event[0] == "mark":
            with self._lock:
                request = self._requests.get(event[1])
            if request is not None:
                request.marks += 1
                if request.marks >= 2 and request.reply is not None:
                    request.deadline = 0.0
            return
        if event[0] != "message":
            return
        message = event[1]
        if message["op"] == "ready":
            self.version = message["version"]
            self.ready.set()
        elif message["op"] == "display":
            self._put(
                message["id"],
                "display",
                message["data"],
                message.get("metadata") or {},
                message.get("displayId"),
                bool(message.get("update")),
            )
        elif message["op"] == "input":
            self._thread(self._answer, message)
        elif message["op"] == "ending":
            self._told = message["why"]
        elif message["op"] == "reply":
            self._told = ""
            with self._lock:
                request = self._requests.get(message["id"])
            if request is None:
                return
            if message.get("marked") and request.marks < 2:
                request.reply = message
                request.deadline = time.monotonic() + MARK_SECONDS
            else:
                self._settle(message["id"], request.convert(message))

    def _answer(self, message: dict[str, Any]) -> None:
        """Ask the reader, who may take long: in a thread of its own."""
        output = self._output(message["id"])
        value = None
        if output is not None:
            try:
                value = output.input(message.get("prompt", ""), bool(message.get("password")))
            except Exception as error:
                output.stream("stderr", f"nobody can be asked here: {error}\n")
        self._send({"op": "input", "value": value})

    def _settle_late(self, now: float) -> None:
        """Answer the cells whose marks have come, or won't come any more."""
        with self._lock:
            due = [
                (number, request)
                for number, request in self._requests.items()
                if request.reply is not None and request.deadline <= now
            ]
        for number, request in due:
            assert request.reply is not None
            self._settle(number, request.convert(request.reply))

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
                self._to_host.close()
            except OSError:
                pass
        self.ready.set()
        obituary = self._obituary()
        cells = False
        for number, request in waiting.items():
            cells = cells or request.is_cell
            self._settle(number, obituary if request.is_cell else request.convert({}))
        if not cells:
            self._put(self._latest(), "stream", "stderr", obituary.evalue + "\n")

    def _obituary(self) -> Result:
        text = (
            f"the {self.title} session ended ({self._why or self._told or self._cause()}); "
            "the next cell starts a new one, variables are lost"
        )
        return Result("ended", None, "SessionEnded", text, (f"SessionEnded: {text}",))

    def _cause(self) -> str:
        code = self.process.returncode
        for sign in ("out of memory", "Out of memory", "OutOfMemoryException"):
            if sign in self._raw_tail:
                return "out of memory"
        if "Stack overflow" in self._raw_tail:
            return "stack overflow"
        if code is not None and code < 0:
            try:
                return f"killed by {signal.Signals(-code).name}"
            except ValueError:
                return f"killed by signal {-code}"
        return f"exit code {code}"


def parsed(message: bytes) -> dict[str, Any]:
    """A message's object, whose texts can be told in UTF-8."""
    found = json.loads(message)
    if not ESCAPED_HALF.search(message):
        return found
    return json.loads(HALF.sub("\N{REPLACEMENT CHARACTER}", json.dumps(found, ensure_ascii=False)))


def to_result(reply: dict[str, Any]) -> Result:
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


def read(pipe: IO[bytes]) -> bytes:
    """What is there, at least a byte; empty at the end."""
    try:
        return os.read(pipe.fileno(), READ_BYTES)
    except (OSError, ValueError):
        return b""
