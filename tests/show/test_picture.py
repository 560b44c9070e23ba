"""Static pictures of figures: each figure of Benchbook has one, with all that the figure says."""

import ast
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest

from benchbook.analysis import scoreboard
from benchbook.analysis.judging import judge
from benchbook.analysis.judging.verdicts import OPPOSITE, REPRODUCED
from benchbook.analysis.pooled.guessing import GuessedPair, GuessingRoom, RoomGuess
from benchbook.loadtools.tool import Load
from benchbook.model import experiments, results
from benchbook.model.profiles.attack import Attack, Attempt
from benchbook.model.profiles.by_version import (
    AskedStatement,
    ByVersion,
    VersionAnswer,
    VersionTold,
)
from benchbook.model.profiles.profile import Frame
from benchbook.profiling import layers
from benchbook.race.kinds.benchmarks.events import BenchmarkEntry as Timed
from benchbook.race.kinds.benchmarks.events import BenchmarkReport, BenchmarkResult
from benchbook.show import embed, room_page
from benchbook.show.attack.shown import attack_figure
from benchbook.show.figures import base, explored, growth
from benchbook.show.figures.benchmarks import benchmarks_figure
from benchbook.show.figures.guesses import guesses_figure
from benchbook.show.figures.latencies import latencies_figure
from benchbook.show.figures.parts import parts_figure
from benchbook.show.figures.ratios import ratios_figure
from benchbook.show.figures.room import room_figure
from benchbook.show.figures.samples import samples_figure
from benchbook.show.figures.scoreboard import scoreboard_figure
from benchbook.show.markup import note
from benchbook.show.pictures import marks, picture
from benchbook.show.pictures.rich_text import Font, lines
from benchbook.show.versions.shown import versions_figure
from benchbook.show.why.layer_bars import layer_bars
from benchbook.show.why.shown import ShownProfile
from benchbook.system import paths
from notebook_00 import EXPERIMENT
from notebook_00 import figures as lessons
from notebook_00 import kernel_cost, open_loop, stalling
from profiling.simulated import SERVER, comparison, of_b

SVG = "{http://www.w3.org/2000/svg}"
HARMLESS = {f"{SVG}{name}" for name in ("svg", "rect", "path", "text", "tspan")}


def recorded(name: str):
    """(a recorded run, what it says, its claim)."""
    run = results.load(paths.references() / f"{name}.json")
    claim = experiments.find(name.replace(".", "/")).claim
    return run, judge.judge(run, claim), claim


def ratios() -> embed.Figure:
    return ratios_figure(*recorded("04-setheader-vs-writehead"))


def samples() -> embed.Figure:
    run, found, _ = recorded("04-setheader-vs-writehead")
    return samples_figure(run, found.left_out)


def latencies() -> embed.Figure:
    return latencies_figure(recorded("04-setheader-vs-writehead")[0])


def growing() -> embed.Figure:
    return growth.growth_figure(recorded("08-routers-and-muxes.memory")[0])


def parts() -> embed.Figure:
    return parts_figure(recorded("07-serializers.http")[0])


def room() -> embed.Figure:
    (found,), _ = room_page.gather_rooms([paths.references() / "04-setheader-vs-writehead.json"])
    assert room_page.outputs([found], [])[0].text.startswith("Raced on one machine only")
    return room_figure(found)


def board() -> embed.Figure:
    experiment, (run, found, _) = experiments.find("04"), recorded("04-setheader-vs-writehead")
    rows = [
        scoreboard.BoardRow(experiment, each.statement, each.published, side, side)
        for each in found.judgements
        for side in [scoreboard.Side(run, each, False)]
    ]
    return scoreboard_figure(scoreboard.Board(tuple(rows), {}, {}))


def benchmarks() -> embed.Figure:
    def timed(name: str, *launches: float, **more: bool) -> BenchmarkResult:
        times = tuple(((1000, ns * 1000),) for ns in launches)
        return BenchmarkResult(Timed(f"A.{name}", "", **more), "quick", True, 0, times)

    found = (timed("X", 2.0, 2.2, baseline=True), timed("Y", 900.0, 1950.0), timed("Z", 5e6))
    return benchmarks_figure(
        BenchmarkReport("0.15", "BenchmarkDotNet", False, (), (), (), (), found)
    )


def launches() -> embed.Figure:
    run, found, _ = recorded("04-setheader-vs-writehead")
    return lessons.launches(run, found, "no-header")


def best_of_three() -> embed.Figure:
    run, found, _ = recorded("04-setheader-vs-writehead")
    return lessons.best_of_three(run, found, "no-header")


def stall() -> embed.Figure:
    seen = {"p50": 0.0, "p75": 3.0, "p90": 4.0, "p99": 900.0, "p99_9": 990.0, "max": 1000.0}
    load = {"seconds": 1.0, "requests": 100, "errors": {}, "non_2xx": 0, "bytes": 0}
    late = {"rate_asked": 1e3, "due": 100, "sent": 100, "late_ms": {}, "waited": 0, "curve": ()}
    closed = Load(latency_ms={**seen, "p99": 5.0}, **load)
    opened = open_loop.OpenLoad(latency_ms=seen, from_send_ms=seen, **load, **late)
    found = stalling.Comparison(stalling.Stall(), {"autocannon": closed}, opened, 0.1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stalling, "compare_loops", lambda *_, **__: found)
        return lessons.stall()


def loops() -> embed.Figure:
    alone, cell = kernel_cost.Place("a program"), kernel_cost.Place("a cell")
    alone.milliseconds, cell.milliseconds = [10, 11, 12], [22, 20, 23]
    return kernel_cost.draw([alone, cell])


def stacks() -> embed.Figure:
    planted = comparison(
        SERVER, {**of_b(SERVER), Frame("slow", "your code", "file:///b.mjs", 4): 2.0}
    )
    return ShownProfile(planted).figure


def guessed() -> embed.Figure:
    guesses = (RoomGuess("1", 1.1, 1.05), RoomGuess("2", 0.8, None), RoomGuess("3", 2.0, 1.2))
    pairs = (GuessedPair("b", "", guesses), GuessedPair("c", "b", guesses[1:2]))
    return guesses_figure(GuessingRoom("04", pairs, ()))


def attacked() -> embed.Figure:
    told = [("as usual", OPPOSITE, 0.8), ("200 connections", REPRODUCED, 1.2)]
    attempts = [Attempt(c, v, "", r, r * 0.9, r * 1.1, 1e-4, 20.0, "") for c, v, r in told]
    attempts.append(Attempt("Node.js 22", "not raced", "it died", None, None, None, 1.0, 0.0, ""))
    names = [each.condition for each in attempts]
    made = Attack("04", "a", "b", "0" * 64, 0.02, {}, "1", results.now(), names, attempts)
    return attack_figure(made)


def by_version() -> embed.Figure:
    versions = [VersionTold("20", "Node.js 20.1.0"), VersionTold("22", "Node.js 22.1.0")]
    asked = [AskedStatement("faster", "b is faster", ["b", "a"], 0.05)]
    answers = [
        VersionAnswer("faster", each.label, verdict, "", r, r * 0.95, r * 1.05, 1e-9, "")
        for each, verdict, r in zip(versions, (OPPOSITE, REPRODUCED), (0.8, 1.3), strict=True)
    ]
    of = ("04-setheader-vs-writehead", "--node", "Node.js", "22")
    made = ByVersion(*of, versions, asked, "0" * 64, {}, "1", results.now(), 1.0, answers)
    return versions_figure(made)


def by_layer() -> embed.Figure:
    pair = comparison(SERVER, of_b(SERVER), scatter=0.0)
    return layer_bars(layers.layers([pair], ["a", "b"], {}))


# by the function that makes it
FIGURES: dict[str, Callable[[], embed.Figure]] = {
    "ratios_figure": ratios,
    "samples_figure": samples,
    "latencies_figure": latencies,
    "growth.draw": growing,
    "parts_figure": parts,
    "room_figure": room,
    "scoreboard_figure": board,
    "benchmarks_figure": benchmarks,
    "launches": launches,
    "best_of_three": best_of_three,
    "interleaving": lessons.recorded_interleaving,
    "stall": stall,
    "kernel_cost.draw": loops,
    "icicle": stacks,
    "guesses_figure": guessed,
    "attack_figure": attacked,
    "law_figure": explored.amdahl,
    "size_of_room": explored.size_of_room,
    "versions_figure": by_version,
    "layer_bars": by_layer,
}


def makers() -> list[str]:
    """The functions in the code that make a figure."""
    return [
        function.name
        for folder in (paths.PACKAGE, EXPERIMENT)
        for path in folder.rglob("*.py")
        if " figure(" in (text := path.read_text(encoding="utf-8"))
        for function in ast.walk(ast.parse(text))
        if isinstance(function, ast.FunctionDef)
        and any(
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "figure"
            for node in ast.walk(function)
        )
    ]


def test_every_figure_of_benchbook_is_looked_at_here():
    assert sorted(makers()) == sorted(name.rpartition(".")[2] for name in FIGURES)


@pytest.fixture(scope="module", params=FIGURES)
def figure(request) -> embed.Figure:
    return FIGURES[request.param]()


def drawn(figure: embed.Figure) -> ET.Element:
    return ET.fromstring(picture.svg(figure.label, figure.plotly))


def words(markup: str) -> list[str]:
    """The lines of plotly's text, without its tags."""
    found = lines(markup, Font(12, "#333333"))
    return [text for line in found if (text := "".join(word.text for word in line.words))]


def test_a_picture_says_all_that_the_figure_says(figure):
    layout = figure.plotly["layout"]
    axes = [layout["xaxis"], layout["yaxis"]]
    said = [layout["title"]["text"], *(note["text"] for note in layout.get("annotations", ()))]
    said += [axis["title"]["text"] for axis in axes if "text" in axis["title"]]
    said += [str(text) for axis in axes for text in axis.get("ticktext", ())]
    if layout.get("showlegend"):
        said += [t["name"] for t in figure.plotly["data"] if t.get("showlegend", True)]
    shown = ["".join(text.itertext()) for text in drawn(figure).iter(f"{SVG}text")]
    assert {line for text in said for line in words(text)} <= set(shown)
    assert len(shown) > len(axes)


def test_every_value_has_its_mark(figure):
    paths = [path.get("d") for path in drawn(figure).iter(f"{SVG}path")]
    marked = [t for t in figure.plotly["data"] if "markers" in t.get("mode", "")]
    points = [y for trace in marked for y in trace["y"] if y is not None]
    known = {marks.outline(s, size)[2] for s, size in looks(marked)}
    assert sum(path.count(steps) for path in paths for steps in known) >= len(points)
    bars = [t for t in figure.plotly["data"] if t["type"] == "bar"]
    boxes = len(list(drawn(figure).iter(f"{SVG}rect")))
    assert boxes >= sum(len(trace["x"]) for trace in bars)


def looks(traces) -> set[tuple[str, float]]:
    found = set()
    for trace in traces:
        symbols = trace["marker"].get("symbol", "circle")
        symbols = symbols if isinstance(symbols, list) else [symbols]
        found |= {(symbol, trace["marker"]["size"]) for symbol in symbols}
    return found


def test_nothing_stands_outside_the_picture(figure):
    root = drawn(figure)
    _, _, width, height = map(float, root.get("viewBox").split())
    for element in root.iter():
        assert not re.search("nan|inf", str(element.attrib.values()))
        starts = re.findall(r"M(-?[\d.]+) ?(-?[\d.]+)", element.get("d", ""))
        starts += [(element.get("x"), element.get("y"))] if element.get("x") else []
        assert all(0 <= float(x) <= width and 0 <= float(y) <= height for x, y in starts)


def test_front_ends_and_sanitisers_let_a_picture_through(figure):
    """Nothing that runs, loads, or would meet another picture's in a page (ids)."""
    root = drawn(figure)
    assert {element.tag for element in root.iter()} <= HARMLESS
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not attributes & {"id", "style", "class", "href"}
    assert root.get("aria-label") == figure.label


# ── Where things are ─────────────────────────────────────────────────────────────────────────────


def made(x_axis: dict, y_axis: dict, **trace) -> ET.Element:
    """A picture of one series of squares."""
    square = {"symbol": "square", "size": 10, "color": "#0072b2"}
    series = {"type": "scatter", "mode": "markers", "marker": square, "name": "a", **trace}
    layout = base.frame("t", "s", 300, xaxis=x_axis, yaxis=y_axis)
    return drawn(base.figure("t", [series], layout, note("")))


def squares(root: ET.Element) -> list[tuple[float, float]]:
    """The centres of the squares."""
    (squares,) = [
        path.get("d") for path in root.iter(f"{SVG}path") if path.get("fill") == "#0072b2"
    ]
    right, up, _ = marks.outline("square", 10)
    return [
        (float(x) - right, float(y) - up) for x, y in re.findall(r"M([\d.]+) ([\d.]+)", squares)
    ]


def labels(root: ET.Element) -> dict[str, tuple[float, float]]:
    """Where each text is."""
    found = root.iter(f"{SVG}text")
    return {"".join(t.itertext()): (float(t.get("x")), float(t.get("y"))) for t in found}


@pytest.mark.parametrize(
    ("x_axis", "x", "named"),
    [
        ({}, [0, 10, 25], ["0", "10", "25"]),
        ({"ticksuffix": " %"}, [-20, 0, 40], ["−20 %", "0 %", "40 %"]),
        ({"tickvals": [1, 2], "ticktext": ["one", "two"]}, [1, 2], ["one", "two"]),
        ({"type": "log", "dtick": "D2"}, [0.5, 20, 1000], ["0.5", "20", "1,000"]),
        (
            {"type": "log", "dtick": 1, "exponentformat": "SI", "ticksuffix": "s"},
            [1e-9, 1e-5, 0.1],
            ["1 ns", "10 µs", "100 ms"],
        ),
        ({"type": "category"}, ["p", "q"], ["p", "q"]),
        ({"range": [30, 0]}, [0, 10, 25], ["0", "10", "25"]),
    ],
)
def test_marks_stand_above_the_labels_of_their_values(x_axis, x, named):
    root = made(base.axis("", **x_axis), base.axis(""), x=x, y=[1.0] * len(x))
    at = [labels(root)[name][0] for name in named]
    assert [place for place, _ in squares(root)] == pytest.approx(at, abs=0.2)
    assert at == sorted(at, reverse=x_axis.get("range") == [30, 0])


def test_an_axis_of_bars_begins_at_zero():
    root = drawn(parts())
    bars = [r for r in root.iter(f"{SVG}rect") if r.get("fill") == base.COLOURS[0]]
    zero, _ = labels(root)["0"]
    assert [float(bar.get("x")) for bar in bars[:-1]] == pytest.approx([zero] * (len(bars) - 1))


def test_a_long_legend_makes_the_picture_higher():
    names = [f"series {i}" for i in range(40)]
    layout = base.frame("t", "s", 100, xaxis=base.axis(""), yaxis=base.axis(""), showlegend=True)
    line = {"type": "scatter", "mode": "lines", "line": {"color": "#333333"}, "x": [1], "y": [1]}
    data = [{**line, "name": name} for name in names]
    for legend in ({}, {"orientation": "h", "y": -0.2}):
        shown = {**layout, "legend": {**layout["legend"], **legend}}
        root = drawn(base.figure("t", data, shown, note("")))
        height = float(root.get("height"))
        assert all(labels(root)[name][1] < height - 3 for name in names)


def test_markup_in_texts_is_drawn_and_escaped():
    first, second = lines(
        "<b>a &lt;b&gt;</b><br><span style='color:#d55e00'>c</span>", Font(12, "#333")
    )
    assert [(w.text, w.font.bold) for w in first.words] == [("a <b>", True)]
    assert [(w.text, w.font.colour) for w in second.words] == [("c", "#d55e00")]
