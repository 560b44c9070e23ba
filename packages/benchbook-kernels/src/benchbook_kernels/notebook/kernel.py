"""The notebook kernels: ipykernel's IPython kernel whose plain cells go to a language session.

IPython stays in full: `%magics`, `!commands`, `%%python` cells, rich output, history. Only cells
(and the parts of cells, see cells.py) in the notebook's own language leave it.
"""

import _thread
import inspect
import os
from typing import TYPE_CHECKING, Any, ClassVar

from traitlets import Type

from benchbook_kernels import __version__
from benchbook_kernels.base import builds
from benchbook_kernels.base.platforms import WINDOWS
from benchbook_kernels.install import extensions
from benchbook_kernels.install.languages import declared
from benchbook_kernels.notebook import cells, wrong_kernel
from benchbook_kernels.notebook.assistance import Assistance, shifted
from benchbook_kernels.notebook.cell_run import CellRun, Reply
from benchbook_kernels.notebook.completion import MagicCompletion, reply
from benchbook_kernels.notebook.interactive.commands import Commands
from benchbook_kernels.notebook.interactive.values import Values
from benchbook_kernels.notebook.kernel_output import KernelOutput, Silence, flush_python
from benchbook_kernels.notebook.language_magics import LanguageMagics
from benchbook_kernels.notebook.open_sessions import Sessions
from benchbook_kernels.notebook.sessions.session import Result, Session, SessionError
from benchbook_kernels.notebook.shell import Shell

if TYPE_CHECKING:

    class IPythonKernel:
        """What we use of ipykernel's class, which has no types."""

        shell: Any
        session: Any
        log: Any
        _allow_stdin: bool

        def __init__(self, **options: Any) -> None:
            ...

        @property
        def kernel_info(self) -> dict[str, Any]:
            ...

        async def do_execute(self, *arguments: Any, **named: Any) -> Reply:
            ...

        def do_complete(self, code: str, cursor_pos: int | None) -> Any:
            ...

        def do_inspect(
            self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()
        ) -> Any:
            ...

        def do_is_complete(self, code: str) -> Any:
            ...

        async def interrupt_request(self, stream: Any, ident: Any, parent: Any) -> None:
            ...

        def do_shutdown(self, restart: bool) -> Any:
            ...

else:
    from ipykernel.ipkernel import IPythonKernel

VERSION_SECONDS = 5.0


def set_environment() -> None:
    """Set what commands in cells (`!dotnet build`) find in their environment.

    They have a terminal, but what shows their output can't move a cursor or redraw a line: without
    this, MSBuild's progress fills pages. IPython has said otherwise by now.
    """
    os.environ["TERM"] = "dumb"
    for name, value in builds.building().items():
        os.environ.setdefault(name, value)


class BenchbookKernel(IPythonKernel):
    """A kernel for one language; the others are a `%%` line away.

    In magics, `get_ipython().kernel` is this kernel, `kernel.language_session("node")` a session,
    and `kernel.run_in_session("node", code)` runs code there with its output under the cell.
    """

    language: ClassVar[str]  # the language of plain cells

    shell_class: Any = Type(Shell)  # type: ignore[no-untyped-call]
    implementation = "benchbook"
    implementation_version = __version__

    def __init__(self, **options: Any):
        super().__init__(**options)
        set_environment()
        self.sessions = Sessions(self.language)
        self.assistance = Assistance(self.sessions)
        self._start_in_background()  # beside what comes next, which takes a while
        self.commands = Commands(self.sessions, self.shell.user_ns)
        self.shell.register_magics(LanguageMagics(self.shell, self))
        self._load_magics()
        self.completion = MagicCompletion(self.shell)

    def _load_magics(self) -> None:
        for name in extensions.found():
            try:
                self.shell.extension_manager.load_extension(name)
            except Exception as error:  # cells still run without them; say it where it is seen
                self.log.error("The magics of %s can't be loaded: %s", name, error, exc_info=True)

    def _start_in_background(self) -> None:
        try:
            self.sessions.get().start()
        except SessionError as error:
            self.log.warning("%s", error)  # the first cell says so again

    # ---- for magics

    @property
    def values(self) -> Values:
        """What carries variables between the languages."""
        return self.commands.values

    def language_session(self, name: str | None = None) -> Session:
        """The session of a language, the notebook's own by default. Raises SessionError."""
        return self.sessions.get(name)

    def choose_engine(self, language: str, kernel: str) -> None:
        """Run a language's cells in the Jupyter kernel of that name. Raises SessionError."""
        self.sessions.choose_engine(language, kernel)

    def run_in_session(self, name: str, code: str) -> Result:
        """Run code as a cell and wait, from a magic; output goes under the current cell.

        A value is published as a display. Ctrl-C interrupts the code. Raises SessionError where
        the language has no session.
        """
        output = KernelOutput(self)
        flush_python()
        cell = f"cell {self.shell.displayhook.prompt_count}"  # IPython has counted on already
        result = self.sessions.ready(name).run_sync(code, cell, output)
        if result.data is not None:
            output.show(result.data)
        return result

    # ---- what the kernel is

    @property
    def language_info(self) -> dict[str, Any]:
        session = self.sessions.get()
        return {**session.language.info, "version": session.version(VERSION_SECONDS) or ""}

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

    # ---- requests

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
    ) -> Reply:
        self._allow_stdin = allow_stdin  # IPython sets it for its own cells only

        async def in_ipython(code: str, store: bool) -> Reply:
            return await super(BenchbookKernel, self).do_execute(
                code, silent, store, user_expressions, allow_stdin, cell_id=cell_id, **extra
            )

        output = Silence(self) if silent else KernelOutput(self)
        run = CellRun(self.commands, self.shell, output, in_ipython, code, store_history)
        if wrong_kernel.is_for(code, self.language):
            return run.nothing()
        if (question := cells.as_help(code)) is not None:
            name = question.name
            data = await self.assistance.inspect(self.language, name, len(name), question.detail)
            if data is None:
                return await in_ipython(code, store_history)
            return run.page(data, store_history and not silent)
        return await run.to_end(cells.split(code, self.language, self.assistance.is_name))

    async def do_complete(self, code: str, cursor_pos: int | None) -> Reply:
        pos = len(code) if cursor_pos is None else cursor_pos
        place = cells.place(code, pos, self.language)
        if (found := self.completion.at(place)) is not None:
            matches = [(text, "") for text in found.matches]
            return reply(place, matches, place.pos - found.length, place.pos)
        place = self.completion.inside(place)
        if place.part.is_ipythons:
            return shifted(await _result(super().do_complete(place.code, place.pos)), place.shift)
        return await self.assistance.complete(place)

    async def do_inspect(
        self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()
    ) -> Reply:
        place = cells.place(code, cursor_pos, self.language)
        if place.part.is_ipythons:
            return await _result(super().do_inspect(place.code, place.pos, detail_level))
        language = place.part.language
        data = await self.assistance.inspect(language, place.code, place.pos, detail_level)
        return {"status": "ok", "found": data is not None, "data": data or {}, "metadata": {}}

    async def do_is_complete(self, code: str) -> Reply:
        part = cells.split(code, self.language)[-1]
        if part.is_ipythons:
            return await _result(super().do_is_complete(part.code))
        return {"status": "unknown"}

    async def interrupt_request(self, stream: Any, ident: Any, parent: Any) -> None:
        """Interrupt what runs; on Windows ipykernel would only say that it can't."""
        if not WINDOWS:
            await super().interrupt_request(stream, ident, parent)
            return
        _thread.interrupt_main()
        self.session.send(stream, "interrupt_reply", {"status": "ok"}, parent, ident=ident)

    async def do_shutdown(self, restart: bool) -> Reply:
        self.sessions.close()
        return await _result(super().do_shutdown(restart))


def kernel_class(language: str) -> type[BenchbookKernel]:
    """The kernel whose plain cells are in this language, one of install.languages.declared()."""
    title = declared()[language].title
    members = {"language": language, "__doc__": f"`benchbook-{language}`: plain cells are {title}."}
    return type(f"{language.capitalize()}Kernel", (BenchbookKernel,), members)


async def _result(reply: Any) -> Reply:
    """A reply of ipykernel, which some of its versions give as a coroutine."""
    found: Reply = await reply if inspect.isawaitable(reply) else reply
    return found
