"""What the steps of a set-up share: options, log, commands, errors. Standard library only."""

from __future__ import annotations

import contextlib
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

WINDOWS = sys.platform == "win32"


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
class Options:
    """What the caller of set-up asked for."""

    route: str = ""  # empty: the route taken before, else the first that works
    yes: bool = False
    with_browser: bool = False
    with_lint: bool = False
    with_tests: bool = False
    bundle: str = ""  # a folder that ./bench bundle made; empty: packages come from the network
    verbose: bool = False
    quiet: bool = False


@dataclass
class Setup:
    """One set-up under way: its options, its log and what it has to say at the end."""

    root: Path
    options: Options
    notes: list[str] = field(default_factory=list)
    lock_fd: int | None = None

    @property
    def state(self) -> Path:
        return self.root / ".benchbook"

    @property
    def venv(self) -> Path:
        return self.state / "venv"

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
        """Run a command with its output in the log; a failure shows the last lines of it.

        The command inherits the set-up lock: should this process be killed, the next set-up waits
        until what it started has ended, instead of working on the same folder beside it.
        own_group keeps Ctrl-C from reaching it directly (dpkg must not be stopped half-way).
        """
        words = [str(word) for word in command]
        self.write_log(f"$ {shlex.join(words)}")
        began = self.log.stat().st_size
        options: dict[str, object] = {}
        if not WINDOWS:
            options["process_group"] = 0 if own_group else None
            if hold_lock and self.lock_fd is not None:
                options["pass_fds"] = (self.lock_fd,)
        with self.log.open("ab") as log:
            output = None if self.options.verbose else log
            try:
                with held_signals() as pending:
                    process = subprocess.Popen(
                        words,
                        stdin=stdin,
                        stdout=sys.stderr if output is None else output,
                        stderr=sys.stderr if output is None else output,
                        env=env,
                        cwd=cwd,
                        **options,  # type: ignore[call-overload]
                    )
            except OSError as error:
                raise SetupError(f"{words[0]} cannot be started: {error}", remedy) from error
            patience = (300 if own_group else 10) if not WINDOWS else 5
            try:
                if pending:
                    raise KeyboardInterrupt
                code = process.wait(timeout)
            except subprocess.TimeoutExpired:
                stop(process, patience)
                raise SetupError(f"{shlex.join(words)} took over {timeout:.0f} s", remedy) from None
            except BaseException:
                if own_group:
                    self.say("\n  stopping; waiting until the package in hand is finished …")
                stop(process, patience)
                raise
        if code and check:
            with self.log.open("rb") as log:
                log.seek(began)
                tail = last_lines(log.read().decode("utf-8", "replace"))
            where = "" if self.options.verbose else f"\n{tail}"
            raise SetupError(f"{shlex.join(words)} failed with exit code {code}{where}", remedy)
        return code


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


def output_of(command: Sequence[str | Path], timeout: float = 20) -> str | None:
    """What a command prints, or None where it is missing, fails or hangs."""
    try:
        done = subprocess.run(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def major(version: str | None) -> int:
    """The major number of a version such as v20.11.0; 0 where there is none."""
    digits = (version or "").strip().lstrip("v").split(".")[0]
    return int(digits) if digits.isdigit() else 0


def write_atomically(path: Path, text: str) -> None:
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)
