"""The notebook kernels: ipykernel's IPython kernel whose plain cells go to a language session.

IPython stays in full: `%magics`, `!commands`, `%%python` cells, rich output, history. Only cells
(and the parts of cells, see cells.py) in the notebook's own language leave it. While they run, the
kernel's event loop is free, and what they print is published by a thread of the session.
"""

import asyncio
import importlib.util
import inspect
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, ClassVar

from ipykernel.ipkernel import IPythonKernel

from benchbook import __version__
from benchbook.kernel import cells
from benchbook.kernel.language_magics import LanguageMagics
from benchbook.kernel.node import NodeSession
from benchbook.kernel.sessions import Completions, Result, Session, SessionError

MAGICS = "benchbook.kernel.magics"
SESSIONS: dict[str, type[Session]] = {"node": NodeSession}
ANSWER_SECONDS = 2.0  # how long Tab and Shift-Tab wait for a session that may be busy
VERSION_SECONDS = 5.0


class KernelOutput:
    """Publishes a cell's output under that cell, also after it has ended."""

    def __init__(self, kernel: "BenchbookKernel"):
        self._kernel = kernel
        self._parent = kernel.get_parent()

    def send(self, kind: str, content: dict[str, Any]) -> None:
        kernel = self._kernel
        kernel.session.send(
            kernel.iopub_socket, kind, content, parent=self._parent, ident=kernel._topic(kind)
        )

    def stream(self, name: str, text: str) -> None:
        self.send("stream", {"name": name, "text": text})

    def display(
        self, data: dict[str, Any], metadata: dict[str, Any], display_id: str | None, update: bool
    ) -> None:
        transient = {"display_id": display_id} if display_id else {}
        self.send(
            "update_display_data" if update else "display_data",
            {"data": data, "metadata": metadata, "transient": transient},
        )


class Silence(KernelOutput):
    """Publishes nothing: for silent requests."""

    def send(self, kind: str, content: dict[str, Any]) -> None:
        pass


class BenchbookKernel(IPythonKernel):
    """A kernel for one language; the others are a `%%` line away.

    In magics, `get_ipython().kernel` is this kernel, `kernel.language_session("node")` a session,
    and `kernel.run_in_session("node", code)` runs code there with its output under the cell.
    """

    language: ClassVar[str]  # the language of plain cells, a key of SESSIONS

    implementation = "benchbook"
    implementation_version = __version__

    def __init__(self, **options: Any):
        super().__init__(**options)
        self.language_sessions: dict[str, Session] = {}
        self.shell.register_magics(LanguageMagics(self.shell, self))
        self._load_magics()
        self._start_in_background()

    def _load_magics(self) -> None:
        if importlib.util.find_spec(MAGICS) is None:
            return
        try:
            self.shell.extension_manager.load_extension(MAGICS)
        except Exception as error:  # cells still run without them; say it where it is seen
            self.log.error("Benchbook's magics can't be loaded: %s", error, exc_info=True)

    def _start_in_background(self) -> None:
        try:
            self.language_session().start()
        except SessionError as error:
            self.log.warning("%s", error)  # the first cell says so again

    # ---- sessions

    def language_session(self, name: str | None = None) -> Session:
        """The session of a language, the notebook's own by default; not started yet if new.

        Raises SessionError where there is none for the language.
        """
        name = name or self.language
        if name not in self.language_sessions:
            if name not in SESSIONS:
                title = {"csharp": "C#"}.get(name, name)
                raise SessionError(
                    f"{title} cells can't run: this version of Benchbook has no {title} session",
                    "its sessions are: " + ", ".join(f"%%{each}" for each in SESSIONS),
                )
            self.language_sessions[name] = SESSIONS[name]()
        return self.language_sessions[name]

    def run_in_session(self, name: str, code: str) -> Result:
        """Run code as a cell and wait, from a magic; output goes under the current cell.

        A value is published as a display. Ctrl-C interrupts the code. Raises SessionError where
        the language has no session.
        """
        output = KernelOutput(self)
        self._flush()
        cell = f"cell {self.shell.displayhook.prompt_count}"  # IPython has counted on already
        result = self.language_session(name).run_sync(code, cell, output)
        if result.data is not None:
            output.display(result.data, {}, None, False)
        return result

    @property
    def language_info(self) -> dict[str, Any]:  # type: ignore[override]
        session = self.language_session()
        version = getattr(session, "version", lambda _: None)(VERSION_SECONDS)
        return {**session.language.info, "version": version or ""}

    @property
    def banner(self) -> str:
        return f"Benchbook {__version__}: {self.language} cells, IPython behind %"

    @property
    def kernel_info(self) -> dict[str, Any]:
        """Without the debugger, which would debug IPython's Python and not the cells."""
        info = dict(super().kernel_info)
        if "supported_features" in info:
            features = info["supported_features"]
            info["supported_features"] = [each for each in features if each != "debugger"]
        return info

    # ---- running cells

    async def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: dict[str, str] | None = None,
        allow_stdin: bool = False,
        *,
        cell_id: str | None = None,
        **extra: Any,
    ) -> dict[str, Any]:
        extra["cell_id"] = cell_id

        async def run_in_ipython(code: str, store: bool) -> dict[str, Any]:
            return await super(BenchbookKernel, self).do_execute(
                code, silent, store, user_expressions, allow_stdin, **extra
            )

        if (question := cells.as_help(code)) is not None:
            if (data := await self._describe(question.name, question.detail)) is not None:
                payload = [{"source": "page", "data": data, "start": 0}]
                return {**self._reply("ok", store_history and not silent, code), "payload": payload}
            return await run_in_ipython(code, store_history)

        reply: dict[str, Any] = {}
        payload = []
        parts = cells.split(code, self.language, self._is_name)
        for part in parts:
            last = part is parts[-1]
            store = store_history and last
            if part.language in (cells.IPYTHON, cells.PYTHON):
                with self._same_number(last):
                    reply = await run_in_ipython(part.code, store)
            else:
                reply = await self._run_part(part, silent, store, code)
            payload += reply.get("payload", [])
            if reply["status"] != "ok":
                break
        return {**reply, "payload": payload}

    async def _run_part(
        self, part: cells.Part, silent: bool, store: bool, cell: str
    ) -> dict[str, Any]:
        """Run a part in its session, publish its value or its error, and word the reply."""
        self._flush()
        output = Silence(self) if silent else KernelOutput(self)
        try:
            session = self.language_session(part.language)
        except SessionError as error:
            text = str(error)
            result = Result("error", None, "SessionError", text, (f"SessionError: {text}",))
        else:
            future = session.submit(part.placed, f"cell {self.shell.execution_count}", output)
            with self._interrupts(session):
                result = await asyncio.shield(asyncio.wrap_future(future))
        if result.status == "ok":
            if result.data is not None:
                count = self.shell.execution_count
                value = {"data": result.data, "metadata": {}, "execution_count": count}
                output.send("execute_result", value)
            return self._reply("ok", store, cell)
        error = {
            "ename": result.ename,
            "evalue": result.evalue,
            "traceback": list(result.traceback),
        }
        output.send("error", error)
        return {**self._reply("error", store, cell), **error}

    def _reply(self, status: str, store: bool, cell: str) -> dict[str, Any]:
        """An execute_reply; a stored cell takes its number, as IPython's cells do."""
        count = self.shell.execution_count
        if store:
            self.shell.history_manager.store_inputs(count, cell)
            self.shell.execution_count += 1
        return {
            "status": status,
            "execution_count": count,
            "user_expressions": {},
            "payload": [],
        }

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
    def _interrupts(self, session: Session) -> Iterator[None]:
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

    @staticmethod
    def _flush() -> None:
        """What Python printed comes before what the session will."""
        sys.stdout.flush()
        sys.stderr.flush()

    # ---- completion and inspection

    def _part_at(self, code: str, pos: int) -> tuple[cells.Part, int]:
        """The part of a cell that the cursor is in, and the cursor's position in its code."""
        starts = [0]
        for line in code.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        parts = cells.split(code, self.language)
        at = parts[0]
        for part in parts:
            if starts[part.line] <= pos:
                at = part
        start = code.find(at.code, starts[at.line]) if at.code else starts[at.line]
        if start < 0 or pos < start:
            return cells.Part(cells.IPYTHON, code), pos
        return at, pos - start

    async def do_complete(self, code: str, cursor_pos: int | None) -> dict[str, Any]:
        pos = len(code) if cursor_pos is None else cursor_pos
        part, inner = self._part_at(code, pos)
        if part.language in (cells.IPYTHON, cells.PYTHON):
            reply = await _maybe_await(super().do_complete(part.code, inner))
            shift = pos - inner
            reply["cursor_start"] += shift
            reply["cursor_end"] += shift
            for each in reply.get("metadata", {}).get("_jupyter_types_experimental", ()):
                each["start"] += shift
                each["end"] += shift
            return reply
        found = await self._ask(part, "complete", part.code, inner) or Completions((), inner, inner)
        start, end = (pos - inner + at for at in (found.start, found.end))
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

    async def do_inspect(
        self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()
    ) -> dict[str, Any]:
        part, inner = self._part_at(code, cursor_pos)
        if part.language in (cells.IPYTHON, cells.PYTHON):
            return await _maybe_await(super().do_inspect(part.code, inner, detail_level))
        data = await self._ask(part, "inspect", part.code, inner, detail_level)
        return {"status": "ok", "found": data is not None, "data": data or {}, "metadata": {}}

    async def do_is_complete(self, code: str) -> dict[str, Any]:  # type: ignore[override]
        part = cells.split(code, self.language)[-1]
        if part.language in (cells.IPYTHON, cells.PYTHON):
            return await _maybe_await(super().do_is_complete(part.code))
        return {"status": "unknown"}

    async def _describe(self, name: str, detail: int) -> dict[str, Any] | None:
        part = cells.Part(self.language, name)
        return await self._ask(part, "inspect", name, len(name), detail)

    async def _ask(self, part: cells.Part, question: str, *arguments: Any) -> Any:
        """A session's answer, None where it has none or is busy."""
        try:
            future: Future = getattr(self.language_session(part.language), question)(*arguments)
            return await asyncio.wait_for(asyncio.wrap_future(future), ANSWER_SECONDS)
        except (SessionError, asyncio.TimeoutError):
            return None

    def _is_name(self, word: str) -> bool:
        """Does the session know this name? (`!word` is then its expression, not a command.)"""
        try:
            session = self.language_session()
            return session.inspect(word, len(word), 0).result(ANSWER_SECONDS) is not None
        except (SessionError, TimeoutError):
            return False

    # ---- the end

    async def do_shutdown(self, restart: bool) -> dict[str, Any]:  # type: ignore[override]
        for session in self.language_sessions.values():
            session.close()
        return await _maybe_await(super().do_shutdown(restart))


class NodeKernel(BenchbookKernel):
    """`benchbook-node`: plain cells are JavaScript, run by Node.js."""

    language = "node"


KERNELS: dict[str, type[BenchbookKernel]] = {"node": NodeKernel}


async def _maybe_await(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
