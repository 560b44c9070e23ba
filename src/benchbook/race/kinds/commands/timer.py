"""Runs a command each time that it is asked to: `python -I -S timer.py INPUT COMMAND …`.

INPUT: the file for the command's standard input. A line "SECONDS FILE" on this program's own
standard input asks for a run that is ended after so long, and names the file for its output. For
each a line of JSON tells what it took: {"seconds", "user", "system", "peak_bytes", "exit_code",
"late"}; what is not known is null. The first line tells below which peak none can be told.

It imports next to nothing: on Linux the peak of a new process is at least that of the program which
started it, so this one must be small (about 10 MB).
https://github.com/torvalds/linux/blob/master/fs/exec.c (setmax_mm_hiwater_rss)
"""

import os
import signal
import sys
import time

KIB = 1 if sys.platform == "darwin" else 1024  # in which ru_maxrss is told
IGNORED = [getattr(signal, n) for n in ("SIGPIPE", "SIGXFSZ") if hasattr(signal, n)]  # by Python


def run(command: list[str], read: str, write: str, limit: float) -> str:
    """One run. Raises OSError where it can't be started."""
    if sys.platform == "win32":
        return run_elsewhere(command, read, write, limit)
    files = [
        (os.POSIX_SPAWN_OPEN, 0, read, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, write, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    ]
    began = time.perf_counter()
    process = os.posix_spawnp(
        command[0], command, os.environ, file_actions=files, setsigdef=IGNORED
    )

    late = False

    def end(*_: object) -> None:
        nonlocal late
        late = True
        os.kill(process, signal.SIGKILL)

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, limit)
    _, status, used = os.wait4(process, 0)
    seconds = time.perf_counter() - began
    signal.setitimer(signal.ITIMER_REAL, 0)
    code = os.waitstatus_to_exitcode(status)
    return told(seconds, code, used.ru_utime, used.ru_stime, used.ru_maxrss * KIB, late)


def run_elsewhere(command: list[str], read: str, write: str, limit: float) -> str:
    """The same on Windows, where what a process has used can't be asked for when it has ended."""
    import subprocess

    late = False
    with open(read, "rb") as given, open(write, "wb") as taken:
        began = time.perf_counter()
        try:
            code = subprocess.run(command, stdin=given, stdout=taken, timeout=limit).returncode
        except subprocess.TimeoutExpired:
            code, late = -1, True
        return told(time.perf_counter() - began, code, "null", "null", "null", late)


def told(
    seconds: float,
    code: int,
    user: float | str,
    system: float | str,
    peak: int | str,
    late: bool,
) -> str:
    return (
        f'{{"seconds": {seconds}, "user": {user}, "system": {system}, "peak_bytes": {peak}, '
        f'"exit_code": {code}, "late": {str(late).lower()}}}'
    )


def floor() -> int | str:
    """The peak of this program's memory, in bytes; not by getrusage, which would tell that of the
    program that has started this one."""
    if sys.platform != "linux":
        return "null"
    with open("/proc/self/status") as status:
        peak = next(line for line in status if line.startswith("VmHWM:"))
    return int(peak.split()[1]) * KIB


def main() -> None:
    read, command = sys.argv[1], sys.argv[2:]
    print(f'{{"peak_bytes": {floor()}}}', flush=True)
    for line in sys.stdin:
        limit, _, write = line.rstrip("\n").partition(" ")
        print(run(command, read, write, float(limit)), flush=True)


if __name__ == "__main__":
    main()
