"""Execute a notebook headlessly: its own kernel, one cell after the other, and a clean end.

The notebook is read and never written to; what comes out is a copy with its outputs. However this
ends (an error, a dead kernel, Ctrl-C), the kernel's process ends with it.
"""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, TypeVar

import nbformat
from jupyter_client.kernelspec import NoSuchKernel
from nbclient.client import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbformat import NotebookNode

from benchbook.notebook.headless.pace import in_words
from benchbook.race import turn
from benchbook.show.executed import Executed
from benchbook.system import kernels, paths
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.untrusted import AGAIN, read_json
from benchbook_kernels.notebook.interactive.documents import joined

T = TypeVar("T")
untyped: Any = nbformat  # which has no types

INTERRUPT_SECONDS = 10.0  # for a cell to end by itself after Ctrl-C, and to save what it has
STARTUP_SECONDS = 60
TICK_SECONDS = 1.0
LOG_SECONDS = 10.0
DIED = "the kernel died"


# Told at the start of every code cell: its number, how many there are.
Tell = Callable[[int, int], None]


class RunInterrupted(Exception):
    """A signal asked us to end; what was executed so far is in `executed`."""

    def __init__(self, number: int, executed: Executed):
        super().__init__(signal.Signals(number).name)
        self.number = number
        self.executed = executed


def read(path: Path) -> NotebookNode:
    """A notebook, as nbformat 4 has them. Raises InputError for a file that is none."""
    where = paths.relative(path)
    document = read_json(path, where)
    if not isinstance(document, dict) or document.get("nbformat") != 4:
        remedy = "open it in JupyterLab and save it there"
        raise InputError(where, "nbformat", "is not 4: no notebook, or one of long ago", remedy)
    try:
        for cell in document["cells"]:
            cell["source"] = joined(cell["source"])
        untyped.validate(document)
        notebook: NotebookNode = untyped.v4.nbjson.JSONReader().to_notebook(document)
    except Exception as error:  # it repairs before it validates, and trips over what isn't there
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(where, "", f"is not a notebook: {why}", AGAIN) from None
    return notebook


def execute(path: Path, env: Mapping[str, str], tell: Tell) -> Executed:
    """Run all cells in the notebook's own kernel; the first that fails is the last.

    `env` is added to the kernel's environment. Raises InputError for a file that is no notebook,
    RunInterrupted on Ctrl-C (SIGINT) and SIGTERM, once the kernel has ended.
    """
    executed = Executed(path, cleared(read(path)))
    started = time.monotonic()
    try:
        named = {turn.NOTEBOOK: path.stem}
        asyncio.run(run_cells(executed, {**os.environ, **named, **env}, tell))
    except KeyboardInterrupt:  # Ctrl-C on Windows, where an event loop hears no signals
        executed.error = executed.error or "interrupted"
        raise RunInterrupted(signal.SIGINT, executed) from None
    finally:
        executed.seconds = time.monotonic() - started
    return executed


def to_run(notebook: NotebookNode) -> list[tuple[int, NotebookNode]]:
    """(index, cell) of the cells that run: code that is not empty."""
    return [
        (index, cell)
        for index, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and cell.source.strip()
    ]


def ids(path: Path) -> list[str]:
    """The ids of the cells that will run, '' for one without; none of a file that is no notebook,
    which `execute` says."""
    try:
        return [cell.get("id", "") for _, cell in to_run(read(path))]
    except InputError:
        return []


def cleared(notebook: NotebookNode) -> NotebookNode:
    """The notebook without outputs: what is shown was executed now."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


async def run_cells(executed: Executed, env: Mapping[str, str], tell: Tell) -> None:
    asked = SignalWatcher()
    asked.listen()
    client = NotebookClient(
        executed.notebook,
        timeout=None,
        startup_timeout=STARTUP_SECONDS,
        resources={"metadata": {"path": str(executed.path.parent)}},
    )
    kernel = client.create_kernel_manager()
    # the log: what the kernel itself says, its cells' output apart
    with tempfile.TemporaryFile() as log, kernels.private_address(kernel):
        try:
            if await asked.during(start(client, executed, env, log), kernel):
                await cells(client, executed, tell, asked, kernel)
        finally:
            await stop(client, kernel)
            asked.forget()
        if DIED in executed.error:
            executed.error += last_words(log)
    if asked.number:
        raise RunInterrupted(asked.number, executed)


async def start(
    client: NotebookClient, executed: Executed, env: Mapping[str, str], log: IO[bytes]
) -> bool:
    """Start the kernel; False, and executed.error, where that fails."""
    name = client.kernel_name or "python3"
    try:
        await client.async_start_new_kernel(env=dict(env), stdout=log, stderr=log)
        await client.async_start_new_kernel_client()
        started: Any = client.kc
        reply = await started.kernel_info(reply=True, timeout=STARTUP_SECONDS)
        executed.notebook.metadata["language_info"] = reply["content"]["language_info"]
        return True
    except NoSuchKernel:
        remedy = paths.typed("./bench setup")
        executed.error = f"its kernel '{name}' is not installed\n  → {remedy}"
    except (RuntimeError, OSError, TimeoutError) as error:
        executed.error = f"its kernel '{name}' did not start ({error}): {DIED}"
    return False


async def cells(
    client: NotebookClient, executed: Executed, tell: Tell, asked: "SignalWatcher", kernel: Any
) -> None:
    code = to_run(executed.notebook)
    for number, (index, cell) in enumerate(code, 1):
        tell(number, len(code))
        where = f"code cell {number} of {len(code)}"
        try:
            with reporting(tell, cell):
                await asked.during(client.async_execute_cell(cell, index), kernel)
            executed.done = number
        except CellExecutionError as error:
            executed.error = f"{where}: {one_line(error)}\n{indented(first_line(cell.source))}"
        except DeadKernelError:
            executed.error = f"{where}: {DIED}\n{indented(first_line(cell.source))}"
        if asked.number:
            executed.error = f"{where}: interrupted"
        if executed.error:
            return


@contextlib.contextmanager
def reporting(tell: Tell, cell: NotebookNode) -> Iterator[None]:
    """While a cell runs, show again and again what it shows: how far its race is."""

    async def tick(progress: NotebookProgress) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            progress.tick(doing(cell))

    ticker = asyncio.ensure_future(tick(tell)) if isinstance(tell, NotebookProgress) else None
    try:
        yield
    finally:
        if ticker:
            ticker.cancel()


def doing(cell: NotebookNode) -> str:
    """The line that a race shows of itself, 12/48 launch 1 of 3 …; '' where none is going on."""
    for output in reversed(cell.outputs):
        text = str(output.get("data", {}).get("text/plain", ""))
        if found := re.search(r"^\d+/\d+ .* left$", text, re.MULTILINE):
            return found[0]
    return ""


def last_words(log: IO[bytes]) -> str:
    """The end of what a dead kernel said, and what to do."""
    log.seek(0)
    lines = log.read().decode("utf-8", "replace").strip().splitlines()[-5:]
    said = "".join(f"\n    {line}" for line in lines)
    return (
        f"{said}\n  → is memory short (./bench doctor)? A cell that ends its process does it, too"
    )


def one_line(error: CellExecutionError) -> str:
    """The error's name and message, without the code and traceback around it."""
    name, value = getattr(error, "ename", ""), getattr(error, "evalue", "")
    text = f"{name}: {value}" if name else str(error).strip().splitlines()[-1]
    return text.strip().splitlines()[0]


def first_line(source: str) -> str:
    return source.strip().splitlines()[0]


def indented(text: str) -> str:
    return f"    {text}"


class SignalWatcher:
    """Hears SIGINT and SIGTERM while a notebook runs, and lets the kernel end in peace."""

    def __init__(self) -> None:
        self.number = 0
        self.event = asyncio.Event()

    def listen(self) -> None:
        loop = asyncio.get_running_loop()
        with contextlib.suppress(NotImplementedError):  # Windows: Ctrl-C cancels the main task
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, self.hear, number)

    def forget(self) -> None:
        loop = asyncio.get_running_loop()
        with contextlib.suppress(NotImplementedError):
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)

    def hear(self, number: int) -> None:
        self.number = self.number or number
        self.event.set()

    async def during(self, work: Coroutine[Any, Any, T], kernel: Any) -> T | None:
        """Await `work`; on a signal interrupt the kernel and give the work a moment to end."""
        task = asyncio.ensure_future(work)
        heard = asyncio.ensure_future(self.event.wait())
        try:
            await asyncio.wait({task, heard}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            if kernel.has_kernel:
                await kernel.interrupt_kernel()
            await asyncio.wait({task}, timeout=INTERRUPT_SECONDS)
            return None
        finally:
            heard.cancel()
            if not task.done():
                task.cancel()
            with contextlib.suppress(Exception, asyncio.CancelledError):
                if self.number:
                    await task


async def stop(client: NotebookClient, kernel: Any) -> None:
    """End the kernel: asked first, killed if it does not answer."""
    if kernel.has_kernel:
        # A kernel that died, or never started, has nothing left to shut down.
        with contextlib.suppress(RuntimeError):
            await kernel.shutdown_kernel(now=not await kernel.is_alive())
    with contextlib.suppress(Exception):
        await kernel.cleanup_resources()
    if client.kc is not None:
        client.kc.stop_channels()


class NotebookProgress:
    """Where a notebook is, on stderr: one line that updates, or one line a cell in a log."""

    def __init__(self, name: str, place: str, left: Callable[[int], float] | None = None):
        """left: seconds that all of it still takes when the cell at this index begins, or None."""
        self.name = name
        self.place = place
        self.left = left
        self.started = time.monotonic()
        self.tty = sys.stderr.isatty()
        self.cell, self.rest = "", 0.0  # the one that runs; what was left when it began
        self.cell_began = self.started
        self.shown_at = 0.0

    def __call__(self, number: int, total: int) -> None:
        self.cell, self.cell_began = f"cell {number} of {total}", time.monotonic()
        self.rest = self.left(number - 1) if self.left else 0.0
        self.show("")

    def tick(self, doing: str) -> None:
        """The cell goes on; doing: what it says of itself. In a log that is a line in ten seconds,
        and only where it says something."""
        if self.tty or doing and time.monotonic() - self.shown_at > LOG_SECONDS:
            self.show(doing)

    def show(self, doing: str) -> None:
        now = self.shown_at = time.monotonic()
        rest = max(0.0, self.rest - (now - self.cell_began))
        left = f", {in_words(rest)} left" if self.left else ""
        more = f"; {doing}" if doing else ""
        line = f"{self.place} {self.name}: {self.cell}, {self.elapsed()}{left}{more}"
        # a line that is wider than the terminal could not be drawn over
        self.write(line[: shutil.get_terminal_size().columns - 1] if self.tty else line)

    def elapsed(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self.started), 60)
        return f"{minutes}:{seconds:02} elapsed"

    def end(self, text: str) -> None:
        self.write(f"{text}\n" if self.tty else text)

    def write(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}" if self.tty else f"{text}\n")
        sys.stderr.flush()
