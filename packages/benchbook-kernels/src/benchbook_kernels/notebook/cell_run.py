"""Runs one cell: its parts in order, each where it belongs, up to the first that fails.

A part (cells.py) is IPython's, a language session's, or a `#!` line's. While a session runs one,
the kernel's event loop is free, and what it prints is published by a thread of the session.
"""

import asyncio
import logging
import signal
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.install.languages import declared
from benchbook_kernels.notebook.cells import Part
from benchbook_kernels.notebook.interactive import imports, page
from benchbook_kernels.notebook.interactive.commands import Commands, answered
from benchbook_kernels.notebook.interactive.directives import (
    COMMANDS,
    LANGUAGES,
    DirectiveError,
    unknown,
)
from benchbook_kernels.notebook.kernel_output import KernelOutput, flush_python
from benchbook_kernels.notebook.sessions.session import (
    UNKNOWN_DIRECTIVE,
    WAKE_SECONDS,
    Result,
    Session,
    SessionError,
)
from benchbook_kernels.notebook.shell import INTERRUPTED

Reply = dict[str, Any]  # an execute_reply's content
# Runs code in IPython, given whether to store it in the history.
InIPython = Callable[[str, bool], Awaitable[Reply]]
log = logging.getLogger(__name__)


@dataclass
class CellRun:
    """A cell to be run, with IPython's shell and where its output goes.

    store: does the cell go into the history? It does with its last part.
    """

    commands: Commands
    shell: Any
    output: KernelOutput
    in_ipython: InIPython
    code: str
    store: bool
    left: deque[Part] = field(default_factory=deque)  # the parts that are still to be run

    async def to_end(self, parts: list[Part]) -> Reply:
        """Run the parts of the cell, and word the reply."""
        reply: Reply = {}
        payload: list[Any] = []
        self.left = deque(parts)
        timed = False
        begun = time.monotonic()
        while self.left:
            part = self.left.popleft()
            timed = timed or part.word == "time"
            reply = await self._run(part)
            payload += reply.get("payload", [])
            if reply["status"] != "ok":
                break
        if timed:
            text = f"Wall time: {(time.monotonic() - begun) * 1000:.1f} ms"
            self.output.show({"text/plain": text})
        return {**reply, "payload": payload}

    def page(self, data: dict[str, Any], store: bool) -> Reply:
        """Word the reply to a cell that only asks: front ends show the answer in their pager."""
        self.store = store
        return {**self._reply("ok"), "payload": [{"source": "page", "data": data, "start": 0}]}

    def nothing(self) -> Reply:
        """Word the reply to a cell that has nothing to say to this kernel."""
        return self._reply("ok")

    async def _run(self, part: Part) -> Reply:
        """Run one part, wherever it belongs."""
        if part.word == "import":
            return self._import(part)
        if part.is_ipythons:
            last = not self.left
            with self._same_number(last):
                return await self.in_ipython(part.code, self.store and last)
        if part.language in declared():
            return await self._run_in_session(part)
        if part.directive and part.word not in (*COMMANDS, *LANGUAGES):
            return await self._run_added(part)
        return await self._carry_out(part)

    def _import(self, part: Part) -> Reply:
        """Put the parts of a file before the rest of the cell."""
        assert part.directive
        try:
            self.left.extendleft(reversed(imports.parts_of(part.directive.rest)))
        except DirectiveError as error:
            return self._failed(error)
        return self._reply("ok")

    async def _run_added(self, part: Part) -> Reply:
        """Run a `#!` line that a C# cell has added (Kernel.Root.AddDirective), if one has."""
        session = self.commands.sessions.get("csharp")
        if not session.alive:
            return self._failed(unknown(part.word))
        flush_python()
        code = session.directive_code(part.code)
        result = await self._result(session, code, f"#!{part.word}")
        if result.ename == UNKNOWN_DIRECTIVE:
            return self._failed(unknown(part.word))
        if result.status != "ok":
            return self._error(result.ename, result.evalue, list(result.traceback))
        return self._reply("ok")

    async def _carry_out(self, part: Part) -> Reply:
        """Do what a `#!` line says, or show what is for the page."""
        flush_python()
        if part.language == "javascript" and not page.is_for_page(part.code):
            return await self._run_in_session(part)
        try:
            if part.directive:
                part = replace(part, directive=answered(part.directive, self.output.answer))
            # values travel through sessions, which answer on threads of their own
            carry_out = self.commands.carry_out
            data = await asyncio.get_running_loop().run_in_executor(None, carry_out, part)
        # without a reply the cell would never end; the reader may interrupt what asks
        except (Exception, KeyboardInterrupt) as error:
            if not isinstance(error, (BenchError, KeyboardInterrupt)):
                log.error("#!%s failed", part.language, exc_info=True)
            return self._failed(error)
        if data is not None:
            self.output.show(data)
        return self._reply("ok")

    async def _run_in_session(self, part: Part) -> Reply:
        """Run a part in its session, and publish its value or its error."""
        flush_python()
        is_script = part.language == "javascript"
        try:
            session = self.commands.sessions.ready("node" if is_script else part.language)
        except SessionError as error:
            return self._failed(error)
        name = part.source or f"cell {self.shell.execution_count}"
        result = await self._result(session, part.placed, name)
        if is_script and _is_refused_return(result):  # .NET Interactive takes it
            result = await self._result(session, part.as_function, name)
        if result.status != "ok":
            return self._error(result.ename, result.evalue, list(result.traceback))
        if result.data is not None:
            count = self.shell.execution_count
            value = {"data": result.data, "metadata": {}, "execution_count": count}
            self.output.send("execute_result", value)
        return self._reply("ok")

    async def _result(self, session: Session, code: str, name: str) -> Result:
        answer = asyncio.wrap_future(session.submit(code, name, self.output))
        with interrupts(session):
            while not answer.done():
                await asyncio.wait({answer}, timeout=WAKE_SECONDS)
        return answer.result()

    # ---- replies

    def _reply(self, status: str) -> Reply:
        """An execute_reply; a stored cell takes its number, as IPython's cells do."""
        count = self.shell.execution_count
        if self.store and not self.left:
            self.shell.history_manager.store_inputs(count, self.code)
            self.shell.execution_count += 1
        return {"status": status, "execution_count": count, "user_expressions": {}, "payload": []}

    def _failed(self, error: BaseException) -> Reply:
        """Publish an error without a traceback, and word the reply."""
        name, text = type(error).__name__, str(error)
        if isinstance(error, KeyboardInterrupt):
            text = text or INTERRUPTED
        return self._error(name, text, [f"{name}: {text}"])

    def _error(self, name: str, text: str, traceback: list[str]) -> Reply:
        error = {"ename": name, "evalue": text, "traceback": traceback}
        self.output.send("error", error)
        return {**self._reply("error"), **error}

    @contextmanager
    def _same_number(self, last: bool) -> Iterator[None]:
        """Let the parts of a cell before its last show their values under the cell's number.

        IPython 9 takes a cell's number before it runs it, IPython 8 after; a part that is not
        stored takes none.
        """
        number = self.shell.execution_count
        ahead = number - self.shell.displayhook.prompt_count
        if not last:
            self.shell.execution_count = number + ahead
        yield
        if not last:
            self.shell.execution_count = number


@contextmanager
def interrupts(session: Session) -> Iterator[None]:
    """While a cell runs in a session, Jupyter's interrupt (SIGINT) is for the session.

    Only the main thread gets signals: cells in a subshell are interrupted from the main shell.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(*_: object) -> None:
        # Not in the handler itself: the main thread may hold the session's lock.
        threading.Thread(target=session.interrupt, daemon=True).start()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _is_refused_return(result: Result) -> bool:
    """Did Node.js refuse to run the code, because of a `return` outside functions?

    An error of code that the cell compiles while it runs has stack frames.
    """
    ran = any(line.startswith("    at ") for line in result.traceback)
    return result.evalue == "Illegal return statement" and not ran
