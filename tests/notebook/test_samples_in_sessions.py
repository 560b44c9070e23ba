"""`run`, the samples of the race that was shown last, in cells of every language; and plotly()."""

import os
import shutil

import pytest

from benchbook.analysis import rows
from benchbook.model import results
from benchbook.show import embed
from benchbook.system import paths
from benchbook_kernels.notebook.interactive import values
from benchbook_kernels.notebook.sessions import csharp_records

EXPERIMENT = "04-setheader-vs-writehead"
RECORDED = paths.root() / "data" / "runs" / f"{EXPERIMENT}.json"


@pytest.fixture
def raced(open_kernel, tmp_path):
    """A kernel in which a race of notebook 04 is there to be shown again."""
    root = tmp_path / "root"
    own = root / ".benchbook" / "runs" / EXPERIMENT
    own.mkdir(parents=True)
    shutil.copy(RECORDED, own)
    for name in ("data", "snippets", "notebooks", "node_modules"):
        (root / name).symlink_to(paths.root() / name)
    paths.builds().mkdir(parents=True, exist_ok=True)
    (root / ".benchbook" / "builds").symlink_to(paths.builds())
    env = {**os.environ, "BENCHBOOK_ROOT": str(root), "BENCHBOOK_SCORE": "off"}
    kernel = open_kernel("benchbook-node", env=env)
    kernel.run("%experiment 04")
    return kernel


def test_rows_are_the_samples_of_a_run():
    run = results.load(RECORDED)
    found = rows.rows(run, (0, 1))
    assert len(found) == len(run.samples)
    assert [row["speed"] for row in found] == [run.speed(sample) for sample in run.samples]
    assert all(row["warm_up"] == (row["launch"] == 1 and row["block"] < 1) for row in found)


@pytest.mark.slow("starts three sessions")
def test_after_a_race_run_is_in_every_language(raced):
    run = results.load(RECORDED)
    count, first = len(run.samples), rows.rows(run)[0]
    assert raced.run("%%csharp\n1 + 1").value == "2"  # a session that runs before the race
    assert raced.run("%race --last").reply["status"] == "ok"
    assert raced.run("[run.length, run[0].name, run[0].warm_up]").value == (
        f"[ {count}, '{first['name']}', false ]"
    )
    assert raced.run("Math.round(run[0].speed)").value == str(round(first["speed"]))
    typed = "(run.Count, run.First().Name, run[0].Launch + 1, run.Max(r => r.P99Ms) > 0)"
    assert raced.run(f"%%csharp\n{typed}").value == f"({count}, {first['name']}, 1, True)"
    rounded = raced.run("%%csharp\nMath.Round(run[0].Speed)").value
    assert rounded == str(round(first["speed"]))
    assert raced.run("%%python\nlen(run)").value == str(count)
    raced.run("run = run.slice(1)")
    assert raced.run("run.length").value == str(count - 1)
    assert raced.run("%race --last").reply["status"] == "ok"
    assert raced.run("run.length").value == str(count)
    raced.run("const run = 5")  # a constant of the reader's own can't be declared again: it stays
    assert raced.run("%race --last").reply["status"] == "ok"
    assert raced.run("run").value == "5"


def test_rows_are_a_table_where_pandas_is_and_records_where_it_is_not():
    some = [{"name": "a", "p50_ms": None}, {"name": "b", "p50_ms": 2.0}]
    try:
        import pandas
    except ImportError:
        assert values.framed(some) is some
    else:
        assert isinstance(values.framed(some), pandas.DataFrame)
        assert values.framed(some)["p50_ms"].dtype == float


def test_records_in_csharp_have_types_and_what_is_not_known_is_nan(csharp):
    some = [
        {"name": 'a "quoted"\n', "n": 1, "big": 2**40, "p50_ms": None, "ok": True, "p99_9": 1},
        {"name": "b", "n": 2, "big": 1, "p50_ms": 1.5, "ok": False},
    ]
    csharp.run(csharp_records.code("told", some))
    told = csharp.run("told[0].Name.Length + told[1].N + told[0].Big + (told[0].Ok ? 1 : 0)")
    assert told.data["text/plain"] == str(11 + 2 + 2**40 + 1)
    unknown = "(double.IsNaN(told[0].P50Ms), told[1].P50Ms, double.IsNaN(told[1].P999))"
    assert csharp.run(unknown).data["text/plain"] == "(True, 1.5, True)"


@pytest.mark.parametrize(
    "rows_, expected",
    [([{"a": 1}, {}], "double A"), ([{"a": "x"}], "string A"), ([{"a": 2**31}], "long A")],
)
def test_members_have_the_type_that_holds_all_of_their_values(rows_, expected):
    assert f"record ToldRow({expected})" in csharp_records.code("told", rows_)


def test_plotly_draws_from_a_csharp_cell(csharp):
    csharp.run(
        'plotly(new { x = new[] { 1, 2 }, y = new[] { 1.5, double.NaN }, name = "work" },'
        ' new { title = new { text = "two points" } })'
    )
    ((_, data, *_),) = csharp.output.displays
    figure = data[embed.PLOTLY]
    assert figure["data"] == [{"x": [1, 2], "y": [1.5, None], "name": "work"}]
    assert data["text/plain"] == "A plot: two points\nwork: scatter, 2 points"
    csharp.run('plotly(new object[] { new { y = new[] { 1 } }, new { type = "bar" } });')
    assert len(csharp.output.displays[-1][1][embed.PLOTLY]["data"]) == 2
    assert "takes a series" in csharp.run("plotly(5);").evalue


def test_plotly_draws_from_a_node_cell(node):
    result = node.run(
        "plotly({ x: [1, 2], y: [1.5, NaN], name: 'work' }, { title: { text: 'two points' } })"
    )
    assert result.data is None  # it is shown once
    ((_, data, *_),) = node.output.displays
    assert data[embed.PLOTLY]["data"] == [{"x": [1, 2], "y": [1.5, None], "name": "work"}]
    assert data["text/plain"] == "A plot: two points\nwork: scatter, 2 points"
    node.run("plotly([{ y: [1] }, { type: 'bar' }])")
    assert len(node.output.displays[-1][1][embed.PLOTLY]["data"]) == 2
    assert "takes a series" in node.run("plotly(5)").evalue


@pytest.mark.slow("brings a package from NuGet")
def test_a_chart_of_plotly_net_is_drawn(own_csharp):
    result = own_csharp.run('#r "nuget: Plotly.NET.CSharp, 0.14.0"')
    if result.status != "ok":
        assert "Plotly.NET" in result.evalue  # says which package could not be had
        return
    chart = "Chart.Point<int, int, string>(x: new[] { 1, 2 }, y: new[] { 3, 4 })"
    result = own_csharp.run(f"using Plotly.NET.CSharp; {chart}")
    assert result.data[embed.PLOTLY]["data"][0]["y"] == [3, 4], result
    assert result.data["text/plain"] == "A plot\nseries 1: scatter, 2 points"
