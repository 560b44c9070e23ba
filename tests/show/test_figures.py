"""Figures show the numbers that were computed, all of them, and their text twins the same."""

import math
import re
from dataclasses import replace

import pytest

from benchbook.analysis.judging import judge, verdicts
from benchbook.analysis.statistics.stats import Interval
from benchbook.model.runs import Entry
from benchbook.show import embed, wording
from benchbook.show.figures import base, ratios
from benchbook.show.figures.latencies import PERCENTILES, latencies_figure
from benchbook.show.figures.ratios import ratios_figure
from benchbook.show.figures.samples import samples_figure

SPEEDS = {"a": 1000.0, "b": 1100.0, "c": 950.0}


@pytest.fixture
def run(make_run):
    return make_run(SPEEDS)


@pytest.fixture
def results(run, experiment):
    return judge.judge(run, experiment.claim)


def traces(figure: embed.Figure) -> dict[str, dict]:
    return {trace["name"]: trace for trace in figure.plotly["data"]}


def texts(layout: dict) -> list[str]:
    return [annotation["text"] for annotation in layout["annotations"]]


def every_figure(run, results) -> list[embed.Figure]:
    return [ratios_figure(run, results), samples_figure(run), latencies_figure(run)]


def test_points_and_intervals_of_the_ratios_are_the_results(run, results):
    shown = traces(ratios_figure(run, results))
    for name in ("a#2", "b", "c"):
        interval = results.ratios[name]
        assert shown[name]["x"] == pytest.approx([100 * (interval.ratio - 1)])
        ends = [100 * (interval.low - 1), 100 * (interval.high - 1)]
        assert shown[f"{name} interval"]["x"] == pytest.approx(ends)


def test_what_is_too_small_is_a_band_and_the_baseline_a_line_at_zero(run, results):
    layout = ratios_figure(run, results).plotly["layout"]
    band, line = layout["shapes"]
    assert band["type"] == "rect" and band["yref"] == "paper"
    assert [band["x0"], band["x1"]] == pytest.approx([100 * (1 / 1.05 - 1), 5])
    assert line["type"] == "line" and line["x0"] == line["x1"] == 0
    assert "±5 %: too small to matter" in texts(layout)


def test_a_statement_that_declares_its_own_smallest_effect_has_a_band_of_its_own(run, experiment):
    said = replace(experiment.claim.statements[0], smallest_effect=0.02)
    found = judge.judge(run, replace(experiment.claim, statements=(said,)))
    layout = ratios_figure(run, found).plotly["layout"]
    *bands, _ = layout["shapes"]
    row = layout["yaxis"]["ticktext"].index("b")
    assert [round(band["x1"], 6) for band in bands] == [2 if i == row else 5 for i in range(3)]
    assert bands[row]["y0"] == row - 0.5 and bands[row]["y1"] == row + 0.5
    assert "±2 % to 5 %: too small to matter" in texts(layout)


def test_beside_each_row_stands_what_follows(run, results):
    layout = ratios_figure(run, results).plotly["layout"]
    answers = {a["y"]: a["text"] for a in layout["annotations"] if a.get("xshift")}
    shown = {name: answers[i] for i, name in enumerate(layout["yaxis"]["ticktext"])}
    assert "✔</span> reproduced" in shown["b"] and shown["b"].endswith("<br>as published")
    assert wording.rounded(results.ratios["b"].ratio) in shown["b"]
    assert shown["c"] == f"<b>{wording.rounded(results.ratios['c'].ratio)}</b>"
    assert "verdict" not in shown["a#2 (control)"] and "<b>" not in shown["a#2 (control)"]
    assert layout["margin"]["r"] == ratios.ANSWERS_PX


@pytest.mark.parametrize(
    ("speed", "noise", "answer"),
    [
        (1000.0, 0.01, "=</span> no difference<br>ruled out at +10 %"),
        (1050.0, 0.01, "✔</span> reproduced<br>smaller than published"),
        (900.0, 0.01, "✘</span> opposite<br>ruled out at +10 %"),
        (1040.0, 0.2, "?</span> too close to call<br>as published"),
    ],
)
def test_the_size_is_an_answer_of_its_own(make_run, experiment, speed, noise, answer):
    run = make_run({"a": 1000.0, "b": speed}, noise=noise)
    found = judge.judge(run, experiment.claim)
    assert any(answer in text for text in texts(ratios_figure(run, found).plotly["layout"]))


def test_what_is_undecided_says_how_long_it_would_take(make_run, experiment):
    run = make_run({"a": 1000.0, "b": 1040.0}, noise=0.2)
    run.timing["total_seconds"] = 60.0
    said = replace(experiment.claim.statements[0], ratio=None, id="no-size")
    claim = replace(experiment.claim, statements=(said,), figures=())
    found = judge.judge(run, claim)
    (judgement,) = found.judgements
    more = wording.more_text(judgement.seconds_more)
    figure = ratios_figure(run, found)
    assert judgement.verdict == verdicts.TOO_CLOSE and judgement.seconds_more > 0
    assert any(text.endswith(f"<br>{more}") for text in texts(figure.plotly["layout"]))
    assert more in figure.numbers.text


@pytest.mark.parametrize(
    ("together", "how"),
    [
        (True, "all programs loaded at once, CPU time per request"),
        (False, "in turns, requests/s"),
    ],
)
def test_the_figure_says_how_was_measured(make_run, experiment, together, how):
    run = make_run(SPEEDS, together=together)
    found = judge.judge(run, experiment.claim)
    layout = ratios_figure(run, found).plotly["layout"]
    assert how in layout["title"]["text"]
    assert layout["xaxis"]["title"]["text"] == f"{run.unit} compared with a"
    assert 1.08 < found.ratios["b"].ratio < 1.12


def test_the_figure_says_what_ran_in_which_version(run, results):
    run.entry("b").software = ["Gerbil 0.16"]
    assert ratios_figure(run, results).plotly["layout"]["title"]["text"].count("Gerbil 0.16") == 1


def test_the_published_ratio_is_a_diamond_in_its_variants_row(run, results):
    figure = ratios_figure(run, results)
    published = traces(figure)["published"]
    assert published["x"] == pytest.approx([10.0])
    assert published["y"] == traces(figure)["b"]["y"]
    assert published["marker"]["symbol"] == "diamond-open"
    assert "+10.0 %" in figure.numbers.text


def test_rows_are_named_and_the_fastest_is_on_top(run, results):
    axis = ratios_figure(run, results).plotly["layout"]["yaxis"]
    assert axis["ticktext"] == ["a#2 (control)", "c", "b"]
    assert axis["range"][0] < axis["range"][1]


def test_an_unbounded_interval_ends_in_arrows_at_the_edge(run, results):
    results.ratios["c"] = Interval(0.95, 0.0, 1e300, 1.0, 1, within_one_launch=True)
    figure = ratios_figure(run, results)
    ends = figure.plotly["layout"]["xaxis"]["range"]
    bar = traces(figure)["c interval"]
    assert all(map(math.isfinite, ends))
    assert bar["marker"]["symbol"][1] == "triangle-right"
    assert bar["x"][1] == ends[1]


@pytest.mark.parametrize("status", ["unavailable", "failed"])
def test_a_variant_that_did_not_race_keeps_its_row_and_says_why(run, results, status):
    reason = "needs <gxi>, which is not installed\n  → apt-get install gerbil"
    run.entries.append(Entry("d", "d", "variant", "d.ss", "0" * 64, False, status, reason))
    figure = ratios_figure(run, results)
    notes = [note["text"] for note in figure.plotly["layout"]["annotations"]]
    assert any(status in note and "&lt;gxi&gt;" in note for note in notes)
    assert "d" in figure.plotly["layout"]["yaxis"]["ticktext"]
    assert "<gxi>" in figure.numbers.text and "needs &lt;gxi&gt;" in figure.numbers.html


def test_variants_that_are_missing_for_one_reason_share_a_row(run, results):
    for name in ("d-with-a-name", "e-with-a-name", "f", "published"):
        run.entries.append(
            Entry(name, name, "variant", "x", "0" * 64, False, "unavailable", "Node.js 99 is not")
        )
    published = {"published": 2.0}
    rows = ratios.ratio_rows(run, results, published)
    assert [[e.name for e in row] for row in rows[:2]] == [
        ["d-with-a-name", "e-with-a-name", "f"],
        ["published"],
    ]
    assert ratios.row_label(rows[0]) == "d-with-a-name,<br>e-with-a-name, f"
    assert ratios.row_label([*rows[0]] * 2) == "d-with-a-name, 5<br>more"
    assert ratios.published_trace(rows, published)["y"] == [1]
    notes = ratios_figure(run, results).plotly["layout"]["annotations"]
    assert sum("unavailable: Node.js 99" in note["text"] for note in notes) == 1


def test_without_a_control_the_ratios_figure_says_so(run, experiment):
    run.samples = [s for s in run.samples if s.variant != "a#2"]
    figure = ratios_figure(run, judge.judge(run, experiment.claim))
    assert "Control: unknown" in figure.numbers.text
    assert figure.label.startswith("b is ")  # it is no threshold: the verdict stands


def test_without_ratios_the_title_says_so(run, experiment):
    run.samples = [s for s in run.samples if s.variant == "a"]
    figure = ratios_figure(run, judge.judge(run, experiment.claim))
    assert figure.label == "No ratio to a could be measured"


@pytest.mark.parametrize("together", [True, False])
def test_every_sample_is_drawn_in_its_launch_and_block(make_run, together):
    run = make_run(SPEEDS, together=together)
    shown = traces(samples_figure(run))
    for entry in run.entries:
        mine = [s for s in run.samples if s.variant == entry.name]
        trace = next(t for t in shown.values() if t.get("legendgroup") == entry.name)
        drawn = [(x, y) for x, y in zip(trace["x"], trace["y"]) if y is not None]
        assert [x for x, _ in drawn] == [5 * s.launch + s.block for s in mine]
        assert [y for _, y in drawn] == pytest.approx([run.speed(s) for s in mine])
        assert trace["y"].count(None) == run.plan.launches - 1


def test_launches_are_parted_by_lines_and_named(run):
    layout = samples_figure(run).plotly["layout"]
    assert [shape["x0"] for shape in layout["shapes"]] == [5 * i - 0.5 for i in range(5)]
    assert layout["xaxis"]["ticktext"] == [f"launch {i + 1}" for i in range(5)]


def test_warm_up_is_drawn_before_the_blocks_and_shaded(run, results):
    first = [s for s in run.samples if s.block == 0]
    run.warmups = [replace(s, block=-1, requests_per_second=1.0) for s in first]
    layout = samples_figure(run, left_out=(1, 0, 0, 0, 0)).plotly["layout"]
    shades = [s for s in layout["shapes"] if s["type"] == "rect"]
    assert [(s["x0"], s["x1"]) for s in shades] == [
        (6 * launch - 0.5, 6 * launch + (1.5 if launch == 0 else 0.5)) for launch in range(5)
    ]
    figure = samples_figure(run, left_out=(1, 0, 0, 0, 0))
    trace = next(t for t in figure.plotly["data"] if t["legendgroup"] == "b")
    assert trace["x"][:3] == [0, 1, 2] and trace["y"][0] == 1.0
    assert "1 block of warm-up left out" in figure.label
    assert re.search(r"1 +1 \(warm-up\)", figure.numbers.text)


def test_flagged_samples_are_crossed_and_stay(run):
    run.samples[3].flags.append("server-idle")
    run.samples[7].flags.extend(["errors", "server-idle"])
    figure = samples_figure(run)
    cross = traces(figure)["flagged (2)"]
    speeds = [run.samples[i].requests_per_second for i in (3, 7)]
    assert cross["y"] == pytest.approx(speeds)
    assert "errors, server-idle" in cross["text"][1]
    crossed, *samples = figure.plotly["data"]
    assert crossed == cross, "behind the samples, which it must not hide"
    drawn = sum(y is not None for t in samples for y in t["y"])
    assert drawn == len(run.samples)
    assert "2 of 80 samples are flagged" in figure.label
    assert "a: errors; b: server-idle" in figure.numbers.text
    assert f"{run.samples[7].requests_per_second:,.0f} ab" in figure.numbers.text


def test_the_samples_twin_holds_every_sample(run):
    text = samples_figure(run).numbers.text
    for sample in run.samples:
        assert re.search(rf"\b{run.speed(sample):,.0f}\b", text)


def test_latencies_are_the_median_and_the_spread_over_samples(run):
    values = [1.0 + i for i in range(20)]
    mine = [s for s in run.samples if s.variant == "b"]
    for sample, value in zip(mine, values, strict=True):
        sample.latency_ms["p99"] = value
    figure = latencies_figure(run)
    trace, column = traces(figure)["b"], PERCENTILES.index("p99")
    assert trace["y"][column] == 10.5
    assert trace["error_y"]["array"][column] == 9.5
    assert trace["error_y"]["arrayminus"][column] == 9.5
    assert figure.plotly["layout"]["yaxis"]["type"] == "log"
    assert "10.5 (1 to 20)" in figure.numbers.text


def test_percentiles_that_a_tool_does_not_give_are_left_out(run):
    for sample in run.samples:
        sample.latency_ms["p99_9"] = None
        sample.latency_ms["p50"] = 0.0  # ab counts whole milliseconds
    figure = latencies_figure(run)
    for trace in figure.plotly["data"]:
        assert len(trace["y"]) == len(PERCENTILES) - 1
        assert min(trace["y"]) > 0
    assert "—" in figure.numbers.text


def test_each_entry_has_a_colour_and_a_symbol_of_its_own_in_all_figures(make_run, experiment):
    run = make_run({"a": 1000.0, **{f"v{i}": 1000.0 + i for i in range(7)}})
    found = judge.judge(run, experiment.claim)
    looks = [
        {
            (trace["marker"]["color"], trace["marker"]["symbol"])
            for trace in figure.plotly["data"]
            if trace["name"].startswith("v") and "interval" not in trace["name"]
        }
        for figure in every_figure(run, found)
    ]
    assert looks[0] == looks[1] == looks[2]
    assert len({colour for colour, _ in looks[0]}) == len({symbol for _, symbol in looks[0]}) == 7


def test_a_run_without_samples_has_figures(make_run, experiment):
    run = make_run(SPEEDS)
    run.samples = []
    for figure in every_figure(run, judge.judge(run, experiment.claim)):
        assert figure.plotly["layout"]["height"] > 100


def test_long_names_are_wrapped_and_html_in_names_is_text(make_run, experiment):
    name = "a-variant-with-a-name-that-is-longer-than-any-axis"
    run = make_run({"a": 1.0, name: 1.0, "<b>": 2.0})
    figure = ratios_figure(run, judge.judge(run, experiment.claim))
    rows = figure.plotly["layout"]["yaxis"]["ticktext"]
    assert any("<br>" in row and row.replace("<br>", "") == name for row in rows)
    assert "&lt;b&gt;" in rows
    assert "<td><b>" not in figure.html()


def test_a_long_legend_has_room(make_run, experiment):
    run = make_run({f"variant-{i}-with-quite-a-long-name": 1000.0 + i for i in range(30)})
    layout = samples_figure(run).plotly["layout"]
    plot = layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]
    assert plot >= 31 * 44  # px of two lines each, as plotly.js sets them
    assert layout["title"]["y"] == pytest.approx(1 - base.TITLE_PX / layout["height"])


def test_numbers_are_written_as_in_the_tables(run, results):
    text = ratios_figure(run, results).numbers.text
    for interval in results.ratios.values():
        assert wording.percent(interval.ratio) in text
        assert wording.interval_text(interval) in text
