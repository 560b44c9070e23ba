"""From the collector's report (eventpipe/Report.cs) to a profile: whose time the samples are."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchbook.model.profiles.profile import (
    COLLECTOR,
    COMPILER,
    NATIVE,
    Frame,
    Profile,
    StackCounter,
)
from benchbook.profiling.profilers.dotnet_frames import COMPILER_LIBRARY, DotnetFrames

RUNTIME_INTERVAL_US = 1000.0  # of the runtime's own sampler, which nobody can choose
# The names of threads, as Linux has them: at most 15 characters.
PROFILING, COMPILING, COLLECTING = (
    (".NET EventPipe",),
    (".NET Tiered Com",),
    (".NET Server GC", ".NET BGC"),
)
RUNTIME_LIBRARIES = ("libcoreclr", "libclrgc")
COLLECTION = Frame("[garbage collection]", COLLECTOR)
COMPILATION = Frame("[JIT compiler]", COMPILER)
# Methods at whose call a thread waits, as the runtime's sampler sees it: no work, whatever it says.
WAITING = (
    "System.Threading.Monitor.Wait",
    "System.Threading.Monitor.ObjWait",
    "System.Threading.WaitHandle.WaitOneNoCheck",
    "System.Threading.WaitHandle.WaitOneCore",
    "System.Threading.WaitHandle.WaitMultipleIgnoringSyncContext",
    "System.Threading.LowLevelLifoSemaphore.Wait",
    "System.Threading.LowLevelLifoSemaphore.WaitForSignal",
    "System.Threading.LowLevelLifoSemaphore.WaitNative",
    "System.Threading.LowLevelMonitor.Wait",
    "System.Threading.LowLevelSpinWaiter.Wait",
    "System.Threading.PortableThreadPool.WorkerThread.WorkerThreadStart",
    "System.Threading.PortableThreadPool.GateThread.GateThreadStart",
    "System.Threading.Thread.Sleep",
    "System.Threading.Thread.SleepInternal",
    "System.Threading.Thread.Join",
    "System.Threading.Thread.Yield",
    "System.Threading.Thread.UninterruptibleSleep0",
    "System.Net.Sockets.SocketAsyncEngine.EventLoop",
    "Interop.Sys.WaitForSocketEvents",
    "Interop.Sys.Read",
    "Interop.Sys.Poll",
)
STOPPING = "System.Threading.Thread.PollGC"  # what a thread calls that is to stop for a sample
OF_RUNTIME = (
    "sampled by the runtime itself, since perf can't be used here (linux-perf, as root or with "
    "kernel.perf_event_paranoid at 1): it finds a thread only where it can stop, and may "
    "tell a method's time with its caller; system calls are told with the method that made them"
)


def profile(report: Mapping[str, Any], interval_us: float) -> Profile:
    """The profile in a report. interval_us: as it was asked for."""
    by_perf = report["sampler"] == "perf"
    seen = Samples(report)
    counter, idle = StackCounter(), 0
    if by_perf:
        for frames, samples in seen.of_cpu_time():
            counter.add(frames, samples)
    else:
        interval_us = RUNTIME_INTERVAL_US
        idle = seen.waiting
        for frames, samples in rounded(seen.of_wall_time(interval_us)):
            counter.add(frames, samples)
    messages = [] if by_perf else [OF_RUNTIME]
    if lost := report.get("lost"):
        messages.append(
            f"{lost} events or samples were lost: the machine was too busy to take them"
        )
    return Profile(
        runtime=f".NET {version(report)}".rstrip(),
        interval_us=interval_us,
        seconds=report["seconds"],
        cpu_seconds=sum(seen.cpu_seconds(each) for each in seen.threads),
        frames=counter.frames,
        stacks=counter.stacks,
        idle=idle,
        messages=messages,
    )


def version(report: Mapping[str, Any]) -> str:
    """Of the runtime, as what brought its core library says; '' where that is not known."""
    return DotnetFrames().brought(report["core"])[2] if report["core"] else ""


class Samples:
    """The samples of a report, each thread's, by what they are told of."""

    def __init__(self, report: Mapping[str, Any]) -> None:
        known = DotnetFrames()
        self.told: Sequence[Mapping[str, Any]] = report["frames"]
        self.frames = [known.of(each) for each in self.told]
        self.stacks: Sequence[Mapping[str, Any]] = report["stacks"]
        self.threads = {each["id"]: each for each in report["threads"]}
        self.pause_seconds: float = report.get("pauseSeconds", 0.0)

    def name(self, thread: int) -> str:
        return str(self.threads.get(thread, {}).get("name", ""))

    def cpu_seconds(self, thread: int) -> float:
        """Of a thread, in the window; what the profiling takes itself is none of the program's."""
        if self.name(thread).startswith(PROFILING):
            return 0.0
        return float(self.threads[thread].get("cpuSeconds", 0.0))

    def of_cpu_time(self) -> Iterable[tuple[list[Frame], int]]:
        """perf's: each is so much CPU time, whoever spent it."""
        for stack in self.stacks:
            name = self.name(stack["thread"])
            if name.startswith(PROFILING):
                continue
            if name.startswith(COMPILING):
                yield [COMPILATION], stack["samples"]
            elif name.startswith(COLLECTING):
                yield [COLLECTION], stack["samples"]
            else:
                yield self.trimmed(stack), stack["samples"]

    def trimmed(self, stack: Mapping[str, Any]) -> list[Frame]:
        """The frames from the first method of .NET on; collection and compilation are one frame,
        whatever functions of the runtime they are made of."""
        numbers = stack["frames"]
        managed = [i for i, n in enumerate(numbers) if self.told[n]["kind"] == "managed"]
        first, last = (managed[0], managed[-1] + 1) if managed else (0, 0)
        outer = [self.frames[n] for n in numbers[first:last]]
        inner = [self.told[n]["name"] for n in numbers[last:]]
        if stack.get("collecting") and any(is_of(each, RUNTIME_LIBRARIES) for each in inner):
            return [*outer, COLLECTION]
        if any(COMPILER_LIBRARY in each for each in inner):
            return [*outer, COMPILATION]
        return [*outer, *(self.frames[n] for n in numbers[last:])]

    @property
    def waiting(self) -> int:
        """Samples of the runtime's that found a thread waiting."""
        return sum(stack["samples"] for stack in self.stacks if self.waits(stack))

    def waits(self, stack: Mapping[str, Any]) -> bool:
        leaf = self.told[stack["frames"][-1]]
        return stack["state"] == "external" and leaf["name"] in WAITING

    def of_wall_time(self, interval_us: float) -> Iterable[tuple[list[Frame], float]]:
        """The runtime's: of a thread's samples those that found it at work, which stand for all CPU
        time of the thread; and threads that are never seen by what they are for."""
        by_thread: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
        for stack in self.stacks:
            by_thread[stack["thread"]].append(stack)
        collecting = self.collecting_share()
        if collecting:
            total = sum(self.cpu_seconds(thread) for thread in self.threads)
            yield [COLLECTION], collecting * total * 1e6 / interval_us
        for thread in self.threads:
            intervals = (1 - collecting) * self.cpu_seconds(thread) * 1e6 / interval_us
            mine = by_thread[thread]
            busy = [stack for stack in mine if not self.waits(stack)] or mine
            total = sum(stack["samples"] for stack in busy)
            for stack in busy:
                yield self.at_work(stack), intervals * stack["samples"] / total
            if not busy and intervals:
                yield [self.unseen(self.name(thread))], intervals

    def at_work(self, stack: Mapping[str, Any]) -> list[Frame]:
        """The frames of a stack, without those that are there because of the sample."""
        frames = [self.frames[number] for number in stack["frames"]]
        while len(frames) > 1 and frames[-1].function.startswith(STOPPING):
            frames.pop()
        return frames

    def collecting_share(self) -> float:
        """The share of the CPU time in which all stood while one thread of the program collected:
        the runtime takes no samples then. 0 where threads of its own collect."""
        if any(self.cpu_seconds(t) for t in self.threads if self.name(t).startswith(COLLECTING)):
            return 0.0
        total = sum(self.cpu_seconds(thread) for thread in self.threads)
        return min(1.0, self.pause_seconds / total) if total else 0.0

    @staticmethod
    def unseen(thread: str) -> Frame:
        """What a thread does that runs no method of .NET."""
        if thread.startswith(COMPILING):
            return COMPILATION
        if thread.startswith(COLLECTING):
            return COLLECTION
        return Frame(f"[thread {thread or 'without a name'}]", NATIVE)


def is_of(frame: str, libraries: Iterable[str]) -> bool:
    return any(each in frame for each in libraries)


def rounded(weights: Iterable[tuple[list[Frame], float]]) -> Iterable[tuple[list[Frame], int]]:
    """Whole numbers of samples in the place of weights; what one loses the next one gets, so that
    the sum stays, and many small ones are not all lost."""
    carried = 0.0
    for frames, weight in weights:
        carried += weight
        whole = round(carried)
        carried -= whole
        if whole:
            yield frames, whole
