"""The profiler of .NET: a short window of a program with a gross plant, and what can go wrong."""

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from benchbook.model.profiles.profile import OWN, Profile
from benchbook.model.variants import Variant
from benchbook.profiling.profiler import ProfiledStart, ProfilerError
from benchbook.profiling.profilers import dotnet, perf
from benchbook.profiling.profilers.dotnet_frames import RUN_TIME
from benchbook_kernels.base import builds

# Work, which does all there is to do, is small enough to be put into its caller.
PLANT = """\
#:property PublishAot=false
using System.Linq.Expressions;
using System.Runtime.CompilerServices;

var end = Environment.TickCount64 + 120_000;
if (Environment.GetEnvironmentVariable("MADE") is not null)
{
    var call = Expression.Call(typeof(Plant), "Hidden", null, Expression.Constant(3000));
    var made = Expression.Lambda<Func<int>>(call).Compile();
    while (Environment.TickCount64 < end) Plant.Sink ^= made();
}
while (Environment.TickCount64 < end) Plant.Outer(3000);

static class Plant
{
    public static int Sink;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Outer(int loops) => Sink ^= Work(loops);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    static int Work(int loops)
    {
        var x = 12345;
        for (var i = 0; i < loops; i++) x = unchecked(x * 1664525 + 1013904223);
        return x;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Hidden(int loops)
    {
        var y = 12345;
        for (var i = 0; i < loops; i++) y = unchecked(y * 1664525 + 1013904223);
        return y;
    }
}
"""
HIDDEN_LINE = PLANT.splitlines().index(
    "        for (var i = 0; i < loops; i++) y = unchecked(y * 1664525 + 1013904223);"
)
PTRACE = Path("/proc/sys/kernel/yama/ptrace_scope")  # who may look into another process
WORK_LINE = PLANT.splitlines().index(
    "        for (var i = 0; i < loops; i++) x = unchecked(x * 1664525 + 1013904223);"
)
SAMPLERS = [dotnet.RUNTIME, *([dotnet.PERF] if perf.samples() else [])]
# perf samples whole CPUs where it may; elsewhere the program's threads
WAYS = [(each, False) for each in SAMPLERS] + [(dotnet.PERF, True)] * perf.samples_cpus()


@pytest.fixture(scope="module")
def plant(tmp_path_factory) -> Path:
    """A program that was built."""
    path = tmp_path_factory.mktemp("plant") / "plant.cs"
    path.write_text(PLANT)
    folder = builds.build_folder(path)
    builds.build(path, "build", folder, lambda: None)
    return folder / "out" / "plant.dll"


@pytest.fixture
def start(keeper, tmp_path):
    """start(words, **variables) -> the process, as the profiler has it started, and its folder."""

    def started(*words: str, **variables: str) -> tuple[subprocess.Popen[bytes], Path]:
        folder = tmp_path / f"folder{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        asked = ProfiledStart(words, variables)
        ready = dotnet.PROFILER.prepare(asked, folder, 1000)
        return keeper.start(ready.words, env=dict(ready.env)), folder

    return started


def collected(process, folder):
    return dotnet.PROFILER.collect(process.pid, 1.5, folder, None)


def made_by_recording(folder: Path) -> list[str]:
    """What is left of a recording in a program's folder."""
    names = {path.name for path in folder.iterdir() if not path.match("compiled-*.nettrace")}
    return sorted(names - {"interval.txt"})


@pytest.mark.parametrize(("sampler", "of_cpus"), WAYS)
def test_a_plant_that_is_inlined_is_the_function_at_work(
    plant, start, monkeypatch, sampler, of_cpus
):
    monkeypatch.setattr(dotnet.perf, "samples", lambda: sampler == dotnet.PERF)
    monkeypatch.setattr(dotnet.perf, "samples_cpus", lambda: of_cpus)
    monkeypatch.setattr(perf, "LEAST_US", 1000.0)
    process, folder = start("dotnet", str(plant))
    time.sleep(1.0)  # until it was compiled for good
    profile = collected(process, folder)
    samples = by_leaf(profile)
    first = max(samples, key=samples.__getitem__)
    assert first[1] == OWN, samples
    if sampler == dotnet.PERF:  # the runtime's own finds a thread only where it can stop
        assert first == ("Plant.Work", OWN, WORK_LINE + 1), samples
        stack = max(profile.stacks, key=lambda each: each.samples)
        names = [profile.frames[number].function for number in stack.frames]
        assert names[-3:] == ["Program.Main", "Plant.Outer", "Plant.Work"]
    assert any(frame.file.endswith("/plant.cs") for frame in profile.frames)
    assert profile.seconds > 0 and profile.cpu_seconds > 0
    assert profile.runtime.startswith(".NET ")
    assert made_by_recording(folder) == []


def by_leaf(profile: Profile) -> dict[tuple[str, str, int], int]:
    """How many samples ended in a function of a layer, at a line."""
    samples: dict[tuple[str, str, int], int] = {}
    for stack in profile.stacks:
        leaf = profile.frames[stack.frames[-1]]
        key = (leaf.function, leaf.layer, leaf.line)
        samples[key] = samples.get(key, 0) + stack.samples
    return samples


def test_what_was_only_put_into_a_method_made_at_run_time_has_its_name(plant, start):
    process, folder = start("dotnet", str(plant), MADE="1")
    time.sleep(1.0)
    samples = by_leaf(collected(process, folder))
    first = max(samples, key=samples.__getitem__)
    may_look = os.geteuid() == 0 or not PTRACE.exists() or PTRACE.read_text().strip() == "0"
    if may_look:
        assert first[:2] == ("Plant.Hidden", OWN), samples
        assert not perf.samples() or first[2] == HIDDEN_LINE + 1, samples
    else:
        assert first[1] == RUN_TIME, samples


def test_a_process_that_is_gone(start):
    process, folder = start("true")
    process.wait()
    with pytest.raises(ProfilerError, match="ended while it was profiled"):
        collected(process, folder)


def test_a_process_that_is_no_program_of_net(start, monkeypatch):
    monkeypatch.setattr(dotnet, "SOCKET_SECONDS", 0.2)
    process, folder = start("sleep", "60")
    with pytest.raises(ProfilerError, match=r"has no diagnostic socket: it is no program of \.NET"):
        collected(process, folder)


def test_diagnostics_that_are_turned_off(plant, start, monkeypatch):
    monkeypatch.setattr(dotnet, "SOCKET_SECONDS", 1.0)
    process, folder = start("dotnet", str(plant), DOTNET_EnableDiagnostics="0")
    with pytest.raises(ProfilerError) as caught:
        collected(process, folder)
    assert caught.value.message == "has its diagnostics turned off (DOTNET_EnableDiagnostics is 0)"
    assert caught.value.remedy == "start it without DOTNET_EnableDiagnostics"


def test_a_program_that_ends_in_the_window(plant, start):
    process, folder = start("dotnet", str(plant))
    dotnet.reached(process.pid)
    threading.Timer(1.0, process.send_signal, (signal.SIGKILL,)).start()
    with pytest.raises(ProfilerError, match="ended while it was|gives no events|is gone"):
        dotnet.PROFILER.collect(process.pid, 60, folder, None)
    assert made_by_recording(folder) == []


def test_the_collector_ends_when_nobody_listens_any_more(plant, start, keeper, tmp_path):
    """As after Ctrl-C, or where we are killed: its standard input ends."""
    process, _ = start("dotnet", str(plant))
    pid, sockets = dotnet.reached(process.pid)
    request = {
        "pid": pid,
        "sockets": sockets,
        "seconds": 600,
        "asked": time.time(),
        "sampler": SAMPLERS[-1],
    }
    request |= {"intervalMicroseconds": 1000, "compiled": "", "folder": str(tmp_path)}
    words = ["dotnet", str(dotnet.library()), json.dumps(request | {"out": str(tmp_path / "out")})]
    said = (tmp_path / "said").open("wb")
    collector = keeper.start(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, bufsize=0
    )
    assert b"began" in collector.stdout.readline()
    children = [each.pid for each in dotnet.family(collector.pid)[1:]]
    assert bool(children) == (SAMPLERS[-1] == dotnet.PERF)
    collector.stdin.close()
    assert collector.wait(60) == 130
    said.close()
    assert (tmp_path / "said").read_text().strip() == "it was interrupted"
    assert process.poll() is None  # the program goes on
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)


def variant(path: Path, **more) -> Variant:
    return Variant(name="a", title="A", path=path, **more)


def test_what_it_profiles(tmp_path):
    assert dotnet.PROFILER.runs(variant(tmp_path / "a.cs"))
    assert dotnet.PROFILER.runs(variant(tmp_path / "a.csproj"))
    assert not dotnet.PROFILER.runs(variant(tmp_path / "a.mono.cs"))
    assert not dotnet.PROFILER.runs(variant(tmp_path / "a.cs", needs=("mono:System.Web",)))
    assert not dotnet.PROFILER.runs(variant(tmp_path / "a.mjs"))


def test_what_can_not_be_profiled(tmp_path, monkeypatch):
    off = variant(tmp_path / "a.cs", env={"DOTNET_EnableDiagnostics": "0"})
    told = "its diagnostics are turned off: DOTNET_EnableDiagnostics is 0"
    assert dotnet.PROFILER.lacks(off) == told
    assert dotnet.PROFILER.lacks(variant(tmp_path / "a.cs")) == ""
    published = variant(tmp_path / "a.cs", publish=True)
    monkeypatch.setattr(dotnet.runners, "built_in", lambda variant: tmp_path)
    assert dotnet.PROFILER.lacks(published) == ""  # not built yet
    (tmp_path / "out").mkdir()
    assert "PublishAot" in dotnet.PROFILER.lacks(published)
    (tmp_path / "out" / "a.dll").touch()
    assert dotnet.PROFILER.lacks(published) == ""
