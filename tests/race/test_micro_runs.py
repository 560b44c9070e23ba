"""BenchmarkDotNet for real: the race of experiment 09, cells, and how both end."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from benchbook.model import experiments, results
from benchbook.model.runs import UsedTool
from benchbook.race import micro_cell_project, prepare
from benchbook.race.micro import Bench
from benchbook.race.micro_events import BenchmarkRequest, Entry
from benchbook.race.micro_project import MicroError
from benchbook.race.options import Options
from benchbook.race.race import Progress
from benchbook.system.errors import BenchError
from benchbook.system.processes import Keeper
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
    assert run.tool == UsedTool("BenchmarkDotNet", "0.14.0")
    starts = [s.started_seconds for s in run.samples]
    assert starts == sorted(starts), "samples are saved in the order in which they were taken"
    for launch in (0, 1):
        order = list(dict.fromkeys(s.variant for s in run.samples if s.launch == launch))
        assert order == list(run.plan.order[launch][0])


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
    options = Options(launches=3, blocks=2, seconds=0.1, warmup=0.1, path=tmp_path / "run.json")
    prepared = prepare.prepare(binding, options)
    events = prepared.events()
    while not (isinstance(event := next(events), Progress) and event.sample):
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


def test_a_case_that_is_not_there_is_told_with_those_that_are(checkout, tmp_path):
    project = micro_cell_project.build_cell(SUMS, lambda text: None)
    with Keeper() as keeper:
        request = BenchmarkRequest(entries=[Entry("Sums.Loop", "N=7")], launches=1)
        bench = Bench(project, request, tmp_path / "bench", keeper)
        list(bench.events())
        with pytest.raises(BenchError, match=r"no Sums.Loop \[N=7\]; there are: .*N=1000\]"):
            bench.report()


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
        ('#r "nuget: No.Such.Package.Here, 1.0.0"\n', "no package No.Such.Package.Here"),
        (
            "public class A\n{\n    [Benchmark]\n"
            '    public int X() => throw new InvalidOperationException("boom");\n}',
            "boom",
        ),
    ],
)
def test_a_wrong_cell_is_explained(shell, checkout, short, capsys, code, words):
    with capture_output(display=True, stdout=False, stderr=False):
        done = shell.run_cell("%%benchmark\n" + code)
    assert words in str(done.error_in_exec)


def test_of_a_package_the_newest_that_this_net_can_use_is_taken(checkout, tmp_path, monkeypatch):
    packages = os.environ.get("NUGET_PACKAGES", Path.home() / ".nuget" / "packages")
    name = package_for_newer_net(tmp_path)
    monkeypatch.setenv("NUGET_FALLBACK_PACKAGES", str(packages))
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path / "packages"))
    monkeypatch.setenv("RestoreAdditionalProjectSources", str(tmp_path))
    code = "public class A { [Benchmark] public int X() => 1; }"
    micro_cell_project.build_cell(f'#r "nuget: {name}"\n{code}', lambda text: None)
    assert "1.0.0" in os.listdir(tmp_path / "packages" / name.lower())
    with pytest.raises(MicroError, match=f"{name} 2.0.0 is not compatible"):
        micro_cell_project.build_cell(f'#r "nuget: {name}, 2.0.0"\n{code}', lambda text: None)


def test_a_class_with_jobs_of_its_own_keeps_them(shell, checkout, short):
    own = "[SimpleJob(launchCount: 2, warmupCount: 1, iterationCount: 3, invocationCount: 160)]"
    code = f"{own}\npublic class A {{ [Benchmark] public int X() => Environment.TickCount; }}"
    with capture_output() as shown:
        shell.run_cell("%%benchmark\n" + code).raise_error()
    said = "\n".join(output.data["text/plain"] for output in shown.outputs)
    assert "jobs of its own" in said
    (path,) = (checkout / ".benchbook" / "runs" / "cell-benchmarks").glob("*.json")
    assert results.load(path).plan.launches == 2
