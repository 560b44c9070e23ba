""".NET: methods by the runtime's own events (EventPipe), samples by perf where Linux allows that.

The collector in eventpipe/ opens a session of the runtime for the window. Two things can sample
beside it:

- `perf record`, by the clock of the CPUs or of each thread's CPU time. It sees the kernel and the
  runtime, which are most of a small server's time, and waiting threads give no samples. How often:
  perf.py. A planted method of 2.0 µs in a Kestrel handler read 1.72 µs (95 %: 1.16 to 2.27) in four
  launches, on a machine with four times as many runnable threads as CPUs;
- the runtime's own sampler. It stops all threads once in a millisecond, counts those that wait
  (13,600 of 14,200 samples of a server that was busy), and finds a running one only where it can
  stop: of a method that took all time of a program it told 48 % of the samples in one run and 1 %
  in another, the rest of what called it. Waiting is left out by the names of what waits, and each
  thread's samples count as much as its CPU time; which method it was stays doubtful.
  So it is used only where perf is missing or not allowed, and the reader is told.

The names of methods that the compiler put into others come from the program itself: it writes, from
its start on, what is inlined where (JittedMethodRichDebugInfo), since the runtime tells that only
when it compiles a method.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import psutil

from benchbook.model.profiles.profile import COLLECTOR, Frame, Profile
from benchbook.model.variants import Variant
from benchbook.profiling import trimming
from benchbook.profiling.profiler import ProfiledStart, ProfilerError, nothing
from benchbook.profiling.profilers import dotnet_samples, perf
from benchbook.programs import runners
from benchbook.system import paths
from benchbook_kernels.base import builds, dotnet
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.processes import Keeper

PROJECT = paths.PACKAGE / "profiling" / "profilers" / "eventpipe" / "benchbook-eventpipe.csproj"
# In the program's folder: what a process compiled, since its start; the runtime knows {pid}, too.
COMPILED = "compiled-{pid}.nettrace"
# The runtime's keywords Jit and JittedMethodRichDebugInfo, and how much is told (5: verbose):
# https://learn.microsoft.com/dotnet/core/diagnostics/eventpipe#trace-using-environment-variables
EVENTS = "Microsoft-Windows-DotNETRuntime:10:5,Microsoft-Windows-DotNETRuntimePrivate:40000:5"
BUFFER_MB = "8"
OFF = ("DOTNET_EnableDiagnostics", "DOTNET_EnableDiagnostics_IPC")
ENDED = b'"event":"ended"'  # what the collector prints when its window is over
SLICES = "Benchbook.Micro.Slices.Loops.Calling"  # of race/kinds/functions/Slices.cs
PATIENCE_SECONDS = 90.0  # for all around the window, on a busy machine
SOCKET_SECONDS = 5.0
LOOK_SECONDS = 0.05
PERF, RUNTIME = "perf", "eventpipe"


class DotnetProfiler:
    """All threads of a process are sampled: a server's requests are answered by many."""

    name = ".NET"
    main_thread_only = False
    usual_interval_us = 1000.0

    def runs(self, variant: Variant) -> bool:
        if variant.executable or not isinstance(runners.of(variant), runners.Dotnet):
            return False
        return not any(need.startswith("mono:") for need in variant.needs)

    def lacks(self, variant: Variant) -> str:
        if reason := runners.of(variant).missing():
            return reason
        for name in OFF:
            if {**os.environ, **variant.env}.get(name) == "0":
                return f"its diagnostics are turned off: {name} is 0"
        if variant.publish:
            out = runners.built_in(variant) / "out"
            if out.is_dir() and not (out / f"{variant.path.stem}.dll").is_file():
                return "it is a native program (PublishAot), which has no events of its methods"
        return ""

    def prepare(self, start: ProfiledStart, folder: Path, interval_us: float) -> ProfiledStart:
        library()  # so that nothing is built or tried beside the load
        perf.samples(), perf.samples_cpus()
        (folder / "interval.txt").write_text(f"{interval_us:g}", encoding="ascii")
        own = {
            "DOTNET_RichDebugInfo": "1",
            "DOTNET_TrackDynamicMethodDebugInfo": "1",  # what is compiled at run time, too
            "DOTNET_EnableEventPipe": "1",
            "DOTNET_EventPipeConfig": EVENTS,
            "DOTNET_EventPipeOutputPath": str(folder / COMPILED),
            "DOTNET_EventPipeOutputStreaming": "1",
            "DOTNET_EventPipeCircularMB": BUFFER_MB,
        }
        return ProfiledStart(start.words, {**start.env, **own})

    def collect(
        self,
        pid: int,
        seconds: float,
        folder: Path,
        cpus: Sequence[int] | None,
        recorded: Callable[[], None] = nothing,
    ) -> Profile:
        interval_us = float((folder / "interval.txt").read_text(encoding="ascii"))
        sampler, asked_us = (PERF if perf.samples() else RUNTIME), interval_us
        if sampler == PERF:
            interval_us = perf.interval_us(asked_us)
        asked = {"sampler": sampler, "intervalMicroseconds": round(interval_us)}
        report = record(pid, seconds, folder, cpus, asked, recorded)
        profile = dotnet_samples.profile(report, interval_us)
        if sampler == PERF and interval_us > asked_us:
            profile.messages.append(
                f"a sample every {interval_us / 1000:g} ms, not {asked_us / 1000:g}: with more, "
                "perf would cost the program more than a tenth of its CPU time"
            )
        return profile

    def of_calls(self, profile: Profile) -> Profile:
        return trimming.to_calls(profile, makes_calls, lambda frame: frame.layer == COLLECTOR)


def makes_calls(frame: Frame) -> bool:
    """Is it a loop of Slices.cs that makes the calls?"""
    return frame.function.startswith(SLICES)


def record(
    pid: int,
    seconds: float,
    folder: Path,
    cpus: Sequence[int] | None,
    asked: dict[str, object],
    recorded: Callable[[], None] = nothing,
) -> dict[str, Any]:
    """What the collector found in a window: see Report.cs. asked: of Request in Program.cs, what is
    not the same for all; recorded: called when the window is over. Raises ProfilerError."""
    process, sockets = reached(pid)
    made = Path(tempfile.mkdtemp(dir=folder))
    by_cpu = asked["sampler"] == PERF and perf.samples_cpus()
    out = made / "report.json"
    request = {
        "pid": process,
        "sockets": sockets,
        "seconds": seconds,
        "asked": time.time(),
        "compiled": str(folder / COMPILED.format(pid=process)),
        "folder": str(made),
        "out": str(out),
        "cpus": cpus_of(process) if by_cpu else "",
        **asked,
    }
    try:
        run(["dotnet", str(library()), json.dumps(request)], seconds, cpus, recorded)
        found: dict[str, Any] = json.loads(out.read_bytes())
    except ValueError as error:
        raise ProfilerError(f"gave a profile that can't be read: {error}") from None
    except OSError as error:
        raise ProfilerError(f"gave no profile: {error.strerror}", f"see {folder}") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return found


def run(
    command: Sequence[str],
    seconds: float,
    cpus: Sequence[int] | None,
    recorded: Callable[[], None],
) -> None:
    """Run the collector to its end; it ends, with its perf, when its standard input does, which we
    keep open. Raises ProfilerError with what it said."""
    with Keeper() as keeper, tempfile.TemporaryFile() as said:
        process = keeper.start(
            command,
            env={"DOTNET_EnableDiagnostics": "0"},  # it leaves no socket of its own
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            cpus=cpus,
        )
        threading.Thread(target=listen, args=(process.stdout, recorded), daemon=True).start()
        try:
            code = process.wait(seconds + PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            problem = f"gave no profile within {seconds + PATIENCE_SECONDS:.0f} s"
            raise ProfilerError(problem) from None
        finally:
            assert process.stdin
            process.stdin.close()
        said.seek(0)
        words = said.read().decode("utf-8", "replace").strip().splitlines()
    if code:
        raise ProfilerError(f"can't be recorded: {words[0] if words else f'exit code {code}'}")


def listen(said: Iterable[bytes], recorded: Callable[[], None]) -> None:
    """Until the collector ends: it tells when its window does."""
    with contextlib.suppress(ValueError):  # closed
        for line in said:
            if ENDED in line:
                recorded()


def cpus_of(pid: int) -> str:
    """Where a process may run, as perf takes it. Raises ProfilerError where it is gone."""
    try:
        return ",".join(map(str, psutil.Process(pid).cpu_affinity()))
    except psutil.Error:
        raise ProfilerError("ended while it was profiled") from None


# ── The program ──────────────────────────────────────────────────────────────────────────────────


def reached(pid: int) -> tuple[int, str]:
    """The process of .NET among a process and its descendants, and the folder of its diagnostic
    socket ('' on Windows, where that is a pipe). Raises ProfilerError where there is none."""
    if sys.platform == "win32":
        return pid, ""
    end = time.monotonic() + SOCKET_SECONDS
    while True:
        for process in family(pid):
            with contextlib.suppress(psutil.Error, OSError):
                folder = process.environ().get("TMPDIR") or "/tmp"
                if socket := next(Path(folder).glob(f"dotnet-diagnostic-{process.pid}-*"), None):
                    if not os.access(socket, os.R_OK | os.W_OK):
                        problem = f"has a diagnostic socket that only its user may open: {socket}"
                        raise ProfilerError(problem, "start it as the user who profiles it")
                    return process.pid, folder
        if time.monotonic() > end:
            raise ProfilerError(*unreached(pid))
        time.sleep(LOOK_SECONDS)


def unreached(pid: int) -> tuple[str, str]:
    """Why there is no diagnostic socket, and the remedy."""
    try:
        environment = psutil.Process(pid).environ()
    except psutil.AccessDenied:
        return f"(process {pid}) is another user's", "start it as the user who profiles it"
    except psutil.Error:
        environment = {}
    if name := next((each for each in OFF if environment.get(each) == "0"), ""):
        return f"has its diagnostics turned off ({name} is 0)", f"start it without {name}"
    return (
        f"(process {pid}) has no diagnostic socket: it is no program of .NET, or older than 5",
        "",
    )


def family(pid: int) -> list[psutil.Process]:
    """A process and its descendants. Raises ProfilerError where it is gone."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            raise psutil.NoSuchProcess(pid)
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        raise ProfilerError("ended while it was profiled") from None


# ── The collector ────────────────────────────────────────────────────────────────────────────────


def library() -> Path:
    """The collector, built where it was not yet. Raises ProfilerError where it can't be."""
    project = dotnet.own_project(PROJECT)
    folder = builds.build_folder(project)
    try:
        builds.build(project, "build", folder, lambda: None)
    except (BenchError, OSError, subprocess.SubprocessError) as error:
        told = error.message if isinstance(error, BenchError) else str(error)
        problem = f"needs a collector that {told}"
        raise ProfilerError(problem, "is NuGet in reach? ./bench doctor") from None
    return folder / "out" / f"{PROJECT.stem}.dll"


PROFILER = DotnetProfiler()
