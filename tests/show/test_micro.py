"""BenchmarkDotNet's events and report, and what is made of them; test_micro_runs.py runs it."""

import os
import time

import pytest

from benchbook.race.kinds.benchmarks import cell_project, events
from benchbook.race.kinds.benchmarks.events import (
    Advice,
    Began,
    BenchmarkEntry,
    BenchmarkReport,
    BenchmarkRequest,
    BenchmarkResult,
    Entries,
    Iterated,
    Launched,
)
from benchbook.race.kinds.functions import dotnet_project
from benchbook.show import wording
from benchbook.show.cards import micro_cards
from benchbook.show.figures import benchmarks
from benchbook.show.figures.benchmarks import benchmarks_figure

LOG = """\
// benchbook: {"event":"entries","entries":[{"benchmark":"A.X","case":"N=1","baseline":true,"copy":false}]}
// benchbook: {"event":"began","launch":0,"entry":0,"benchmark":"A.X","case":"N=1"}
WorkloadWarmup   1: 1000 op, 5000.00 ns, 5.0 ns/op
WorkloadActual   1: 1000 op, 4000.00 ns, 4.0 ns/op
WorkloadActual   2: 1000 op, 4100.00 ns, 4.1 ns/op
// benchbook: {"event":"ended","launch":0,"entry":0,"iterations":[[1000,3000],[1000,3100]],"allocatedBytes":48}
// benchbook: {"event":"began","launch":1,"entry":0,"benchmark":"A.X","case":"N=1"}
System.Reflection.TargetInvocationException: Exception has been thrown by the target
 ---> System.InvalidOperationException: no
   at A.X() in /somewhere/Cell.cs:line 4
   at BenchmarkDotNet.Engines.Engine.Measure()
// benchbook: {"event":"ended","launch":1,"entry":0,"iterations":[],"allocatedBytes":null}
"""  # noqa: E501


def test_the_harness_tells_what_happens():
    told = list(events.read(iter(LOG.splitlines())))
    assert told[0] == Entries((BenchmarkEntry("A.X", "N=1", baseline=True),))
    assert told[1] == Began("X [N=1]", 0, 0)
    assert told[2:4] == [Iterated(4000.0, 1000), Iterated(4100.0, 1000)]
    assert told[4] == Launched(0, 0, ((1000, 3000), (1000, 3100)), 48)
    assert told[5] == Began("X [N=1]", 1, 0)


def test_a_failure_is_told_at_the_line_of_the_cell_and_without_foreign_frames():
    failed = list(events.read(iter(LOG.splitlines())))[-1]
    assert failed.iterations == ()
    assert failed.words.splitlines() == [
        "    System.InvalidOperationException: no",
        "    at A.X() (cell, line 4)",
    ]


def test_a_class_with_its_own_jobs_has_no_launches_of_ours():
    began = '{"event":"began","launch":null,"entry":null,"benchmark":"A.X","case":""}'
    ended = '{"event":"ended","launch":null,"entry":null,"iterations":[[1,2]],"allocatedBytes":0}'
    lines = [f"// benchbook: {line}" for line in (began, ended)]
    assert list(events.read(iter(lines))) == [Began("X")]


def test_compiler_errors_are_told_once_at_the_lines_of_the_cell():
    line = "/tmp/x/Cell.cs(4,35): error CS0103: The name 'foo' does not exist [/tmp/x/a.csproj]"
    said = dotnet_project.build_errors(f"{line}\n{line}\nBuild FAILED.")
    assert said.strip() == "cell, line 4, column 35: The name 'foo' does not exist (CS0103)"


def test_an_error_shows_its_line_and_a_caret(tmp_path):
    (tmp_path / "Cell.cs").write_text("#line 2\npublic class A {\n\tint x = foo;\n}\n")
    line = f"{tmp_path}/Cell.cs(3,10): error CS0103: no foo [{tmp_path}/a.csproj]"
    said = dotnet_project.build_errors(line, tmp_path)
    assert said.splitlines()[2:] == ["     int x = foo;", "             ^"]
    assert "^" not in dotnet_project.build_errors(line.replace("(3,", "(99,"), tmp_path)


@pytest.fixture
def cell(checkout):
    return lambda code: cell_project.stage_cell(code).path.parent


def test_a_cell_becomes_a_project(cell):
    folder = cell("public class A { }")
    assert (folder / "Cell.cs").read_text() == "#line 2\npublic class A { }\n"
    assert "global using System.Linq;" in (folder / "Usings.cs").read_text()
    assert cell("public class A { }") == folder, "the same code is not built twice"
    assert cell("public class B { }") != folder


def test_packages_of_a_cell_become_references(cell):
    folder = cell('#r "nuget: Some.Package, 1.2.3"\n#r "nuget: Other"\npublic class A { }')
    project = next(folder.glob("*.csproj")).read_text()
    assert '<PackageReference Include="Some.Package" VersionOverride="1.2.3" />' in project
    assert '<PackageReference Include="Other" VersionOverride="*" />' in project
    assert '<PackageReference Include="BenchmarkDotNet" />' in project
    lines = (folder / "Cell.cs").read_text().splitlines()
    assert lines == ["#line 2", "", "", "public class A { }"], "the lines keep their numbers"


def test_builds_that_nobody_uses_are_forgotten(checkout, monkeypatch):
    builds = checkout / ".benchbook" / "builds"
    scratch = checkout / ".benchbook" / "scratch"
    names = ["Benchmarks-new-1", "Benchmarks-a-1", "Benchmarks-b-1", "Benchmarks-c-1", "other-1"]
    for age, name in enumerate(names):
        (builds / name).mkdir(parents=True)
        os.utime(builds / name, (time.time() - 5000 * age,) * 2)
    for name in ("Benchmarks-b", "Benchmarks-c"):
        (scratch / name).mkdir(parents=True)
    os.utime(scratch / "Benchmarks-b", (time.time() - 20_000,) * 2)
    monkeypatch.setattr(dotnet_project, "KEPT_BUILDS", 3)
    dotnet_project.forget_old()
    left = sorted(path.name for path in builds.iterdir())
    assert left == sorted({*names} - {"Benchmarks-b-1"})
    assert [p.name for p in scratch.iterdir()] == ["Benchmarks-c"], "just staged, to be built next"


def found(name, launches, **more) -> BenchmarkResult:
    given = {"job": "quick", "success": True, "allocated_bytes": 0, **more}
    copy = given.pop("copy", False)
    baseline = given.pop("baseline", False)
    samples = tuple(tuple((1000, ns * 1000) for ns in launch) for launch in launches)
    return BenchmarkResult(
        BenchmarkEntry(f"A.{name}", "", baseline, copy), launches=samples, **given
    )


def report(*every, warnings=()) -> BenchmarkReport:
    return BenchmarkReport("0.14.0", "BenchmarkDotNet", False, (), (), (), tuple(warnings), every)


def test_an_interval_is_over_launches_and_never_below_zero():
    time = benchmarks.time_of(found("X", [[2.0, 2.2], [1.0, 1.2], [4.0, 4.2]]))
    assert time.launches == 3 and time.centre == pytest.approx(2.4333, rel=1e-3)
    assert 0 < time.interval[0] < 1.1 and time.interval[1] > 4.1


def test_one_iteration_has_no_interval_and_an_empty_method_no_time():
    assert benchmarks.time_of(found("X", [[2.0]])).interval is None
    assert benchmarks.time_of(found("X", [[0.0, 0.0]])) is None
    assert benchmarks.time_of(found("X", [])) is None


def test_what_is_not_known_is_never_shown_as_none():
    """BenchmarkDotNet writes "" where it knows no margin, which reads as 0."""
    for unknown in ([[2.0]], [[2.0], []], [[2.0, -1.0]]):
        drawn = benchmarks_figure(report(found("X", unknown), found("Y", [])))
        rows = [line.split("|") for line in drawn.numbers.text.splitlines() if "X" in line]
        assert rows and "—" in str(rows) and " 0 ns" not in drawn.numbers.text
        assert not [t for t in drawn.plotly["data"] if "interval" in str(t.get("name"))]


def test_the_control_is_how_much_the_copy_differs():
    base = found("X", [[2.0, 2.0], [2.0, 2.0], [2.02, 2.0]], baseline=True)
    copy = found("X", [[2.0, 2.02], [2.04, 2.0], [2.0, 2.0]], baseline=True, copy=True)
    ((title, interval),) = micro_cards.copy_ratios(report(base, copy))
    assert title == "X" and 0.98 < interval.ratio < 1.01 and 0 < interval.half_width < 0.1
    assert "Control: two copies of X differed by" in micro_cards.limits_text(
        BenchmarkRequest(), report(base, copy)
    )


def test_a_benchmark_that_still_becomes_faster_is_named():
    warm, cold = [[2.0, 2.0, 2.0]] * 2, [[4.0, 3.0, 2.0]] * 2
    said = micro_cards.unsteady(report(found("Warm", warm), found("Cold", cold)))
    assert len(said) == 1 and said[0].startswith("Cold ")


def test_alike_warnings_are_told_together():
    every = [
        Advice("Warning", "ZeroMeasurement", "as long as an empty method", "X"),
        Advice("Warning", "ZeroMeasurement", "as long as an empty method", "Y"),
        Advice("Hint", "Outliers", "1 outlier was detected (1 ns)", "X"),
    ]
    said = micro_cards.warning_texts(report(warnings=every))
    assert said[0] == "BenchmarkDotNet, warning: as long as an empty method (X, Y)"
    assert len(said) == 2


def test_the_plot_has_its_numbers_as_a_table():
    drawn = benchmarks_figure(report(found("X", [[2.0], [2.2]]), found("Y", [[900.0], [950.0]])))
    assert drawn.plotly["layout"]["xaxis"]["type"] == "log"
    assert "2.1 ns" in drawn.numbers.text and "925 ns" in drawn.numbers.text
    assert "X takes 2.1 ns, Y 925 ns" in drawn.label


def test_times_are_written_with_their_unit():
    assert [wording.duration(t) for t in (0.5, 61.24, 1200.0, 3.4e6)] == [
        "0.5 ns",
        "61.2 ns",
        "1.2 µs",
        "3.4 ms",
    ]
