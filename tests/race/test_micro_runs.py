"""C# methods for real: the race of experiment 09 in slices, cells, and how both end."""

import json
import os
import statistics
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import benchbook
from benchbook.model import experiments, results
from benchbook.model.samples import UsedTool
from benchbook.programs import given_environment
from benchbook.race import prepare
from benchbook.race.kinds.benchmarks import cell_project
from benchbook.race.kinds.functions.dotnet_project import MicroError
from benchbook.race.kinds.functions.executor import MARK
from benchbook.race.options import Options
from benchbook.race.record import RaceProgress
from benchbook_kernels.base.errors import BenchError
from made import left_behind, package_for_newer_net

pytestmark = pytest.mark.slow("builds BenchmarkDotNet projects")


SUMS = """\
public class Sums
{
    readonly int[] numbers = Enumerable.Range(0, 1000).ToArray();

    [Params(1000)]
    public int N;

    [Benchmark(Baseline = true)]
    public int Loop()
    {
        var sum = 0;
        for (var i = 0; i < N; i++) sum += numbers[i];
        return sum;
    }

    [Benchmark]
    public int Query() => numbers.Take(N).Where(number => number >= 0).Sum();

    [Benchmark]
    public void Nap() => Thread.Sleep(20);
}
"""


@pytest.fixture(scope="module")
def shell():
    shell = InteractiveShell.instance()  # display() asks for the one instance
    shell.extension_manager.load_extension("benchbook.notebook.magics.experiment_magics")
    yield shell
    InteractiveShell.clear_instance()


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RACE", "launches=2 blocks=3 seconds=0.05")


@pytest.fixture(scope="module")
def binding():
    return experiments.find("09")


def test_variants_of_09_are_built_checked_and_raced(binding, tmp_path):
    """Notebook 09, which is executed elsewhere, races them all."""
    path = tmp_path / "run.json"
    options = Options("quick", 2, 2, 0.1, variants=("strict",), warmup=0.1, seed=7, path=path)
    prepared = prepare.prepare(binding, options)
    list(prepared.events())
    run = results.load(path)
    assert run.complete, run.reason
    assert [e.status for e in run.entries] == ["raced"] * 3, [e.reason for e in run.entries]
    assert len(run.samples) == 2 * 2 * 3
    assert all(s.requests > 0 for s in run.samples)
    assert run.allocated_bytes == {e.name: 0 for e in run.entries}, "none of them allocates"
    assert run.tool == UsedTool("Benchbook", benchbook.__version__)
    starts = [s.started_seconds for s in run.samples]
    assert starts == sorted(starts), "samples are saved in the order in which they were taken"
    for launch in (0, 1):
        for block in (0, 1):
            turn = [s.variant for s in run.samples if (s.launch, s.block) == (launch, block)]
            assert turn == list(run.plan.order[launch][block])


def test_an_edit_that_binds_differently_is_found_before_it_is_timed(binding, tmp_path):
    edit = tmp_path / "strict.cs"
    original = binding.variant("strict").code
    edit.write_text(original.replace("value = default;", "value = default; return false;"))
    edited = replace(binding.variant("strict"), path=edit, edited=True)
    options = Options(
        launches=1, blocks=1, seconds=0.1, warmup=0.1, variants=("strict",), path=tmp_path / "r"
    )
    with pytest.raises(BenchError, match="they bind differently: 222, 222, 222, 0"):
        list(prepare.prepare(binding.with_edit(edited), options).events())


def test_an_edit_that_is_no_csharp_is_told_at_its_line(binding, tmp_path):
    edit = tmp_path / "strict.cs"
    edit.write_text("public static class StrictBinder\n{\n    nonsense;\n}\n")
    edited = replace(binding.variant("strict"), path=edit, edited=True)
    with pytest.raises(BenchError, match=r"strict.cs, line 3"):
        prepare.prepare(binding.with_edit(edited), Options(path=tmp_path / "r"))


def test_a_race_that_is_stopped_keeps_its_samples_and_ends_everything(binding, tmp_path):
    options = Options(
        launches=3,
        blocks=2,
        seconds=0.1,
        warmup=0,
        variants=("strict",),
        path=tmp_path / "run.json",
    )
    prepared = prepare.prepare(binding, options)
    events = prepared.events()
    while not (isinstance(event := next(events), RaceProgress) and event.sample):
        pass
    token = prepared.executor.keeper.token
    assert left_behind(token)
    events.close()
    assert not left_behind(token)
    run = results.load(tmp_path / "run.json")
    assert run.status == "incomplete" and run.reason == "interrupted" and len(run.samples) >= 1


def test_options_for_servers_are_refused(binding):
    with pytest.raises(BenchError, match="--connections: is for experiments that put servers"):
        prepare.prepare(binding, Options(connections=10))


# ── What a process that times a method takes ─────────────────────────────────────────────────────

METHODS = """\
using BenchmarkDotNet.Engines;

public class Methods
{
    int[] numbers = [];

    [Params(2000, 4000)]
    public int N { get; set; }

    [GlobalSetup]
    public async Task Fill()
    {
        await Task.Yield();
        numbers = [.. Enumerable.Range(0, N)];
    }

    [Benchmark(OperationsPerInvoke = 10)]
    public int Value()
    {
        var sum = 0;
        foreach (var number in numbers) sum ^= number;
        return sum;
    }

    [Benchmark] public void Nothing() { }
    [Benchmark] public void Nap() => Thread.Sleep(20);
    [Benchmark] public void Void() => Array.Reverse(numbers);
    [Benchmark] public string Text() => string.Join(',', numbers);
    [Benchmark] public async Task Later() => await Task.Yield();
    [Benchmark] public async ValueTask<int> LaterValue() { await Task.Delay(1); return N; }
    [Benchmark] public Span<int> Span() => numbers;
    [Benchmark] [Arguments(3)] public int Given(int times) => Enumerable.Range(0, times * N).Sum();

    [Benchmark]
    public int Throws() => N > 0 ? throw new InvalidOperationException("boom") : 1;
}

public class Unfinished
{
    public class Awaitable
    {
        public System.Runtime.CompilerServices.TaskAwaiter GetAwaiter() => throw new Exception();
    }

    public class Stream : IAsyncEnumerable<int>
    {
        public IAsyncEnumerator<int> GetAsyncEnumerator(CancellationToken _) => throw new();
    }

    [Benchmark] [Arguments(new[] { 1 })]
    public async void Forgotten(int[] a) => await Task.Delay(50);

    [Benchmark] [Arguments(new[] { 1 })]
    public IEnumerable<int> Lazy(int[] a) => a.Order();

    [Benchmark] [Arguments(new[] { 1 })]
    public Task<IQueryable<int>> Query(int[] a) => Task.FromResult(a.AsQueryable());

    [Benchmark] public Awaitable Own() => new();
    [Benchmark] public System.Runtime.CompilerServices.YieldAwaitable Yields() => Task.Yield();
    [Benchmark] public Stream Items() => new();
}

public class Prepared
{
    [IterationSetup] public void Before() { }
    [Benchmark] public int X() => Environment.TickCount;
}
"""


@pytest.fixture(scope="module")
def methods(tmp_path_factory):
    """methods("Methods.Value", "N=2000") -> (what it told of slices of 20 ms, what it said)."""
    project = cell_project.build_cell(METHODS, lambda text: None)

    def ask(*named: str, slices: int = 5):
        command = ["dotnet", str(project.library), "--slices", *named]
        done = subprocess.run(
            command,
            input="0.02\n" * slices,
            env={**os.environ, **given_environment.tiers()},
            capture_output=True,
            text=True,
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
        told = [json.loads(line.removeprefix(MARK)) for line in lines]
        assert bool(done.returncode) == bool(done.stderr)
        return told[1:], done.stderr

    return ask


@pytest.mark.parametrize("name", ["Value", "Void", "Text", "Later", "LaterValue"])
def test_methods_of_all_kinds_are_timed(methods, name):
    told, said = methods(f"Methods.{name}", "N=2000")
    assert len(told) == 5 and not said
    for each in told:
        assert each["operations"] > 0 and each["seconds"] > 0 and not each["empty"]


def test_a_method_that_waits_takes_as_long_as_it_waits(methods):
    told, _ = methods("Methods.Nap", "N=2000", slices=15)
    naps = statistics.median(each["seconds"] / each["operations"] for each in told)
    assert naps > 0.005, "and not the nothing that it costs the CPU"


def test_operations_are_counted_as_operations_per_invoke_says(methods):
    told, _ = methods("Methods.Value", "N=2000")
    assert all(each["operations"] % 10 == 0 for each in told)


def test_arguments_and_what_is_allocated(methods):
    told, _ = methods("Methods.Given", "times=3, N=2000")
    assert all(0 < each["allocated"] < 200 for each in told), "an enumerable"
    for numbers in (2000, 4000):
        told, _ = methods("Methods.Text", f"N={numbers}")
        text = 2 * len(",".join(map(str, range(numbers))))  # of UTF-16, in bytes
        assert all(text <= each["allocated"] < 1.5 * text for each in told), "of one operation"


def test_a_method_that_does_nothing_is_told(methods):
    for _ in range(3):  # on a machine that is busy elsewhere one look may tell little
        told, _ = methods("Methods.Nothing", "N=2000", slices=2)
        if any(each["empty"] for each in told):
            break
    assert any(each["empty"] for each in told)


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (("Methods.Span", "N=2000"), "Span returns a Span`1, which can't be kept: return a value"),
        (("Methods.Throws", "N=2000"), "InvalidOperationException: boom"),
        (("Unfinished.Forgotten",), "Unfinished.Forgotten is async void"),
        (("Unfinished.Lazy",), "Unfinished.Lazy returns IEnumerable<Int32>, whose work"),
        (("Unfinished.Query",), "Unfinished.Query returns IQueryable<Int32>"),
        (("Unfinished.Own",), "Unfinished.Own returns Awaitable, for which nobody waits"),
        (("Unfinished.Yields",), "Yields returns YieldAwaitable, for which"),
        (("Unfinished.Items",), "Items returns Stream, which nobody enumerates"),
        (("Prepared.X",), "an [IterationSetup] or [IterationCleanup] can't be timed in slices"),
        (
            ("Methods.Value", "N=7"),
            "there is no Methods.Value [N=7]; there are: Methods.Value [N=20",
        ),
        (("Methods.Value",), "there is more than one Methods.Value"),
        (("Methods.Gone",), "there is no Methods.Gone"),
    ],
)
def test_what_can_not_be_timed_is_explained(methods, named, words):
    told, said = methods(*named)
    assert not told and words in said


# ── Cells ────────────────────────────────────────────────────────────────────────────────────────


def test_a_cell_shows_table_plot_and_limits_and_saves_its_samples(shell, checkout, short):
    with capture_output() as shown:
        shell.run_cell("%%benchmark --seed 3\n" + SUMS).raise_error()
    final = shown.outputs[-1].data  # the plot
    assert "application/vnd.plotly.v1+json" in final and "Query [N=1000]" in final["text/plain"]
    said = "\n".join(output.data["text/plain"] for output in shown.outputs)
    for words in ("Allocated", "Query", "Control", "--full", "launch 1 of 2"):
        assert words in said
    (path,) = (checkout / ".benchbook" / "runs" / "cell-benchmarks").glob("*.json")
    run = results.load(path)
    assert run.complete and run.unit == "operations/s"
    assert len(run.samples) == 2 * 3 * 4, "3 cases and a copy of the baseline"
    loop, query = "Sums.Loop [N=1000]", "Sums.Query [N=1000]"
    assert run.allocated_bytes[loop] == 0 < run.allocated_bytes[query]
    naps = [s.requests_per_second for s in run.samples if s.variant == "Sums.Nap [N=1000]"]
    assert all(0 < speed <= 1 / 0.015 for speed in naps), "a nap of 20 ms tells the unit"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("public class A\n{\n    [Benchmark] public int X() => foo;\n}", "cell, line 4, column 35"),
        ("class A { [Benchmark] public int X() => 1; }", "A must be public"),
        ("public class A { }", "there is no [Benchmark] method"),
        (
            '#r "nuget: No.Such.Package.Here, 1.0.0"\n'
            "public class A { [Benchmark] public int X() => 1; }",
            "no package No.Such.Package.Here",
        ),
        (
            "public class A\n{\n    [Benchmark]\n"
            '    public int X() => throw new InvalidOperationException("boom");\n}',
            "boom",
        ),
    ],
)
def test_a_wrong_cell_is_explained(shell, checkout, monkeypatch, capsys, code, words):
    monkeypatch.setenv("BENCHBOOK_RACE", "launches=1 blocks=1 seconds=0.05")
    with capture_output(display=True, stdout=False, stderr=False):
        done = shell.run_cell("%%benchmark\n" + code)
    assert words in str(done.error_in_exec)


@pytest.fixture
def aged(tmp_path, monkeypatch):
    """A NuGet package whose newest versions are for a newer .NET, and the folder of packages."""
    known = Path(os.environ.get("NUGET_PACKAGES", Path.home() / ".nuget" / "packages"))
    known.mkdir(parents=True, exist_ok=True)  # a home of a test's own has none yet
    name = package_for_newer_net(tmp_path)
    monkeypatch.setenv("NUGET_FALLBACK_PACKAGES", str(known))
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path / "packages"))
    monkeypatch.setenv("RestoreAdditionalProjectSources", str(tmp_path))
    return name, tmp_path / "packages"


def test_of_a_package_the_newest_is_taken_and_a_class_with_jobs_of_its_own_keeps_them(
    shell, checkout, short, aged
):
    """The newest that this .NET can use. One build shows both."""
    name, packages = aged
    own = "[SimpleJob(launchCount: 2, warmupCount: 1, iterationCount: 3, invocationCount: 160)]"
    code = f"{own}\npublic class A {{ [Benchmark] public int X() => Environment.TickCount; }}"
    with capture_output() as shown:
        shell.run_cell(f'%%benchmark\n#r "nuget: {name}"\n{code}').raise_error()
    assert "1.0.0" in os.listdir(packages / name.lower())
    said = "\n".join(output.data["text/plain"] for output in shown.outputs)
    assert "jobs of its own" in said
    (path,) = (checkout / ".benchbook" / "runs" / "cell-benchmarks").glob("*.json")
    assert results.load(path).plan.launches == 2
    with pytest.raises(MicroError, match=f"{name} 2.0.0 is not compatible"):
        cell_project.build_cell(f'#r "nuget: {name}, 2.0.0"\n{code}', lambda text: None)
