"""What the steps of a set-up share: options, log, commands, errors. Standard library only."""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchbook_kernels.base.platforms import WINDOWS, for_this_user


class SetupError(Exception):
    """Set-up cannot go on; the remedy is what to do, in words or as a command."""

    def __init__(self, message: str, remedy: str = ""):
        super().__init__(message)
        self.remedy = remedy


class RouteUnavailable(SetupError):
    """This route does not lead anywhere on this machine; another one may."""


@dataclass(frozen=True)
class Environment:
    """Where Benchbook's Python is, and what must be on PATH beside it."""

    route: str
    python: Path
    why: str
    path: tuple[Path, ...] = ()
    dotnet_root: str = ""


@dataclass
class SetupOptions:
    """What the caller of set-up asked for."""

    route: str = ""  # empty: the route taken before, else the first that works
    yes: bool = False
    with_browser: bool = False
    with_lint: bool = False
    with_tests: bool = False
    git_filter: bool | None = None  # None: as it is
    bundle: str = ""  # a folder that ./bench bundle made; empty: packages come from the network
    verbose: bool = False
    quiet: bool = False


@dataclass
class Setup:
    """One set-up under way: its options, its log and what it has to say at the end."""

    root: Path
    options: SetupOptions
    notes: list[str] = field(default_factory=list)
    lock_fd: int | None = None

    @property
    def state(self) -> Path:
        return self.root / ".benchbook"

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def log(self) -> Path:
        return self.state / "setup.log"

    def say(self, text: str) -> None:
        if not self.options.quiet:
            print(text, file=sys.stderr, flush=True)

    def write_log(self, text: str) -> None:
        with self.log.open("a", encoding="utf-8") as log:
            log.write(text.rstrip("\n") + "\n")

    @contextlib.contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Show what is being done, and how long it took; on a terminal the seconds run."""
        self.write_log(f"\n== {title}")
        start = time.monotonic()
        running = sys.stderr.isatty() and not self.options.quiet and not self.options.verbose
        done = threading.Event()

        def tick() -> None:
            while not done.wait(1):
                seconds = time.monotonic() - start
                print(f"\r  {title} … {seconds:.0f} s", end="", file=sys.stderr, flush=True)

        if running:
            print(f"  {title} …", end="", file=sys.stderr, flush=True)
            ticker = threading.Thread(target=tick, daemon=True)
            ticker.start()
        else:
            self.say(f"  {title} …")
        outcome = "failed"
        try:
            yield
            outcome = "done"
        finally:
            seconds = time.monotonic() - start
            self.write_log(f"== {title}: {outcome} after {seconds:.1f} s")
            if running:
                done.set()
                ticker.join()
                print(f"\r  {title} … {outcome}, {seconds:.0f} s", file=sys.stderr, flush=True)
            elif outcome == "done" and seconds >= 1:
                self.say(f"  {title}: done, {seconds:.0f} s")

    def run(
        self,
        command: Sequence[str | Path],
        *,
        remedy: str = "",
        timeout: float = 1800,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
        check: bool = True,
        own_group: bool = False,
        stdin: int | None = subprocess.DEVNULL,
        hold_lock: bool = True,
    ) -> int:
        """Run a command with its output in the log; returns its exit code.

        The command inherits the set-up lock: should this process be killed, the next set-up waits
        until what it started has ended, instead of working on the same folder beside it.
        own_group keeps Ctrl-C from reaching it directly (dpkg must not be stopped half-way).
        Raises SetupError where it can't be started or takes too long, and, with `check`, where it
        fails: the message has the last lines of its output.
        """
        words = [str(word) for word in command]
        self.write_log(f"$ {shlex.join(words)}")
        began = self.log.stat().st_size
        inherited = () if WINDOWS or not hold_lock or self.lock_fd is None else (self.lock_fd,)
        with self.log.open("ab") as log, held_signals() as pending:
            try:
                process = subprocess.Popen(
                    words,
                    stdin=stdin,
                    stdout=sys.stderr if self.options.verbose else log,
                    stderr=sys.stderr if self.options.verbose else log,
                    env=env,
                    cwd=cwd,
                    process_group=0 if own_group and not WINDOWS else None,
                    pass_fds=inherited,
                )
            except OSError as error:
                raise SetupError(f"{words[0]} cannot be started: {error}", remedy) from error
        try:
            code = self.wait(process, timeout, own_group, bool(pending))
        except subprocess.TimeoutExpired:
            raise SetupError(f"{shlex.join(words)} took over {timeout:.0f} s", remedy) from None
        if code and check:
            where = "" if self.options.verbose else f"\n{self.last_logged(began)}"
            raise SetupError(f"{shlex.join(words)} failed with exit code {code}{where}", remedy)
        return code

    def wait(
        self, process: subprocess.Popen[bytes], timeout: float, own_group: bool, ending: bool
    ) -> int:
        """A command's exit code; it is ended where time is up, or this process is ending, too."""
        patience = 5 if WINDOWS else 300 if own_group else 10
        try:
            if ending:
                raise KeyboardInterrupt
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            stop(process, patience)
            raise
        except BaseException:
            if own_group:
                self.say("\n  stopping; waiting until the package in hand is finished …")
            stop(process, patience)
            raise

    def last_logged(self, began: int) -> str:
        """The end of what the log has from a position on, indented to stand out."""
        with self.log.open("rb") as log:
            log.seek(began)
            return last_lines(log.read().decode("utf-8", "replace"))


@contextlib.contextmanager
def held_signals() -> Iterator[list[int]]:
    """Collect Ctrl-C and SIGTERM while a command starts, so that none is started and then lost."""
    pending: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: pending.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield pending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def stop(process: subprocess.Popen[bytes], patience_seconds: float) -> None:
    """End a command that we started: politely first."""
    polite = signal.SIGTERM if WINDOWS else signal.SIGINT
    for number, seconds in ((polite, patience_seconds), (signal.SIGTERM, 5)):
        with contextlib.suppress(OSError):
            process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            process.wait(seconds)
            return
    process.kill()
    process.wait()


def last_lines(text: str, count: int = 12) -> str:
    """The end of a command's output, without empty lines, indented to stand out."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    return "\n".join(f"    {line}" for line in lines[-count:])


def to_write_there(error: OSError, place: Path) -> str:
    """What to do where a folder cannot be written."""
    if error.errno == errno.EROFS:
        return f"{place} is on a file system that is read-only: copy Benchbook to another"
    if error.errno == errno.ENOSPC:
        return f"the disk of {place} is full: make room on it"
    return for_this_user(f"sudo chown -R $(id -un) {shlex.quote(str(place))}")


def search_path(environment: Environment) -> str:
    """PATH as it will be when Benchbook runs."""
    return os.pathsep.join([*map(str, environment.path), os.environ.get("PATH", "")])
