"""Any installed Jupyter kernel as a session: the same cells, its outputs relayed in full."""

import os
import queue
import threading
import time
from concurrent.futures import Future
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from jupyter_client.manager import KernelManager

from benchbook import guard
from benchbook.kernel.csharp import CSharpSession
from benchbook.kernel.node import COLOUR_VARIABLES, NodeSession
from benchbook.kernel.sessions import (
    Completion,
    Completions,
    Language,
    Output,
    Result,
    Session,
    SessionError,
)
from benchbook.processes import Keeper

EXPORT = {
    "csharp": lambda n: f"System.Console.Write(System.Text.Json.JsonSerializer.Serialize({n}));",
    # tslab checks types, and knows of no process where there are no types of Node.js
    "node": lambda n: f"void globalThis['process'].stdout.write(JSON.stringify({n}) ?? 'null')",
}
IMPORT = {"csharp": CSharpSession.import_code, "node": NodeSession.import_code}
READY_SECONDS = 60.0
ANSWER_SECONDS = 5.0
LATE_SECONDS = 0.15  # some kernels (tslab) still print when they say that they are idle
ABORTED = ("aborted", "abort")  # in a reply: not run, because the cell before it failed; tslab's
LOOK_SECONDS = 0.2  # how often a cell that is silent is checked to be alive


def installed(kernel: str) -> bool:
    """Does Jupyter know a kernel of that name?"""
    try:
        return bool(KernelSpecManager().get_kernel_spec(kernel))
    except NoSuchKernel:
        return False


class JupyterSession(Session):
    """A session in the kernel named `kernel`, as `jupyter kernelspec list` names it.

    One thread speaks with it, so that requests are answered in order.
    """

    def __init__(self, language: Language, kernel: str, directory: str | None = None):
        self.language = language
        self.kernel = kernel
        self.directory = directory or os.getcwd()
        self._lock = threading.RLock()
        self._manager: KernelManager | None = None
        self._client: Any = None
        self._keeper: Keeper | None = None
        self._work: queue.Queue = queue.Queue()

    def start(self) -> None:
        with self._lock:
            if self.alive:
                return
            self.close()
            if not installed(self.kernel):
                known = ", ".join(sorted(KernelSpecManager().find_kernel_specs())) or "none"
                raise SessionError(
                    f"no Jupyter kernel '{self.kernel}' is installed (there are: {known})",
                    "install it, or leave %engine out",
                )
            self._keeper = Keeper()  # its guard ends the kernel if this process dies
            plain = {k: v for k, v in os.environ.items() if k not in COLOUR_VARIABLES}
            environment = {**plain, guard.VARIABLE: self._keeper.token}
            manager = KernelManager(kernel_name=self.kernel)
            try:
                manager.start_kernel(cwd=self.directory, env=environment)
                client = manager.client()
                client.start_channels()
                client.wait_for_ready(timeout=READY_SECONDS)
            except Exception as error:
                manager.shutdown_kernel(now=True)
                self._keeper.close()
                raise SessionError(
                    f"the Jupyter kernel '{self.kernel}' did not start: {error}",
                    f"try it by hand: jupyter run --kernel {self.kernel}",
                ) from error
            self._manager, self._client, self._work = manager, client, queue.Queue()
            threading.Thread(target=self._speak, args=(self._work,), daemon=True).start()

    @property
    def alive(self) -> bool:
        return self._manager is not None and self._manager.is_alive()

    def submit(self, code: str, name: str, output: Output) -> Future[Result]:
        return self._later(lambda: self._run(code, output), start=True)

    def complete(self, code: str, pos: int) -> Future[Completions]:
        def ask() -> Completions:
            content = self._ask("complete", code, pos)
            matches = tuple(Completion(text) for text in content.get("matches", ()))
            return Completions(
                matches, content.get("cursor_start", pos), content.get("cursor_end", pos)
            )

        return self._later(ask, otherwise=Completions((), pos, pos))

    def inspect(self, code: str, pos: int, detail: int) -> Future[dict[str, Any] | None]:
        def ask() -> dict[str, Any] | None:
            content = self._ask("inspect", code, pos, detail)
            return content.get("data") if content.get("found") else None

        return self._later(ask, otherwise=None)

    def export_code(self, name: str) -> str:
        return EXPORT[self.language.name](name)

    def import_code(self, name: str, text: str) -> str:
        return IMPORT[self.language.name](name, text)

    def interrupt(self) -> None:
        if self._manager is not None and self.alive:
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

    def _later(self, work: Any, start: bool = False, otherwise: Any = None) -> Future:
        """Have the session's thread do `work`; where there is none, start it or give otherwise."""
        future: Future = Future()
        if not self.alive:
            if not start:
                future.set_result(otherwise)
                return future
            try:
                self.start()
            except SessionError as error:
                text = str(error)
                future.set_result(Result("ended", None, "SessionError", text, (text,)))
                return future
        self._work.put((future, work))
        return future

    def _speak(self, work: queue.Queue) -> None:
        while (item := work.get()) is not None:
            future, task = item
            try:
                future.set_result(task())
            except Exception as error:
                future.set_exception(error)

    def _run(self, code: str, output: Output) -> Result:
        """Run a cell. A kernel aborts what comes soon after an error, for front ends that queue
        cells; here one comes after the other, and what did not run is asked for again."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while (result := self._run_once(code, output)) is None:
            if time.monotonic() > deadline:
                text = f"the kernel '{self.kernel}' aborted this cell: it did not run"
                return Result("error", None, "Aborted", text, (f"Aborted: {text}",))
            time.sleep(LOOK_SECONDS)
        return result

    def _run_once(self, code: str, output: Output) -> Result | None:
        """None where the kernel aborted it."""
        client = self._client
        if client is None:
            return self._ended()
        number = client.execute(code, allow_stdin=False)
        data, error, idle = None, None, False
        while True:
            try:
                message = client.get_iopub_msg(timeout=LATE_SECONDS if idle else LOOK_SECONDS)
            except queue.Empty:
                if idle:
                    break
                if not self.alive:
                    return self._ended()
                continue
            except Exception:
                return self._ended()  # its channels were closed
            if message["parent_header"].get("msg_id") != number:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "stream":
                output.stream(content["name"], content["text"])
            elif kind in ("display_data", "update_display_data"):
                identity = content.get("transient", {}).get("display_id")
                update = kind == "update_display_data"
                output.display(content["data"], content.get("metadata", {}), identity, update)
            elif kind == "execute_result":
                data = content["data"]
            elif kind == "error":
                error = content
            elif kind == "status" and content["execution_state"] == "idle":
                idle = True
        # some kernels (tslab) tell an error in the reply only
        reply = self._reply(number)
        if reply.get("status") in ABORTED:
            return None
        if error is None and reply.get("status") == "error":
            said = reply.get("evalue") or "the kernel says no more than what it printed"
            error = {"ename": "Error", "traceback": [], **reply, "evalue": said}
        if error is not None:
            trace = tuple(error["traceback"]) or (f"{error['ename']}: {error['evalue']}",)
            return Result("error", None, error["ename"], error["evalue"], trace)
        return Result("ok", data)

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
                reply = self._client.get_shell_msg(timeout=LOOK_SECONDS)
            except queue.Empty:
                continue
            if reply["parent_header"].get("msg_id") == number:
                return reply["content"]
        return {}
