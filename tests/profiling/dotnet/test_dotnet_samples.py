"""From the collector's report to a profile: whose time a sample is, by perf and by the runtime."""

import pytest

from benchbook.model.profiles.profile import COLLECTOR, COMPILER, NATIVE, Frame
from benchbook.profiling.profilers import dotnet_samples

CORE = "/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.12/System.Private.CoreLib.dll"
START, WORK, WAIT, STOP = (
    {"name": name, "kind": "managed", "module": CORE}
    for name in (
        "System.Threading.Thread.StartCallback",
        "System.Work",
        "System.Threading.Monitor.Wait",
        "System.Threading.Thread.PollGC.PollGCWorker",
    )
)
LIBC, CLR, JIT = (
    {"name": f"[{name}]", "kind": "native", "module": f"/usr/lib/{name}"}
    for name in ("libc.so.6", "libcoreclr.so", "libclrjit.so")
)
SEND = {"name": "sendto (system call)", "kind": "system", "module": ""}
FRAMES = [START, WORK, WAIT, STOP, LIBC, CLR, JIT, SEND]
NAMES = [frame["name"] for frame in FRAMES]


def report(sampler, stacks, threads, **more):
    """stacks: (thread, frames from the root, samples, state); threads: name and CPU seconds."""
    return {
        "sampler": sampler,
        "seconds": 2.0,
        "core": CORE,
        "frames": FRAMES,
        "stacks": [
            {"thread": t, "frames": [FRAMES.index(f) for f in fs], "samples": n, **state}
            for t, fs, n, state in stacks
        ],
        "threads": [
            {"id": i, "name": name, "cpuSeconds": cpu} for i, (name, cpu) in enumerate(threads)
        ],
        **more,
    }


def leaves(profile) -> dict[str, int]:
    """Samples of the function at work."""
    found: dict[str, int] = {}
    for stack in profile.stacks:
        name = profile.frames[stack.frames[-1]].function
        found[name] = found.get(name, 0) + stack.samples
    return found


def test_samples_of_perf_are_cpu_time_from_the_first_method_on():
    cpu = {"state": "cpu"}
    profile = dotnet_samples.profile(
        report(
            "perf",
            [
                (0, [LIBC, CLR, START, WORK], 5, cpu),
                (0, [LIBC, CLR, START, WORK, LIBC, SEND], 3, cpu),
                (0, [LIBC, CLR], 1, cpu),
            ],
            [(".NET TP Worker", 0.009)],
        ),
        500,
    )
    assert leaves(profile) == {"System.Work": 5, "sendto (system call)": 3, "[libcoreclr.so]": 1}
    work = next(each for each in profile.stacks if each.samples == 5)
    assert [profile.frames[n].function for n in work.frames] == [NAMES[0], NAMES[1]]
    assert (profile.runtime, profile.interval_us) == (".NET 10.0.12", 500)
    assert (profile.seconds, profile.cpu_seconds, profile.idle) == (2.0, 0.009, 0)
    assert profile.messages == []


def test_collections_and_compilations_are_one_frame_each():
    cpu = {"state": "cpu"}
    stops = {"state": "cpu", "collecting": True}
    profile = dotnet_samples.profile(
        report(
            "perf",
            [
                (0, [START, WORK, CLR], 2, stops),
                (0, [START, WORK, CLR, SEND], 3, stops),
                (0, [START, WORK], 1, stops),
                (0, [START, CLR, JIT, CLR], 4, cpu),
                (1, [LIBC, CLR], 5, cpu),
                (2, [LIBC, CLR], 6, cpu),
            ],
            [("worker", 0.01), (".NET Tiered Com", 0.005), (".NET Server GC", 0.006)],
        ),
        1000,
    )
    layers: dict[str, int] = {}
    for stack in profile.stacks:
        leaf = profile.frames[stack.frames[-1]]
        layers[leaf.layer] = layers.get(leaf.layer, 0) + stack.samples
    assert layers == {COLLECTOR: 11, COMPILER: 9, ".NET: core library": 1}


def test_what_the_profiling_takes_itself_is_not_the_programs():
    threads = [("worker", 0.01), (".NET EventPipe", 0.5)]
    stacks = [(0, [START, WORK], 10, {"state": "cpu"}), (1, [LIBC], 500, {"state": "cpu"})]
    profile = dotnet_samples.profile(report("perf", stacks, threads), 1000)
    assert (profile.busy, profile.cpu_seconds) == (10, 0.01)


def test_threads_that_wait_are_idle_and_each_threads_samples_count_as_its_cpu_time():
    """Two threads were seen at work equally often; one had nine times the CPU time."""
    busy, external = {"state": "managed"}, {"state": "external"}
    profile = dotnet_samples.profile(
        report(
            "eventpipe",
            [
                (0, [START, WORK], 100, busy),
                (0, [START, WAIT], 900, external),
                (1, [START], 100, busy),
                (2, [START, WAIT], 1000, external),
            ],
            [("a", 0.9), ("b", 0.1), ("c", 0.0), (".NET Tiered Com", 0.2)],
        ),
        250,
    )
    assert leaves(profile) == {"System.Work": 900, NAMES[0]: 100, "[JIT compiler]": 200}
    assert (profile.idle, profile.interval_us) == (1900, 1000)
    assert "perf can't be used" in profile.messages[0]


def test_stopping_for_a_sample_is_no_work_of_the_programs():
    stacks = [(0, [START, WORK, STOP], 10, {"state": "external"})]
    profile = dotnet_samples.profile(report("eventpipe", stacks, [("a", 0.01)]), 1000)
    assert leaves(profile) == {"System.Work": 10}


def test_the_runtimes_sampler_is_told_of_collections_by_their_pauses():
    stacks = [(0, [START, WORK], 10, {"state": "managed"})]
    made = report("eventpipe", stacks, [("a", 0.5)], pauseSeconds=0.1)
    assert leaves(dotnet_samples.profile(made, 1000)) == {
        "[garbage collection]": 100,
        "System.Work": 400,
    }


def test_a_thread_without_methods_is_told_by_its_name():
    profile = dotnet_samples.profile(report("eventpipe", [], [("mine", 0.003)]), 1000)
    assert profile.frames == [Frame("[thread mine]", NATIVE)]
    assert profile.busy == 3


def test_lost_events_are_told():
    profile = dotnet_samples.profile(report("perf", [], [], lost=7), 1000)
    assert profile.messages == [
        "7 events or samples were lost: the machine was too busy to take them"
    ]


@pytest.mark.parametrize("weights", [[0.4] * 10, [0.5, 2.5, 1.0], [3.2, 0.1, 0.7], []])
def test_rounding_keeps_the_sum(weights):
    frame = [Frame("f", NATIVE)]
    found = [n for _, n in dotnet_samples.rounded((frame, weight) for weight in weights)]
    assert abs(sum(found) - sum(weights)) <= 0.5
    assert all(n > 0 for n in found)
