"""A room of machines: what it says of ratios and verdicts, and how that is shown."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as distributions

from benchbook.analysis.judging import judge
from benchbook.analysis.pooled import gathering, pooling, room
from benchbook.model import results
from benchbook.show import embed, room_page
from benchbook.show.cards import room_cards
from benchbook.show.figures.room import room_figure, room_title
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from made import edited_json

RECORDED = paths.references() / "04-setheader-vs-writehead.json"


def room_of(put, *speeds: float, noise=0.01) -> room.Room:
    """A room of machines on which b runs at these speeds, and a at 1000."""
    for i, speed in enumerate(speeds):
        path = put(f"m{i}", {"a": 1000.0, "b": speed}, seed=i, noise=noise)
    rooms, skipped = room_page.gather_rooms([path.parent])
    assert not skipped and len(rooms) == 1
    return rooms[0]


# ── What it says ─────────────────────────────────────────────────────────────────────────────────


def test_a_room_that_agrees_on_a_difference(put):
    found = room_of(put, *[1100.0] * 8)
    (line,) = found.lines
    assert line.answer == room.AGREES and line.why.startswith("faster")
    assert line.pooled.low < 1.1 < line.pooled.high
    assert room_title(found) == "8 machines agree on every variant"


def test_a_room_that_agrees_on_no_difference(put):
    (line,) = room_of(put, *[1000.0] * 12).lines
    assert line.answer == room.AGREES and line.why.startswith("no difference")


def test_a_room_that_disagrees(put):
    (line,) = room_of(put, *[800.0, 1250.0] * 5).lines
    assert line.answer == room.DISAGREES and line.pooled.i_squared > 0.9
    assert line.pooled.tau == pytest.approx(math.log(1.25), rel=0.15)


def test_a_room_that_agrees_on_average_only(put):
    speeds = [1000.0 * math.exp(0.1 + 0.1 * z) for z in np.linspace(-1.5, 1.5, 14)]
    (line,) = room_of(put, *speeds).lines
    assert line.answer == room.ON_AVERAGE and line.pooled.next_low < 1 < line.pooled.low


def test_two_machines_are_not_enough_to_tell(put):
    assert room_of(put, 1100.0, 1100.0).lines[0].answer == room.UNDECIDED


def test_verdicts_are_counted_and_the_ratio_of_a_statement_is_pooled(put):
    tests = [{"a": "c", "b": "b"}]
    told = {"id": "s", "says": "c is faster than b", "tests": tests}
    for i, verdict in enumerate(["reproduced", "reproduced", "opposite"]):
        path = put(f"m{i}", {"a": 1000.0, "b": 1100.0, "c": 2200.0}, seed=i)
        verdicts = [
            {**told, "verdict": verdict},
            {**told, "id": "o", "verdict": verdict, "tests": []},
        ]
        edited_json(path, lambda d: d.update(results={"verdicts": verdicts}))
    rooms, _ = room_page.gather_rooms([path.parent])
    one, order = rooms[0].tallies
    assert one.counts == order.counts == {"reproduced": 2, "opposite": 1}
    assert one.line.pooled.ratio == pytest.approx(2.0, rel=0.01) and order.line is None
    assert one.line.answer == room.AGREES
    shown = room_cards.summary(rooms[0])
    assert "✔" in shown.text and "c : b: agrees: faster" in shown.html
    assert shown.text.count("a further machine is expected to be faster, too") == 1


def test_a_machine_says_what_its_own_race_said(put, experiment):
    path = put("one", {"a": 1000.0, "b": 1100.0})
    (machine,), _ = gathering.gather([path])
    found = judge.judge(results.load(path), experiment.claim)
    assert machine.readings == found.ratios and machine.control == found.control


def test_the_copies_of_the_baseline_are_pooled(put):
    found = room_of(put, *[1100.0] * 6)
    assert found.control.machines == 6 and found.control.low < 1 < found.control.high
    assert "as they should, nothing" in room_cards.control(found).text
    alone = room_of(put, 1100.0)
    assert len(alone.machines) == 6 and room.room(alone.machines[:1]).control is None


def test_run_files_that_may_be_of_one_machine_are_remarked(put):
    remarks = room_of(put, 1100.0, 1101.0, 1102.0).remarks
    assert any("may be from the same machine" in remark for remark in remarks)


# ── Many machines ────────────────────────────────────────────────────────────────────────────────

MANY = 60


@pytest.fixture(scope="module")
def many(tmp_path_factory) -> Path:
    """Files like the recorded run, with speeds that scatter between and on the machines."""
    folder = tmp_path_factory.mktemp("many")
    document = json.loads(RECORDED.read_text(encoding="utf-8"))
    draw = np.random.default_rng(1)
    names = [entry["name"] for entry in document["entries"]]
    launches = range(document["plan"]["launches"])
    for i in range(MANY):
        own = {name: draw.normal(0.06, 0.02) for name in names}
        own[names[0]] = own[names[1]] = 0.0
        start = {(name, n): draw.normal(0, 0.01) for name in names for n in launches}
        for sample in document["samples"]:
            name = sample["variant"]
            log = own[name] + start[name, sample["launch"]] + draw.normal(0, 0.01)
            sample["requests"] = round(1e6 * math.exp(log))
            sample["evidence"]["server_cpu_seconds"] = 1.0
        document["plan"]["seed"] = i
        (folder / f"attendee-{i}.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def gathered(many):
    """The rooms in these files, and what was skipped: that takes a while."""
    return room_page.gather_rooms([many])


def test_many_files_are_merged_to_one_page_with_one_copy_of_plotly(gathered):
    markup = room_page.render(*gathered)
    assert markup.count(embed.packed_library()) == 1 and "default-src 'none'" in markup
    assert len(markup) < 10_000_000


def log_ratios_by_hand(path: Path, variant: str) -> np.ndarray:
    """The centre of each launch's log ratios to the baseline, straight from a run file."""
    document = json.loads(path.read_text(encoding="utf-8"))
    speed = {(s["variant"], s["launch"], s["block"]): s["requests"] for s in document["samples"]}
    centres, blocks = [], range(document["plan"]["blocks"])
    for n in range(document["plan"]["launches"]):
        logs = [math.log(speed[variant, n, b] / speed["bare", n, b]) for b in blocks]
        centres.append(np.median([(x + y) / 2 for i, x in enumerate(logs) for y in logs[i:]]))
    return np.array(centres)


def test_its_summary_agrees_with_an_independent_computation(many, gathered):
    """From the files by hand: plain means of the machines' own means, which is what weighting
    comes to where all machines measure about equally well."""
    rooms, _ = gathered
    line = next(line for line in rooms[0].lines if line.name == "no-header")
    launches = [log_ratios_by_hand(path, "no-header") for path in many.glob("*.json")]
    centres = [each.mean() for each in launches]
    errors = [each.var(ddof=1) / len(each) for each in launches]
    mean, deviation = np.mean(centres), np.std(centres, ddof=1)
    reach = distributions.t.ppf(0.975, MANY - 1) * deviation / math.sqrt(MANY)
    tau = math.sqrt(deviation**2 - np.mean(errors))
    assert math.log(line.pooled.ratio) == pytest.approx(mean, abs=0.1 * reach)
    assert math.log(line.pooled.high) == pytest.approx(mean + reach, abs=0.1 * reach)
    assert line.pooled.tau == pytest.approx(tau, rel=0.03)
    assert line.pooled.tau == pytest.approx(0.02, rel=0.25)  # as made
    assert line.pooled.machines == MANY


# ── What is shown ────────────────────────────────────────────────────────────────────────────────


def test_the_plot_has_everyone_and_the_mean(put):
    found = room_of(put, 1100.0, 1120.0, 1090.0)
    figure = room_figure(found)
    traces = {trace.get("name"): trace for trace in figure.plotly["data"]}
    assert len(traces["b: machines"]["x"]) == 3
    assert traces["b: mean"]["marker"]["symbol"] == "diamond"
    band = figure.plotly["layout"]["shapes"][0]
    assert [band["x0"], band["x1"]] == pytest.approx([100 * (1 / 1.05 - 1), 5])
    assert "m0" in figure.numbers.text and "next machine" in figure.numbers.text


def test_nothing_is_drawn_for_one_machine_and_the_method_is_told_once(put):
    found = room_of(put, 1100.0)
    drawn = [type(part).__name__ for part in room_page.outputs([found, found], [])]
    assert "Figure" not in drawn and len(drawn) == 2
    two = room_of(put, 1100.0, 1110.0)
    text = "\n".join(part.text for part in room_page.summaries([two, two, found]))
    assert text.count("Paule and Mandel") == text.count("Raced on one machine only") == 1
    assert text.count("two machines can't tell") == 2  # once for each experiment


def test_names_in_files_are_text_not_markup(put):
    path = put("<b>", {"a": 1000.0, "b": 1100.0})
    edited_json(path, lambda d: d["experiment"].update(title="<script>alert(1)</script>"))
    rooms, skipped = room_page.gather_rooms([path])
    assert "<script>alert" not in room_page.render(rooms, skipped)


def test_no_difference_is_what_a_further_machine_says_too(put):
    pooled = pooling.pool([0.0, 0.01, -0.01, 0.0], [1e-4] * 4)
    assert room.agreement(pooled, 0.001)[0] == room.UNDECIDED
    assert room.agreement(pooled, 0.09)[0] == room.AGREES
    assert room.agreement(replace(pooled, next_low=None), 0.09)[0] == room.UNDECIDED


def test_a_folder_without_runs_is_named(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        gathering.gather([tmp_path / "x"])
    assert gathering.gather([tmp_path]) == ([], [])
