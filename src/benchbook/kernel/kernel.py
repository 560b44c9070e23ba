"""The notebook kernels: ipykernel's IPython kernel whose plain cells go to a language session.

IPython stays in full: `%magics`, `!commands`, `%%python` cells, rich output, history. Only cells
(and the parts of cells, see cells.py) in the notebook's own language leave it. While they run, the
kernel's event loop is free, and what they print is published by a thread of the session.
"""

import asyncio
import importlib.util
import inspect
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar

from ipykernel.ipkernel import IPythonKernel
from IPython.core.error import StdinNotImplementedError

from benchbook import __version__, runners
from benchbook.errors import BenchError
from benchbook.kernel import cells, directives, imports, page
from benchbook.kernel.csharp import CSharpSession
from benchbook.kernel.jupyter import JupyterSession
from benchbook.kernel.language_magics import LanguageMagics
from benchbook.kernel.node import NodeSession
from benchbook.kernel.sessions import (
    SHARED_TYPE,
    Collected,
    Completions,
    Result,
    Session,
    SessionError,
)

MAGICS = "benchbook.kernel.magics"
SESSIONS: dict[str, type[Session]] = {"node": NodeSession, "csharp": CSharpSession}
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

    def input(self, prompt: str, password: bool) -> str | None:
        ask = self._kernel.getpass if password else self._kernel.raw_input
        return ask(prompt)


class Silence(KernelOutput):
    """Publishes nothing: for silent requests."""

    def input(self, prompt: str, password: bool) -> str | None:
        return None

    def send(self, kind: str, content: dict[str, Any]) -> None:
        pass


def set_environment() -> None:
    """What commands in cells (`!dotnet build`) find in their environment.

    They have a terminal, but what shows their output can't move a cursor or redraw a line: without
    this, MSBuild's progress fills pages. IPython has said otherwise by now.
    """
    os.environ["TERM"] = "dumb"
    for name, value in runners.building().items():
        os.environ.setdefault(name, value)


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
        set_environment()
        self.language_sessions: dict[str, Session] = {}
        self.values = directives.Values(self._quietly, self._value_code, self.shell.user_ns)
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
                raise SessionError(
                    f"{name} cells can't run: this version of Benchbook has no {name} session",
                    "its sessions are: " + ", ".join(f"%%{each}" for each in SESSIONS),
                )
            self.language_sessions[name] = SESSIONS[name]()
        return self.language_sessions[name]

    def choose_engine(self, language: str, kernel: str) -> None:
        """Run a language's cells in the Jupyter kernel of that name; "benchbook" is our own.

        Raises SessionError where there is no such language or kernel; the session stays then.
        """
        before = self.language_session(language)
        after: Session = SESSIONS[language]()
        if kernel != "benchbook":
            after = JupyterSession(before.language, kernel)
        after.start()
        self.language_sessions[language] = after
        before.close()

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
        self._allow_stdin = allow_stdin  # IPython sets it for its own cells only

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
        parts = deque(cells.split(code, self.language, self._is_name))
        timed = False
        begun = time.monotonic()
        while parts:
            part = parts.popleft()
            word = part.directive and part.directive.word
            timed = timed or word == "time"
            last = not parts
            store = store_history and last
            if word == "import":
                reply = self._import(part, parts, silent, store_history, code)
            elif part.language in (cells.IPYTHON, cells.PYTHON):
                with self._same_number(last):
                    reply = await run_in_ipython(part.code, store)
            elif part.language in SESSIONS:
                reply = await self._run_part(part, silent, store, code)
            else:
                reply = await self._run_directive(part, silent, store, code)
            payload += reply.get("payload", [])
            if reply["status"] != "ok":
                break
        if timed and not silent:
            text = f"Wall time: {(time.monotonic() - begun) * 1000:.1f} ms"
            KernelOutput(self).display({"text/plain": text}, {}, None, False)
        return {**reply, "payload": payload}

    def _import(
        self, part: cells.Part, rest: deque[cells.Part], silent: bool, store: bool, cell: str
    ) -> dict[str, Any]:
        """Put the parts of a file before the rest of the cell, and word the reply."""
        assert part.directive
        try:
            rest.extendleft(reversed(imports.read(part.directive.rest)))
        except directives.DirectiveError as error:
            output = Silence(self) if silent else KernelOutput(self)
            return self._failed(type(error).__name__, str(error), output, store, cell)
        return self._reply("ok", store and not rest, cell)

    async def _run_directive(
        self, part: cells.Part, silent: bool, store: bool, cell: str
    ) -> dict[str, Any]:
        """Run what a `#!` line says, and word the reply."""
        self._flush()
        if part.language == "javascript" and not page.is_for_page(part.code):
            return await self._run_part(part, silent, store, cell)
        output = Silence(self) if silent else KernelOutput(self)
        try:
            if part.directive:
                part = replace(part, directive=self._answered(part.directive, output))
            # values travel through sessions, which answer on threads of their own
            data = await asyncio.get_running_loop().run_in_executor(None, self._direct, part)
        # without a reply the cell would never end; the reader may interrupt what asks
        except (Exception, KeyboardInterrupt) as error:
            if not isinstance(error, (BenchError, KeyboardInterrupt)):
                self.log.error("#!%s failed", part.language, exc_info=True)
            return self._failed(type(error).__name__, str(error), output, store, cell)
        if data is not None:
            output.display(data, {}, None, False)
        return self._reply("ok", store, cell)

    def _answered(
        self, directive: directives.Directive, output: KernelOutput
    ) -> directives.Directive:
        """A directive with the reader's answers to what it asks. Raises DirectiveError."""
        answers: dict[str, str] = {}
        for question, prompt, password in directives.questions(directive):
            try:
                answer = output.input(prompt, password)
            except StdinNotImplementedError:
                answer = None
            if answer is None:
                problem = f"#!{directive.word}: nobody can be asked here for {question}"
                raise directives.DirectiveError(problem, "write the value in its place")
            answers[question] = answer
        return replace(directive, answers=answers)

    def _direct(self, part: cells.Part) -> dict[str, Any] | None:
        """Do what a directive says; what it shows. Raises BenchError."""
        directive = part.directive
        if directive is None:
            return directives.bundle(part.language, part.code, self.values.page)
        if directive.word == "share":
            self.values.share(directives.parse_share(directive.rest), part.into)
        elif directive.word == "set":
            wanted = directives.parse_set(directive)
            if wanted.share:
                self.values.share(wanted.share, part.into)
            else:
                self.values.put(part.into, wanted.name, wanted.text)
        elif directive.word == "value":
            name, text = directives.read_value(directive)
            self.values.texts[name] = text
        elif directive.word in ("who", "whos"):
            return self._variables(directive.word, part.into)
        elif directive.word == "lsmagic":
            return directives.lsmagic()
        elif directive.word == "about":
            return directives.about(self._versions())
        elif directive.word != "time":
            raise directives.unknown(directive.word)
        return None

    def _versions(self) -> dict[str, str]:
        """The versions of the sessions that run."""
        sessions = self.language_sessions.values()
        found = {s.language.title: getattr(s, "version", lambda _: None)(0.1) for s in sessions}
        return {title: version for title, version in found.items() if version}

    def _quietly(self, language: str, code: str) -> str:
        """The JSON that code gives or prints in a session. Raises DirectiveError where it fails."""
        printed = Collected()
        result = self.language_session(language).submit(code, "#!share", printed).result()
        if result.status != "ok":
            raise directives.DirectiveError(f"{language}: {result.evalue}")
        return (result.data or {}).get(SHARED_TYPE, printed.text)

    def _variables(self, word: str, language: str) -> dict[str, Any] | None:
        """What `#!who` shows: a session's variables. Raises DirectiveError."""
        session = self.language_session(language) if language in SESSIONS else None
        if not isinstance(session, CSharpSession):
            raise directives.DirectiveError(f"#!{word} is for C#", "%whos lists Python's variables")
        code = session.variables_code(values=word == "whos")
        result = session.submit(code, f"#!{word}", Collected()).result()
        if result.status != "ok":
            raise directives.DirectiveError(f"#!{word}: {result.evalue}")
        return result.data

    def _value_code(self, language: str, verb: str, *arguments: str) -> str:
        """Code that exports or imports a variable in a session's language."""
        return getattr(self.language_session(language), f"{verb}_code")(*arguments)

    def _failed(
        self, name: str, text: str, output: KernelOutput, store: bool, cell: str
    ) -> dict[str, Any]:
        """Publish an error without a traceback, and word the reply."""
        error = {"ename": name, "evalue": text, "traceback": [f"{name}: {text}"]}
        output.send("error", error)
        return {**self._reply("error", store, cell), **error}

    async def _run_part(
        self, part: cells.Part, silent: bool, store: bool, cell: str
    ) -> dict[str, Any]:
        """Run a part in its session, publish its value or its error, and word the reply."""
        self._flush()
        output = Silence(self) if silent else KernelOutput(self)
        try:
            is_script = part.language == "javascript"
            session = self.language_session("node" if is_script else part.language)
        except SessionError as error:
            text = str(error)
            result = Result("error", None, "SessionError", text, (f"SessionError: {text}",))
        else:
            name = part.source or f"cell {self.shell.execution_count}"
            result = await self._result(session, part.placed, name, output)
            if is_script and _is_refused_return(result):  # .NET Interactive takes it
                result = await self._result(session, part.as_function, name, output)
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

    async def _result(self, session: Session, code: str, name: str, output: KernelOutput) -> Result:
        future = session.submit(code, name, output)
        with self._interrupts(session):
            return await asyncio.shield(asyncio.wrap_future(future))

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


class CSharpKernel(BenchbookKernel):
    """`benchbook-csharp`: plain cells are C#, compiled by Roslyn."""

    language = "csharp"


KERNELS: dict[str, type[BenchbookKernel]] = {"node": NodeKernel, "csharp": CSharpKernel}


def _is_refused_return(result: Result) -> bool:
    """Did Node.js not begin to run the code, because of a `return` outside functions?

    An error of code that the cell compiles while it runs has stack frames.
    """
    ran = any(line.startswith("    at ") for line in result.traceback)
    return result.evalue == "Illegal return statement" and not ran


async def _maybe_await(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
