"""What the tests of sessions and kernels speak with them through, and what it recorded."""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from jupyter_client.manager import KernelManager

from benchbook_kernels.notebook.sessions.session import Result, Session

TIMEOUT_SECONDS = 300  # beside other work, too: what is waited for ends early


class Recorder:
    """An output that keeps what comes, and can be waited for."""

    def __init__(self) -> None:
        self.events: list[tuple] = []
        self.answers: list[str] = []
        self.asked = threading.Event()
        self._changed = threading.Condition()

    def stream(self, name: str, text: str) -> None:
        self._add((name, text))

    def display(self, data: Any, metadata: Any, display_id: Any, update: bool) -> None:
        self._add(("display", data, metadata, display_id, update))

    def give(self, answer: str) -> None:
        """Answer, and wait until that was taken."""
        self.answers = [answer]
        while self.answers:
            time.sleep(0.01)

    def input(self, prompt: str, password: bool) -> str | None:
        self.asked.set()
        while not self.answers:
            time.sleep(0.01)
        return self.answers.pop(0)

    def _add(self, event: tuple) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def text(self, name: str = "stdout") -> str:
        return "".join(event[1] for event in self.events if event[0] == name)

    @property
    def displays(self) -> list[tuple]:
        return [event for event in self.events if event[0] == "display"]

    def wait_for(self, wanted: str, name: str = "stdout") -> str:
        with self._changed:
            found = self._changed.wait_for(lambda: wanted in self.text(name), TIMEOUT_SECONDS)
        assert found, f"{wanted!r} did not come, only {self.events!r}"
        return self.text(name)


class Bench:
    """A session with numbered cells."""

    def __init__(self, session: Session):
        self.session = session
        self.count = 0
        self.output = Recorder()

    def submit(self, code: str, output: Recorder | None = None):
        self.count += 1
        self.output = output or Recorder()
        return self.session.submit(code, f"cell {self.count}", self.output)

    def run(self, code: str) -> Result:
        return self.submit(code).result(TIMEOUT_SECONDS)

    def value(self, code: str) -> str | None:
        """What the cell shows as its value; fails where the cell does."""
        result = self.run(code)
        assert result.status == "ok", result
        return result.data and result.data["text/plain"]

    def error(self, code: str) -> Result:
        result = self.run(code)
        assert result.status == "error", result
        return result


class Place:
    """One output of a cell: what it showed, the newest last."""

    def __init__(self, first: object) -> None:
        self.shown = [first]

    def update(self, newer: object) -> None:
        self.shown.append(newer)


class Places(list[Place]):
    """Stands in the place of IPython's display, and keeps the outputs."""

    def __call__(self, shown: object, **_: object) -> Place:
        self.append(Place(shown))
        return self[-1]

    @property
    def text(self) -> str:
        """What a reader sees in the end."""
        newest = [place.shown[-1] for place in self]
        return "\n".join(str(getattr(each, "text", type(each).__name__)) for each in newest)


@dataclass
class Cell:
    """What a kernel answered to a cell."""

    reply: dict[str, Any]
    messages: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def text(self, name: str = "stdout") -> str:
        streams = [c for kind, c in self.messages if kind == "stream" and c["name"] == name]
        return "".join(content["text"] for content in streams)

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [content for each, content in self.messages if each == kind]

    @property
    def value(self) -> str | None:
        results = self.of("execute_result")
        return results[0]["data"]["text/plain"] if results else None


def shown(cell: Cell, mime: str = "text/plain") -> list[Any]:
    """What a cell displayed, in one of its forms."""
    return [content["data"].get(mime) for content in cell.of("display_data")]


class Client:
    """A running kernel and a front end's side of the conversation."""

    def __init__(self, manager: KernelManager, client: Any):
        self.manager = manager
        self.client = client

    def next(self, channel: str, seconds: float = 1) -> dict[str, Any] | None:
        """The next message of a channel; None if none comes within some seconds.

        They are few: once in a while asyncio is not woken by a message, and finds it at their end.
        """
        try:
            return getattr(self.client, f"get_{channel}_msg")(timeout=seconds)
        except queue.Empty:
            return None

    def messages(self, channel: str, to: str) -> Iterator[dict[str, Any]]:
        """What comes on a channel in answer to a message; TimeoutError where nothing does."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            message = self.next(channel)
            if message and message["parent_header"].get("msg_id") == to:
                yield message
        raise TimeoutError(f"no answer on {channel}")

    def run(
        self, code: str, stdin_hook: Callable[[dict], None] | None = None, **options: Any
    ) -> Cell:
        """Run a cell to its end; stdin_hook gets what it asks for."""
        number = self.client.execute(code, stop_on_error=False, **options)
        seen, deadline = [], time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            if stdin_hook and (question := self.next("stdin", 0)):
                stdin_hook(question)
            message = self.next("iopub", 0.1 if stdin_hook else 1)
            if not message or message["parent_header"].get("msg_id") != number:
                continue
            seen.append((message["msg_type"], message["content"]))
            if message["content"].get("execution_state") == "idle":
                return Cell(self.reply(number), seen)
        raise TimeoutError(f"the cell does not end: {seen}")

    def reply(self, message_id: str) -> dict[str, Any]:
        """The shell reply to one message."""
        return next(self.messages("shell", message_id))["content"]

    def complete(self, code: str, pos: int | None = None) -> dict[str, Any]:
        return self.reply(self.client.complete(code, pos))

    def inspect(self, code: str, pos: int | None = None, detail: int = 0) -> dict[str, Any]:
        return self.reply(self.client.inspect(code, pos, detail))

    def interrupt_when(self, code: str, started: str) -> dict[str, Any]:
        """Run a cell, interrupt it when it has printed `started`, and give its reply."""
        number = self.client.execute(code, stop_on_error=False)
        text = ""
        for message in self.messages("iopub", number):
            text += message["content"].get("text", "")
            if started in text:
                break
        self.manager.interrupt_kernel()
        return self.reply(number)

    def session_pid(self) -> int:
        return int(self.run("process.pid").value or "")
