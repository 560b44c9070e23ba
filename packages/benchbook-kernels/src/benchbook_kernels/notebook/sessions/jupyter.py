"""Any installed Jupyter kernel as a session: the same cells, its outputs relayed in full."""

import contextlib
import os
import queue
import tempfile
import threading
import time
from asyncio import CancelledError
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from jupyter_client import kernelspec, manager

from benchbook_kernels.base import guard
from benchbook_kernels.base.nearest import did_you_mean
from benchbook_kernels.base.processes import Keeper
from benchbook_kernels.base.running import uncoloured
from benchbook_kernels.install import interactive, kernelspecs
from benchbook_kernels.install.languages import Language
from benchbook_kernels.notebook.sessions.session import (
    CellOutput,
    Collected,
    Completion,
    Completions,
    Result,
    Session,
    SessionError,
)

T = TypeVar("T")

# jupyter_client has types in places only
KernelSpecManager: Any = kernelspec.KernelSpecManager
KernelManager: Any = manager.KernelManager

READY_SECONDS = 60.0
STARTS = (
    2  # tries: the ports that jupyter_client found free may be taken when the kernel wants them
)
ANSWER_SECONDS = 5.0
LATE_SECONDS = 0.15  # some kernels (tslab) still print after they have said that they are idle
ABORTED = ("aborted", "abort")  # in a reply: not run, because the cell before it failed; tslab's
LOOK_SECONDS = 0.2  # how often we look whether a kernel that is silent is alive


def installed(kernel: str) -> bool:
    """Is there a kernel of that name, other than ours under it?"""
    return known_to_jupyter(kernel) or is_tool(kernel)


def known_to_jupyter(kernel: str) -> bool:
    """Does Jupyter know a kernel of that name, other than ours under it?"""
    try:
        found = KernelSpecManager().get_kernel_spec(kernel)
    except kernelspec.NoSuchKernel:
        return False
    return kernel in kernelspecs.KERNELS or not kernelspecs.is_ours(Path(found.resource_dir))


def is_tool(kernel: str) -> bool:
    """Is it .NET Interactive, which set-up got as a tool, and of which Jupyter need not know?"""
    return kernel == interactive.KERNEL and interactive.program() is not None


def kernels_of(language: Language) -> list[str]:
    """The kernels of a language that Jupyter knows, other than ours."""
    words = {language.name, language.syntax.lower(), *language.words}
    return [
        name
        for name, each in sorted(KernelSpecManager().get_all_specs().items())
        if str(each["spec"].get("language", "")).lower() in words
        and not kernelspecs.is_ours(Path(each["resource_dir"]))
    ]


def last_line(log: IO[bytes]) -> str:
    """The last line of what a kernel said before it died, "" where it said nothing."""
    log.seek(0)
    lines = log.read().decode("utf-8", "replace").split("\n")
    said = [line.strip() for line in lines if line.strip()]
    return f" ({said[-1]})" if said else ""


@dataclass
class CellOutcome:
    """What a kernel has published about a cell: the bundle of its value, and its error."""

    data: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    idle: bool = False

    def take(self, message: dict[str, Any], output: CellOutput) -> None:
        """Hand over what one message shows, and keep what it says about the end."""
        kind, content = message["msg_type"], message["content"]
        if kind == "stream":
            output.stream(content["name"], content["text"])
        elif kind in ("display_data", "update_display_data"):
            identity = content.get("transient", {}).get("display_id")
            update = kind == "update_display_data"
            output.display(content["data"], content.get("metadata", {}), identity, update)
        elif kind == "execute_result":
            self.data = content["data"]
        elif kind == "error":
            self.error = content
        elif kind == "status" and content["execution_state"] == "idle":
            self.idle = True


class JupyterSession(Session):
    """A session in the kernel named `kernel`, as `jupyter kernelspec list` names it.

    `own` is our session of the same language, which is not started: it knows the language.
    One thread talks to the kernel, so that requests are answered in order.
    """

    def __init__(self, own: Session, kernel: str, directory: str | None = None):
        self.own = own
        self.language = own.language
        self.kernel = kernel
        self.directory = directory or os.getcwd()
        self._lock = threading.RLock()
        self._manager: Any = None
        self._client: Any = None
        self._keeper: Keeper | None = None
        self._work: queue.Queue[Callable[[], None] | None] = queue.Queue()

    def start(self) -> None:
        with self._lock:
            if self.alive:
                return
            self.close()
            if not installed(self.kernel):
                every = KernelSpecManager().find_kernel_specs()
                known = sorted(filter(installed, every))
                own = ": the one of that name is Benchbook's own" if self.kernel in every else ""
                hint = own or did_you_mean(self.kernel, known)
                there = f" (there are: {', '.join(known) or 'none'})"
                raise SessionError(
                    f"no Jupyter kernel '{self.kernel}' is installed{hint}{there}",
                    "install it, or leave %engine out",
                )
            self._keeper = Keeper()  # its guard ends the kernel if this process dies
            try:
                self._manager, self._client = self._launched(self._keeper)
            except SessionError:
                self._keeper.close()
                raise
            self._work = queue.Queue()
            threading.Thread(target=self._answer, args=(self._work,), daemon=True).start()
            if preamble := self.language.preamble:
                self._later(lambda: self._run(preamble, Collected()))

    def _launched(self, keeper: Keeper) -> tuple[Any, Any]:
        """(manager, client) of a new kernel that is ready. Raises SessionError."""
        # what a kernel that is ended leaves there goes with the keeper's folder
        there = {guard.VARIABLE: keeper.token, "TMPDIR": str(keeper.folder)}
        environment = {**uncoloured(os.environ), **there}
        file = str(keeper.folder / "kernel.json")  # goes even where this process is killed
        said = ""
        if not known_to_jupyter(self.kernel) and is_tool(self.kernel):
            interactive.write(keeper.folder)
        for _ in range(STARTS):
            manager = KernelManager(kernel_name=self.kernel, connection_file=file)
            place = str(kernelspecs.folder_in(keeper.folder))  # empty but for a tool's
            manager.kernel_spec_manager.kernel_dirs.insert(0, place)
            # the log: what the kernel says itself (.NET Interactive: its web server's addresses)
            with tempfile.TemporaryFile() as log:
                try:
                    spec = manager.kernel_spec
                    spec.argv = interactive.on_this_machine_only(spec.argv)
                    manager.start_kernel(
                        cwd=self.directory, env=environment, stdout=log, stderr=log
                    )
                    client = manager.client()
                    client.start_channels()
                    client.wait_for_ready(timeout=READY_SECONDS)
                    return manager, client
                except Exception as error:
                    died = manager.has_kernel and not manager.is_alive()
                    manager.shutdown_kernel(now=True)
                    said = f"{error}{last_line(log)}"
                    if not died:
                        break
        raise SessionError(
            f"the Jupyter kernel '{self.kernel}' did not start: {said}",
            f"try it by hand: jupyter run --kernel {self.kernel}",
        )

    @property
    def alive(self) -> bool:
        return self._manager is not None and bool(self._manager.is_alive())

    def submit(self, code: str, name: str, output: CellOutput) -> Future[Result]:
        if not self.alive:
            try:
                self.start()
            except SessionError as error:
                return _done(Result("ended", None, "SessionError", str(error), (str(error),)))
        return self._later(lambda: self._run(code, output))

    def complete(self, code: str, pos: int) -> Future[Completions]:
        def ask() -> Completions:
            content = self._ask("complete", code, pos)
            matches = tuple(Completion(text) for text in content.get("matches", ()))
            start, end = content.get("cursor_start", pos), content.get("cursor_end", pos)
            return Completions(matches, start, end)

        return self._later(ask) if self.alive else _done(Completions((), pos, pos))

    def inspect(self, code: str, pos: int, detail: int) -> Future[dict[str, Any] | None]:
        def ask() -> dict[str, Any] | None:
            content = self._ask("inspect", code, pos, detail)
            return content.get("data") if content.get("found") else None

        return self._later(ask) if self.alive else _done(None)

    def export_code(self, name: str) -> str:
        return self.own.printing_code(name)

    def printing_code(self, name: str) -> str:
        return self.own.printing_code(name)

    def import_code(self, name: str, text: str) -> str:
        return self.own.import_code(name, text)

    def records_code(self, name: str, text: str) -> str:
        return self.own.foreign_records_code(name, text)

    def variables_code(self, values: bool) -> str:
        raise SessionError(
            f"the kernel '{self.kernel}' can't list its variables here",
            f"%engine {self.language.name} benchbook goes back to the session that can",
        )

    def interrupt(self) -> None:
        if self.alive:
            self._manager.interrupt_kernel()

    def close(self) -> None:
        with self._lock:
            manager, client, keeper = self._manager, self._client, self._keeper
            self._manager = self._client = self._keeper = None
            self._work.put(None)
        if client is not None:
            client.stop_channels()
        if manager is not None:
            manager.shutdown_kernel(now=True)
        if keeper is not None:
            keeper.close()

    def _later(self, work: Callable[[], T]) -> Future[T]:
        """Have the session's thread do `work`."""
        future: Future[T] = Future()

        def task() -> None:
            if not future.set_running_or_notify_cancel():
                return  # who asked has given up
            try:
                future.set_result(work())
            except (Exception, CancelledError) as error:
                future.set_exception(error)

        self._work.put(task)
        return future

    @staticmethod
    def _answer(work: queue.Queue[Callable[[], None] | None]) -> None:
        while (task := work.get()) is not None:
            task()

    def _run(self, code: str, output: CellOutput) -> Result:
        """Run a cell. A kernel aborts what comes soon after an error, for front ends that queue
        cells; here one comes after the other, and what did not run is asked for again."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while (result := self._run_once(code, output)) is None:
            if time.monotonic() > deadline:
                text = f"the kernel '{self.kernel}' aborted this cell: it did not run"
                return Result("error", None, "Aborted", text, (f"Aborted: {text}",))
            time.sleep(LOOK_SECONDS)
        return result

    def _run_once(self, code: str, output: CellOutput) -> Result | None:
        """None where the kernel aborted it."""
        client = self._client
        if client is None:
            return self._ended()
        number = client.execute(code, allow_stdin=False)
        outcome = self._relay(client, number, output)
        if outcome is None:
            return self._ended()
        # some kernels (tslab) report an error in the reply only
        reply = self._reply(number)
        if not reply and not self.alive:  # interrupted, it said that it is idle, and ended
            return self._ended()
        if reply.get("status") in ABORTED:
            return None
        error = outcome.error
        if error is None and reply.get("status") == "error":
            said = reply.get("evalue") or "the kernel says no more than what it printed"
            error = {"ename": "Error", "traceback": [], **reply, "evalue": said}
        if error is not None:
            trace = tuple(error["traceback"]) or (f"{error['ename']}: {error['evalue']}",)
            return Result("error", None, error["ename"], error["evalue"], trace)
        return Result("ok", outcome.data)

    def _relay(self, client: Any, number: str, output: CellOutput) -> CellOutcome | None:
        """Relay what a cell puts out, until the kernel is idle; None where the kernel ended."""
        outcome = CellOutcome()
        while True:
            try:
                seconds = LATE_SECONDS if outcome.idle else LOOK_SECONDS
                message = client.get_iopub_msg(timeout=seconds)
            except queue.Empty:
                if outcome.idle:
                    return outcome
                if not self.alive:
                    return None
                continue
            except (Exception, CancelledError):
                return None  # its channels were closed
            if message["parent_header"].get("msg_id") == number:
                outcome.take(message, output)

    def _ended(self) -> Result:
        text = f"the kernel '{self.kernel}' ended; the next cell starts a new one"
        return Result("ended", None, "SessionEnded", text, (f"SessionEnded: {text}",))

    def _ask(self, question: str, *arguments: Any) -> dict[str, Any]:
        return self._reply(getattr(self._client, question)(*arguments))

    def _reply(self, number: str) -> dict[str, Any]:
        """What the kernel replied to one message; {} where it does not in ANSWER_SECONDS."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < deadline:
            try:
                reply: dict[str, Any] = self._client.get_shell_msg(timeout=LOOK_SECONDS)
            except queue.Empty:
                if not self.alive or self._is_done_with(number):
                    break  # some kernels (.NET Interactive) do not reply to what they do not know
                continue
            if reply["parent_header"].get("msg_id") == number:
                content: dict[str, Any] = reply["content"]
                return content
        return {}

    def _is_done_with(self, number: str) -> bool:
        """Has the kernel been idle after a message that is no cell?"""
        outcome = CellOutcome()
        with contextlib.suppress(queue.Empty):
            while not outcome.idle:
                message = self._client.get_iopub_msg(timeout=0)
                if message["parent_header"].get("msg_id") == number:
                    outcome.take(message, Collected())
        return outcome.idle


def _done(result: T) -> Future[T]:
    """A future that already has its result."""
    future: Future[T] = Future()
    future.set_result(result)
    return future
