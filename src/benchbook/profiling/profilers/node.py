"""Node.js: V8's sampling profiler. A preloaded module, window.cjs, opens and closes its window."""

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import psutil

from benchbook.model.profiles.profile import COLLECTOR, NATIVE, Frame, Profile, StackCounter
from benchbook.model.variants import Variant
from benchbook.profiling import trimming
from benchbook.profiling.profiler import ProfiledStart, ProfilerError, nothing
from benchbook.profiling.profilers import node_frames
from benchbook.programs import node_versions, runners
from benchbook.system import paths
from benchbook_kernels.base.running import output_of

WINDOW = paths.PACKAGE / "profiling" / "profilers" / "window.cjs"
FILE = "window.json"
PATIENCE_SECONDS = 30.0  # for the file, when the window is closed: V8 writes, and may share its CPU
GLANCE_SECONDS, LOOK_SECONDS = 0.02, 0.1
LITTLE_ROOM = 64 << 20  # bytes: with less left on the disk, that is why no file comes
SKIPPED = ("(root)",)
IDLE = "(idle)"
CALLING = f"{node_frames.LOOP}subject"
SLICING = ("once", "lead")  # of harness.mjs
HAS_INSPECTOR = "process.features.inspector"


class NodeProfiler:
    """V8's sampler looks at the main thread alone, so only that thread's CPU time is shared out."""

    name = "Node.js"
    main_thread_only = True
    usual_interval_us = 2000.0  # a sample costs about 0.15 ms: with one in 1.5 ms 6 to 12 % more

    def runs(self, variant: Variant) -> bool:
        return not variant.executable and runners.of(variant) is runners.NODE

    def lacks(self, variant: Variant) -> str:
        if sys.platform == "win32":
            return "Windows has no signal that opens a window of its profiler"
        if not has_inspector(node_versions.command(variant.needs)):
            return "this Node.js was built without its inspector"
        return ""

    def prepare(self, start: ProfiledStart, folder: Path, interval_us: float) -> ProfiledStart:
        node, *rest = start.words
        own = {
            "BENCHBOOK_WINDOW": str(folder / FILE),
            "BENCHBOOK_WINDOW_US": f"{interval_us:.0f}",
        }
        return ProfiledStart((node, "--require", str(WINDOW), *rest), {**start.env, **own})

    def collect(
        self,
        pid: int,
        seconds: float,
        folder: Path,
        cpus: Sequence[int] | None,
        recorded: Callable[[], None] = nothing,
    ) -> Profile:
        return read(window(pid, seconds, folder, recorded))

    def of_calls(self, profile: Profile) -> Profile:
        collects = lambda frame: frame.layer == COLLECTOR  # noqa: E731
        return trimming.to_calls(profile, makes_calls, collects, inlined_call)


def makes_calls(frame: Frame) -> bool:
    """Is it the loop of harness.mjs that makes the calls? V8 does not tell which function left what
    the garbage collector collects, but no other one in that process leaves much."""
    return frame.file == CALLING


def inlined_call(caller: Frame, called: Frame) -> bool:
    """Was the loop inlined into what runs a slice? That calls clocks, too, which are Node.js's."""
    clock = called.layer in (node_frames.OTHER, NATIVE, node_frames.HARNESS)
    return caller.layer == node_frames.HARNESS and caller.function in SLICING and not clock


def window(
    pid: int, seconds: float, folder: Path, recorded: Callable[[], None] = nothing
) -> dict[str, Any]:
    """Open a window, and close it after so many seconds; what it saw. Raises ProfilerError.

    V8's sampling thread stays where the program is. On the load generator's CPU it ran when that
    waited, so samples fell in step with the server's writes: of a function of 2.3 µs they told 1.4.
    """
    tell(pid)
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if not is_alive(pid):
            raise ProfilerError("ended while it was profiled")
        time.sleep(min(left, LOOK_SECONDS))
    tell(pid)
    recorded()
    return await_file(pid, folder / FILE)


def tell(pid: int) -> None:
    """Open or close the window. Raises ProfilerError where the program is gone."""
    try:
        os.kill(pid, signal.SIGUSR2)
    except ProcessLookupError:
        raise ProfilerError("ended while it was profiled") from None


def await_file(pid: int, file: Path) -> dict[str, Any]:
    """What the window's file holds, when it has come. Raises ProfilerError."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not file.is_file():
        if not is_alive(pid):
            raise ProfilerError("ended before it gave its profile")
        if shutil.disk_usage(file.parent).free < LITTLE_ROOM:
            raise ProfilerError("gave no profile: the disk is full", f"make room in {file.parent}")
        if time.monotonic() > end:
            raise ProfilerError(f"gave no profile within {PATIENCE_SECONDS:.0f} s")
        time.sleep(GLANCE_SECONDS)
    try:
        found: dict[str, Any] = json.loads(file.read_bytes())
    except ValueError as error:
        raise ProfilerError(f"gave a profile that can't be read: {error}") from None
    file.unlink()
    return found


def is_alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


@cache
def has_inspector(node: str) -> bool:
    return (output_of([node, "-p", HAS_INSPECTOR]) or "").strip() == "true"


# ── From V8's tree to stacks ─────────────────────────────────────────────────────────────────────


def read(told: Mapping[str, Any]) -> Profile:
    """The profile in what window.cjs wrote: V8's .cpuprofile, and whose the lines of inlined
    functions are (`homes`).

    https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#type-Profile
    """
    nodes = {node["id"]: node for node in told["profile"]["nodes"]}
    parents = {child: node["id"] for node in nodes.values() for child in node.get("children", ())}
    known = node_frames.Frames(told["node"])
    counter, idle, lost = StackCounter(), 0, 0
    for number, node in nodes.items():
        count = node.get("hitCount", 0)
        if not count:
            continue
        if node["callFrame"]["functionName"] == IDLE:
            idle += count
            continue
        above = list(ancestors(number, nodes, parents))
        if any(frame["url"].endswith(WINDOW.name) for frame in [*above, node["callFrame"]]):
            continue  # what opens and closes the window
        outer = [known.of(frame) for frame in above]
        for leaves, samples, is_lost in leaves_of(node, known, told["homes"]):
            counter.add([*outer, *leaves], samples)
            lost += samples if is_lost else 0
    return Profile(
        runtime=f"Node.js {told['node']}",
        interval_us=float(told["interval_us"]),
        seconds=told["wall_ms"] / 1000,
        cpu_seconds=told["cpu_us"] / 1e6,
        frames=counter.frames,
        stacks=counter.stacks,
        idle=idle,
        lost=lost,
    )


def ancestors(
    number: int, nodes: Mapping[int, Any], parents: Mapping[int, int]
) -> Iterator[dict[str, Any]]:
    """The frames around a node, from the root."""
    above = []
    while number in parents:
        number = parents[number]
        if nodes[number]["callFrame"]["functionName"] not in SKIPPED:
            above.append(nodes[number]["callFrame"])
    return reversed(above)


def leaves_of(
    node: Mapping[str, Any], known: "node_frames.Frames", homes: Mapping[str, Any]
) -> Iterator[tuple[list[Frame], int, bool]]:
    """The ends of a node's stacks, each with its samples: itself at a line, or a function that was
    inlined into it. And was it not found which one that is?"""
    ticks = node.get("positionTicks") or []
    for line, samples in ((tick["line"], tick["ticks"]) for tick in ticks):
        key = f"{node['id']} {line}"
        if home := homes.get(key):
            yield [known.of(node["callFrame"]), known.of(home, line)], samples, False
        elif key in homes:
            yield [known.of(node["callFrame"])], samples, True
        else:
            yield [known.of(node["callFrame"], line)], samples, False
    if rest := node["hitCount"] - sum(tick["ticks"] for tick in ticks):
        yield [known.of(node["callFrame"])], rest, False


PROFILER = NodeProfiler()
