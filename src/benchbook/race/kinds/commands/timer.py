"""Runs commands when it is asked to, and tells what each run took: `python -I -S timer.py`.

Lines of JSON on its standard input, and one back for each. The first says what there is to run:
{"commands": [COMMAND, …], "limit": seconds after which a run is ended}, where a command is
{"words", "folder", "env" (null for what is not in it), "read" and "write": files of its standard
input and output ("write" may be "pipe": read and thrown away; or "inherit": shown where the
descriptors lead that are this program's arguments), "exit_code": how it must end, null for any way,
"before" and "after": the places in that list of what is run, untimed, before and after each run, or
null}. The answer tells below which peak of memory none can be told.

Each later line asks for rounds of runs: {"rounds": [[[place, offset], …], …], "least", "most": how
many rounds, from the first again where they are fewer, "seconds": after which no other begins once
there are `least`, "numbers": {place: the number that its first run here is told}, "prefix": what
stands before numbers}. `offset` is the length of an environment variable that moves where the stack
begins (Mytkowicz et al. 2009, doi:10.1145/1508244.1508275). The answer: {"runs": {place: [[seconds,
user, system, peak_bytes, exit_code], …]}, "failed": {place: {"place" of what failed, which may be
what is run before or after, "problem", "exit_code", "said"}}}; what is not known is null. What has
failed is not run again until it is asked for again.

It imports next to nothing: on Linux the peak of a new process is at least that of the program which
started it, so this one must be small (about 10 MB).
https://github.com/torvalds/linux/blob/master/fs/exec.c (setmax_mm_hiwater_rss)
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time

TYPE_CHECKING = False  # as of typing, which is not imported
if TYPE_CHECKING:
    from typing import Any

KIB = 1 if sys.platform == "darwin" else 1024  # in which ru_maxrss is told
IGNORED = [getattr(signal, n) for n in ("SIGPIPE", "SIGXFSZ") if hasattr(signal, n)]  # by Python
OFFSET = "HYPERFINE_RANDOMIZED_ENVIRONMENT_OFFSET"  # as those know it whose commands read it
ITERATION = "HYPERFINE_ITERATION"
PIPE, INHERIT = "pipe", "inherit"
SHOWN = [int(each) for each in sys.argv[1:3]]  # the outputs of who started this, where inherited
SAID_BYTES = 4096  # of what a command that failed wrote to its standard error
DIGITS = 7  # of seconds
GRACE_SECONDS = 0.7  # for what runs when this program is to end
Taken = list[float | int | None]  # [seconds, user, system, peak_bytes, exit_code]


class Failed(Exception):
    """A run did not end as it should: (problem, exit code or None)."""


class Runnable:
    """What is run, as the first line has it."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.words: list[str] = told["words"]
        self.folder, self.read, self.write = told["folder"], told["read"], told["write"]
        self.before, self.after, self.wanted = told["before"], told["after"], told["exit_code"]
        own = {k: v for k, v in {**os.environ, **told["env"]}.items() if v is not None}
        self.env = {os.fsencode(name): os.fsencode(value) for name, value in own.items()}
        self.program = self.found(own.get("PATH", os.defpath))

    def found(self, path: str) -> str:
        """Where the program is, as the command's own PATH says; '' where it is not there."""
        name = self.words[0]
        if os.path.dirname(name):
            return name
        for folder in path.split(os.pathsep):
            file = os.path.join(folder, name)
            if os.access(file, os.X_OK) and os.path.isfile(file):
                return file
        return name if sys.platform == "win32" else ""

    def run(self, limit: float, number: str, offset: int = 0) -> Taken:
        """One run. Raises Failed. number: which one it is, '' where it has none."""
        if self.write != INHERIT:  # what other runs said is not this one's
            os.ftruncate(2, 0)
            os.lseek(2, 0, os.SEEK_SET)
        self.env[OFFSET.encode()] = b"X" * offset
        self.env[ITERATION.encode()] = number.encode()
        if not number:
            del self.env[ITERATION.encode()]
        try:
            os.chdir(self.folder)
            taken, late = (run_elsewhere if sys.platform == "win32" else run)(self, limit)
        except OSError as error:
            problem = f"can't be started: {self.words[0]}: {error.strerror or error}"
            raise Failed(problem, None) from None
        if late:
            raise Failed(f"did not end within {limit:g} s", None)
        if self.wanted is not None and taken[-1] != self.wanted:
            raise Failed("", taken[-1])
        return taken


class Current:
    """The process that runs now, 0 for none, with the group that it leads; late: its time was
    over."""

    process, late = 0, False

    def send(self, number: int) -> None:
        try:
            if self.process:
                os.killpg(self.process, number)
        except OSError:  # it has just ended
            pass

    def ring(self, *_: object) -> None:
        """Its time is over."""
        self.late = True
        self.send(signal.SIGKILL)

    def ask_to_end(self, *_: object) -> None:
        """This program is to end: what it runs may tidy up first."""
        self.send(signal.SIGTERM)
        signal.setitimer(signal.ITIMER_REAL, GRACE_SECONDS)
        try:
            os.wait4(self.process, 0)
        except OSError:
            pass
        os._exit(128 + signal.SIGTERM)


NOW = Current()


def run(command: Runnable, limit: float) -> tuple[Taken, bool]:
    """One run, in a process group of its own, and whether it was ended because it took too long.
    Raises OSError where it can't be started."""
    writes = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    files: list[Any] = [(os.POSIX_SPAWN_OPEN, 0, command.read, os.O_RDONLY, 0)]
    ends = os.pipe() if command.write == PIPE else ()
    if ends:
        files.append((os.POSIX_SPAWN_DUP2, ends[1], 1))
    elif command.write == INHERIT:  # this program's own are for its answers
        files += [(os.POSIX_SPAWN_DUP2, SHOWN[0], 1), (os.POSIX_SPAWN_DUP2, SHOWN[1], 2)]
    else:
        files.append((os.POSIX_SPAWN_OPEN, 1, command.write, writes, 0o600))
    NOW.late = False
    began = time.perf_counter()
    try:
        NOW.process = os.posix_spawn(
            command.program,
            command.words,
            command.env,
            file_actions=files,
            setpgroup=0,
            setsigdef=IGNORED,
        )
    except OSError:
        for end in ends:
            os.close(end)
        raise
    signal.setitimer(signal.ITIMER_REAL, limit)
    if ends:
        os.close(ends[1])
        while os.read(ends[0], 1 << 16):
            pass
        os.close(ends[0])
    _, status, used = os.wait4(NOW.process, 0)
    seconds = time.perf_counter() - began
    NOW.process = 0
    signal.setitimer(signal.ITIMER_REAL, 0)
    code = os.waitstatus_to_exitcode(status)
    times = [round(each, DIGITS) for each in (seconds, used.ru_utime, used.ru_stime)]
    return [*times, used.ru_maxrss * KIB, code], NOW.late


def run_elsewhere(command: Runnable, limit: float) -> tuple[Taken, bool]:
    """The same on Windows, where what a process has used can't be asked for when it has ended."""
    import subprocess

    late, code, write = False, -1, command.write
    piped = write == PIPE
    with (
        open(command.read, "rb") as given,
        open(os.devnull if piped or write == INHERIT else write, "wb") as taken,
    ):
        began = time.perf_counter()
        try:
            code = subprocess.run(
                [command.program, *command.words[1:]],
                stdin=given,
                stdout=subprocess.PIPE if piped else taken,
                env={os.fsdecode(k): os.fsdecode(v) for k, v in command.env.items()},
                timeout=limit,
            ).returncode
        except subprocess.TimeoutExpired:
            late = True
        return [round(time.perf_counter() - began, DIGITS), None, None, None, code], late


def said() -> str:
    """The end of what a run wrote to standard error, which is a file."""
    try:
        return os.pread(2, SAID_BYTES, max(0, os.fstat(2).st_size - SAID_BYTES)).decode(
            "utf-8", "replace"
        )
    except (OSError, AttributeError):  # Windows
        return ""


def floor() -> int | None:
    """The peak of this program's memory, in bytes; not by getrusage, which would tell that of the
    program that has started this one."""
    if sys.platform != "linux":
        return None
    with open("/proc/self/status") as status:
        peak = next(line for line in status if line.startswith("VmHWM:"))
    return int(peak.split()[1]) * KIB


def turn(
    commands: list[Runnable],
    place: int,
    offset: int,
    number: str,
    limit: float,
    runs: dict[int, list[Taken]],
    failed: dict[int, dict[str, Any]],
) -> None:
    """One run of a command, with what is run before and after it."""
    each, now = commands[place], place
    try:
        if each.before is not None:
            now = each.before
            commands[now].run(limit, number)
        now = place
        runs.setdefault(place, []).append(each.run(limit, number, offset))
        if each.after is not None:
            now = each.after
            commands[now].run(limit, number)
    except Failed as error:
        problem, code = error.args
        failed[place] = {"place": now, "problem": problem, "exit_code": code, "said": said()}


def answer(commands: list[Runnable], asked: dict[str, Any], limit: float) -> dict[str, Any]:
    """What came of the rounds that a line asks for."""
    runs: dict[int, list[Taken]] = {}
    failed: dict[int, dict[str, Any]] = {}
    rounds, count, began = asked["rounds"], 0, time.perf_counter()
    numbers, prefix = asked.get("numbers", {}), asked.get("prefix", "")
    while count < asked["most"]:
        if count >= asked["least"] and time.perf_counter() - began >= asked["seconds"]:
            break
        for place, offset in rounds[count % len(rounds)]:
            if place not in failed:
                first = numbers.get(str(place))
                number = "" if first is None else f"{prefix}{first + len(runs.get(place, ()))}"
                turn(commands, place, offset, number, limit, runs, failed)
        count += 1
    return {"runs": runs, "failed": failed}


def main() -> None:
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, NOW.ring)
        signal.signal(signal.SIGTERM, NOW.ask_to_end)
    first = json.loads(sys.stdin.readline())
    commands = [Runnable(told) for told in first["commands"]]
    print(json.dumps({"peak_bytes": floor()}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(commands, json.loads(line), first["limit"])), flush=True)


if __name__ == "__main__":
    main()
