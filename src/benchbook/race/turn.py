"""One race of a machine at a time: who races holds a lock, others wait and are told for whom.

The lock is a file in the user's cache folder, one for each start of a machine, because that folder
may be shared by several machines. So all checkouts and kernels of a user take turns, and so do
containers of one machine that share the folder: they share its CPUs, whatever network they see.
The system lets go of the lock when its holder ends, however it ends. Who holds it stands in a file
beside it, which is read only while the lock is held, and believed only of a process that is alive.
"""

import contextlib
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, code_after
from benchbook_kernels.base.files import try_lock, write_atomically
from benchbook_kernels.base.words import duration

VARIABLE = "BENCHBOOK_TURN"  # names another file for the lock
NOTEBOOK = "BENCHBOOK_NOTEBOOK"  # the notebook that a kernel runs, told by who starts it
JUPYTER = "JPY_SESSION_NAME"  # the same, as Jupyter's server tells its kernels
BOOT = Path("/proc/sys/kernel/random/boot_id")
LOOK_SECONDS = 0.5  # between two looks whether the lock is free
TELL_SECONDS = 5.0  # between two estimates that the holder writes
CALM_SECONDS = 60.0  # between two lines where none can be drawn over
OLD_SECONDS = 30 * 24 * 3600.0  # locks of earlier starts that are removed
ANOTHER = "another race"

Say = Callable[[str], None]


class StoppedWaiting(BenchError):
    """The reader didn't want to wait for another race; exit code as of what a signal ended."""

    def __init__(self, problem: str, interrupt: KeyboardInterrupt) -> None:
        super().__init__(problem)
        self.interrupt = interrupt
        self.exit_code = code_after(interrupt)


@dataclass(frozen=True)
class Holder:
    """Who races: what, as words; pid and started (of psutil): the process; since and until: by
    time.time(), the latter about, None where it is not known."""

    what: str
    pid: int
    started: float
    since: float
    until: float | None = None

    @property
    def alive(self) -> bool:
        """Is the process still there? An id may be another one's by now."""
        try:
            return bool(abs(psutil.Process(self.pid).create_time() - self.started) < 1)
        except psutil.Error:
            return False

    def text(self, now: float) -> str:
        """Who it is, since when, and for how long."""
        told = [f"process {self.pid}", f"for {duration(now - self.since)}"]
        if self.until is not None:
            left = self.until - now
            told.append(f"about {duration(left)} left" if left > 0 else "longer than planned")
        return f"{self.what} ({', '.join(told)})"


@dataclass
class Turn:
    """The right to race. beside: another race goes on (--anyway), so nothing is held."""

    what: str
    path: Path | None = None
    beside: bool = False
    since: float = 0.0
    told: float = 0.0

    def expect(self, seconds_left: float) -> None:
        """Tell those who wait how long this will still take, about; not too often."""
        if self.path and time.monotonic() - self.told > TELL_SECONDS:
            self.told = time.monotonic()
            self.write(time.time() + seconds_left)

    def write(self, until: float | None = None) -> None:
        if self.path:
            started = psutil.Process().create_time()
            holder = Holder(self.what, os.getpid(), started, self.since, until)
            with contextlib.suppress(OSError):  # a full disk: others wait without knowing for whom
                write_atomically(about(self.path), json.dumps(asdict(holder)))


mine: list[Turn] = []  # what this process holds: a race within a selfcheck waits for nobody


@contextlib.contextmanager
def taken(what: str, wait: Say, anyway: bool | None = None) -> Iterator[Turn]:
    """While this lasts nobody else of this user races on this machine.

    what: is raced, for others to read; wait: told, again and again, for whom one waits, and '' when
    that is over; anyway: don't wait, None where the reader has no such option.
    Raises StoppedWaiting where an interrupt comes meanwhile.
    """
    if mine:
        yield mine[-1]
        return
    with contextlib.ExitStack() as stack:
        path, descriptor, held = opened(stack)
        if path and not held and not anyway:
            hint = "" if anyway is None else "; --anyway starts at once, and disturbs both"
            await_lock(path, descriptor, wait, hint)
            held = True
        turn = Turn(f"{where()}, {what}", path if held else None, not held, time.time())
        turn.write()
        mine.append(turn)
        try:
            yield turn
        finally:
            mine.remove(turn)
            if turn.path:
                about(turn.path).unlink(missing_ok=True)


def await_lock(path: Path, descriptor: int, wait: Say, hint: str) -> None:
    """Until the lock is ours. Raises StoppedWaiting."""
    who = ANOTHER
    try:
        while not try_lock(descriptor):
            holder = read(path)
            who = holder.text(time.time()) if holder else ANOTHER
            wait(f"waiting for {who}{hint}")
            time.sleep(LOOK_SECONDS)
    except KeyboardInterrupt as interrupt:
        problem = f"stopped waiting for {who}: nothing was raced"
        raise StoppedWaiting(problem, interrupt) from None
    finally:
        wait("")


def expect(seconds_left: float) -> None:
    """Tell those who wait how long what this process races will still take, about."""
    if mine:
        mine[-1].expect(seconds_left)


def read(path: Path) -> Holder | None:
    """Who holds a lock that is held; None where that is not known: it has just been taken, or what
    stands there is of one that was killed."""
    try:
        found = Holder(**json.loads(about(path).read_text(encoding="utf-8")))
        return found if found.alive else None
    except (OSError, ValueError, TypeError):
        return None


def holder() -> Holder | None:
    """Who races on this machine now, as far as that is known; None where nobody does."""
    return next(filter(None, map(read, places())), None)


def where() -> str:
    """Where this process races: in a notebook, or by a command."""
    if notebook := os.environ.get(NOTEBOOK) or os.environ.get(JUPYTER):
        return f"notebook {Path(notebook).stem}"
    if "ipykernel" in sys.modules:
        return "a notebook"
    return paths.typed(" ".join(["./bench", *sys.argv[1:3]]))


def calmly(say: Say) -> Say:
    """Passes on what is to be read in a log: the first line, and one a minute."""
    last = -CALM_SECONDS

    def told(text: str) -> None:
        nonlocal last
        if text and time.monotonic() - last >= CALM_SECONDS:
            last = time.monotonic()
            say(text)

    return told


# ── The file ─────────────────────────────────────────────────────────────────────────────────────


def opened(stack: contextlib.ExitStack) -> tuple[Path | None, int, bool]:
    """The lock's file, its descriptor, open until the stack ends, and whether the lock is ours now.

    None where there is no place for such a file: then nobody waits. Children don't inherit the
    descriptor, so that the lock ends with this process.
    """
    for path in places():
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
            stack.callback(os.close, descriptor)
            held = try_lock(descriptor)
            os.utime(path)
        except OSError:
            continue
        remove_old(path)
        return path, descriptor, held
    return None, -1, True


def places() -> Iterator[Path]:
    """Where the lock may be, the usual place first."""
    if given := os.environ.get(VARIABLE):
        yield Path(given)
        return
    name = f"race-{machine()}.lock"
    with contextlib.suppress(RuntimeError):  # a user without a home
        yield paths.cache() / "benchbook" / name
    user = os.getuid() if hasattr(os, "getuid") else "user"
    yield Path(tempfile.gettempdir(), f"benchbook-{user}", name)


def machine() -> str:
    """This machine since it was started; where that can't be told, its name."""
    try:
        return BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return platform.node() or "machine"


def about(path: Path) -> Path:
    """The file that says who holds a lock."""
    return path.with_suffix(".json")


def remove_old(path: Path) -> None:
    """Remove the locks of starts of a machine that nobody has raced in for a month."""
    if os.environ.get(VARIABLE):
        return
    for each in path.parent.glob("race-*"):
        with contextlib.suppress(OSError):
            if each != path and time.time() - each.stat().st_mtime > OLD_SECONDS:
                each.unlink()
