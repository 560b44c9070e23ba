"""./bench room merge: everyone's files together, the unusable ones named, an honest summary."""

import json
import math
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats as distributions

from benchbook import embed, paths, pooling, results, room, room_cards, room_report, stats
from benchbook.cli import main
from benchbook.errors import InputError
from benchbook.results import Run
from made import edited_json

RECORDED = paths.references() / "04-setheader-vs-writehead.json"


@pytest.fixture
def put(make_run, tmp_path):
    """put("name", {"a": 1000, "b": 1100}, status="incomplete") -> the path of that run file."""

    def write(name: str, speeds: dict[str, float], seed: int = 1, noise=0.01, **changes) -> Path:
        run: Run = make_run(speeds, seed=seed, noise=noise)
        for key, value in {"started": f"2026-01-01T00:{seed:02}:00+00:00", **changes}.items():
            setattr(run, key, value)
        run.path = tmp_path / "files" / f"{name}.json"
        run.save()
        return run.path

    return write


def room_of(put, *speeds: float, noise=0.01) -> room.Room:
    """A room of machines on which b runs at these speeds, and a at 1000."""
    for i, speed in enumerate(speeds):
        path = put(f"m{i}", {"a": 1000.0, "b": speed}, seed=i, noise=noise)
    rooms, skipped = room_report.read([path.parent])
    assert not skipped and len(rooms) == 1
    return rooms[0]


def merge(*arguments: object):
    return CliRunner().invoke(main, ["room", "merge", *map(str, arguments)])


# ── What is used ─────────────────────────────────────────────────────────────────────────────────

WRONG = {
    "no JSON": lambda path: path.write_text("{"),
    "not UTF-8": lambda path: path.write_bytes(b"\xff\xfe{}"),
    "a list": lambda path: path.write_text("[1, 2]"),
    "another format": lambda path: path.write_text('{"format": "hyperfine"}'),
    "no plan": lambda path: edited_json(path, lambda d: d.pop("plan")),
    "a plan of text": lambda path: edited_json(path, lambda d: d.update(plan="soon")),
    "samples of text": lambda path: edited_json(path, lambda d: d.update(samples="many")),
    "a sample of text": lambda path: edited_json(path, lambda d: d["samples"].append("one")),
    "an unknown entry": lambda path: edited_sample(path, variant="c"),
    "a round outside": lambda path: edited_sample(path, launch=99),
    "a negative round": lambda path: edited_sample(path, block=-1),
    "a speed of text": lambda path: edited_sample(path, requests_per_second="fast"),
    "launches with a point": lambda path: edited_json(
        path, lambda d: d["plan"].update(launches=float(d["plan"]["launches"]))
    ),
    "a pilot of one launch": lambda path: edited_json(path, lambda d: d["plan"].update(pilot=1)),
    "a speed beyond all": lambda path: edited_sample(path, requests_per_second=10**400),
    "an infinite speed": lambda path: edited_sample(path, requests_per_second=math.inf),
    "errors of text": lambda path: edited_sample(path, errors="none"),
    "flags of numbers": lambda path: edited_sample(path, flags=[1]),
    "a huge plan": lambda path: edited_json(path, lambda d: d["plan"].update(launches=10**9)),
    "two baselines": lambda path: edited_json(
        path, lambda d: d["entries"][2].update(role="baseline")
    ),
    "verdicts of text": lambda path: edited_json(path, lambda d: d.update(results={"verdicts": 1})),
    "cut short": lambda path: edited_json(
        path, lambda d: d.update(status="incomplete", reason="x")
    ),
    "one after another": lambda path: edited_json(
        path, lambda d: d["plan"].update(interleaved=False)
    ),
    "an edited baseline": lambda path: edited_json(
        path, lambda d: d["entries"][0].update(edited=True)
    ),
}


def edited_sample(path: Path, **changes) -> None:
    edited_json(path, lambda document: document["samples"][3].update(changes))


@pytest.mark.parametrize("kind", WRONG)
def test_a_file_that_cannot_be_used_is_named_and_the_others_are_merged(put, tmp_path, kind):
    for i in range(3):
        put(f"good-{i}", {"a": 1000.0, "b": 1100.0}, seed=i)
    bad = put("bad", {"a": 1000.0, "b": 5000.0}, seed=9)
    WRONG[kind](bad)
    done = merge(bad.parent, "--out", tmp_path / "room.html")
    assert done.exit_code == 0, done.output
    assert "Traceback" not in done.output
    (line,) = [line for line in done.output.splitlines() if "skipped" in line]
    assert "bad.json: " in line and len(line.partition("bad.json: ")[2]) > 8
    markup = (tmp_path / "room.html").read_text(encoding="utf-8")
    assert "bad.json" in markup and "made: 3 machines" in markup


def test_without_any_usable_file_the_exit_code_is_1(put, tmp_path):
    path = put("bad", {"a": 1.0, "b": 1.0})
    path.write_text("{")
    done = merge(path, "--out", tmp_path / "room.html")
    assert done.exit_code == 1
    assert "no file could be used" in done.output and "bad.json" in done.output
    assert not (tmp_path / "room.html").exists()


def test_a_path_that_does_not_exist_is_wrong_input(tmp_path):
    done = merge(tmp_path / "nowhere")
    assert done.exit_code == 2 and "does not exist" in done.output


def test_the_same_run_twice_counts_once(put):
    path = put("one", {"a": 1000.0, "b": 1100.0})
    (path.parent / "copy.json").write_bytes(path.read_bytes())
    machines, skipped = room.gather([path.parent])
    assert len(machines) == 1
    assert "is the same run as" in skipped[0].reason


def shared(path: Path, attendee: str) -> Path:
    run = json.loads(path.read_text())
    document = {"format": room.SHARED, "attendee": attendee, "runs": [run]}
    path.write_text(json.dumps(document))
    return path


def test_an_attendee_who_gives_raw_and_shared_files_counts_once(put):
    raw = put("raw", {"a": 1000.0, "b": 1100.0}, seed=2)
    (raw.parent / "same.json").write_bytes(raw.read_bytes())
    shared(raw.parent / "same.json", "abcdef")
    shared(put("older", {"a": 1000.0, "b": 1200.0}, seed=1), "abcdef")
    machines, skipped = room.gather([raw.parent])
    assert [(m.name, m.shared) for m in machines] == [("abcdef", True)]
    assert len(skipped) == 2


def test_of_a_checkouts_runs_the_newest_counts(put):
    folder = put("one", {"a": 1000.0, "b": 1100.0}, seed=1).parent
    name = json.loads((folder / "one.json").read_text())["experiment"]["name"]
    put(f"runs/{name}/20260101", {"a": 1000.0, "b": 1100.0}, seed=2)
    put(f"runs/{name}/20260102", {"a": 1000.0, "b": 1200.0}, seed=3)
    machines, skipped = room.gather([folder])
    assert sorted(Path(m.file).name for m in machines) == ["20260102.json", "one.json"]
    assert "older run of" in skipped[0].reason


def test_run_files_that_may_be_of_one_machine_are_remarked(put):
    remarks = room_of(put, 1100.0, 1101.0, 1102.0).remarks
    assert any("may be of one machine" in remark for remark in remarks)


def test_benchmarks_whose_launches_take_turns_are_pooled_and_shared(put):
    path = put("bdn", {"a": 1000.0, "b": 1100.0})
    change = {"interleaved": False, "tool": results.BENCHMARK_DOT_NET}
    edited_json(path, lambda d: d["plan"].update(change))
    machines, skipped = room.gather([path])
    assert len(machines) == 1 and not skipped


def test_no_control_character_of_a_file_reaches_the_terminal(put, tmp_path):
    for i in range(2):
        path = put(f"m{i}", {"a": 1000.0, "b": 1100.0}, seed=i)
        edited_json(path, lambda d: d["experiment"].update(title="\x1b[31mred \ud800"))
    done = merge(path.parent, "--out", tmp_path / "room.html")
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output and "red" in done.output


def test_of_an_attendee_who_shared_twice_the_newest_counts(put):
    old = shared(put("first", {"a": 1000.0, "b": 1100.0}, seed=1), "abcdef")
    new = shared(put("second", {"a": 1000.0, "b": 1200.0}, seed=2), "abcdef")
    machines, skipped = room.gather([old.parent])
    assert [(m.name, Path(m.file).name) for m in machines] == [("abcdef", new.name)]
    assert skipped[0].file.endswith(old.name) and "older run of abcdef" in skipped[0].reason


def test_a_shared_file_with_a_wrong_run_says_which(put):
    path = shared(put("first", {"a": 1000.0, "b": 1100.0}), "abcdef")
    edited_json(path, lambda d: d["runs"][0].update(status="incomplete", reason="the power failed"))
    _, skipped = room.gather([path])
    assert skipped[0].reason == "77-made: was cut short: the power failed"


@pytest.mark.parametrize("attendee", ["alice", "", 5])
def test_a_shared_file_needs_a_code(put, attendee):
    path = shared(put("first", {"a": 1000.0, "b": 1100.0}), attendee)
    assert "attendee" in room.gather([path])[1][0].reason


def test_machines_that_compare_with_another_baseline_are_left_out(put):
    for i in range(3):
        put(f"m{i}", {"a": 1000.0, "b": 1100.0}, seed=i)
    path = put("other", {"b": 1000.0, "a": 1100.0}, seed=5)
    rooms, skipped = room_report.read([path.parent])
    assert len(rooms[0].machines) == 3
    assert skipped[0].reason == "compares with b in requests/s, the room with a in requests/s"


def test_an_edited_variant_is_left_out_and_other_versions_are_told(put):
    for i in range(3):
        path = put(f"m{i}", {"a": 1000.0, "b": 1100.0, "c": 1000.0}, seed=i)
    edited_json(path, lambda d: d["entries"][2].update(edited=True))
    edited_json(path, lambda d: d["entries"][3].update(sha256="1" * 64))
    rooms, _ = room_report.read([path.parent])
    assert {line.name: len(line.machines) for line in rooms[0].lines} == {"b": 2, "c": 3}
    assert "the machines did not all race the same version of c" in rooms[0].remarks
    assert "left out on 1 of 3 machines: b was edited" in rooms[0].remarks


def test_each_experiment_has_a_room_of_its_own(put, tmp_path):
    for i in range(2):
        put(f"m{i}", {"a": 1000.0, "b": 1100.0}, seed=i)
    path = put("part", {"a": 1000.0, "b": 1100.0}, seed=5)
    edited_json(path, lambda d: d["experiment"].update(name="07-made/http", title="a part"))
    rooms, _ = room_report.read([path.parent])
    assert [r.experiment for r in rooms] == ["07-made/http", "77-made"]
    assert rooms[0].lines[0].answer == room.ALONE


# ── What it says ─────────────────────────────────────────────────────────────────────────────────


def test_a_room_that_agrees_on_a_difference(put):
    found = room_of(put, *[1100.0] * 8)
    (line,) = found.lines
    assert line.answer == room.AGREES and line.why.startswith("faster")
    assert line.pooled.low < 1.1 < line.pooled.high
    assert room_cards.plot_title(found) == "8 machines agree on every variant"


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
    assert room_of(put, 1100.0, 1100.0).lines[0].answer == room.UNTOLD


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
    rooms, _ = room_report.read([path.parent])
    one, order = rooms[0].tallies
    assert one.counts == order.counts == {"reproduced": 2, "opposite": 1}
    assert one.line.pooled.ratio == pytest.approx(2.0, rel=0.01) and order.line is None
    assert one.line.answer == room.AGREES
    text = room_cards.summary(rooms[0]).text
    assert "✔ reproduced" in text and "c : b: agrees: faster" in " ".join(text.split())


def test_the_spread_of_a_machine_is_that_of_its_launches(put):
    path = put("one", {"a": 1000.0, "b": 1100.0})
    run = results.load(path)
    reading = room.gather([path])[0][0].readings["b"]
    speeds = {name: np.array(rows) for name, rows in run.speeds().items()}
    centres = stats.launch_centres(stats.log_ratios(speeds["b"], speeds["a"]))
    assert reading.spread == pytest.approx(np.var(centres, ddof=1))
    assert reading.freedom == 4
    piloted = room.Reading(stats.interval(np.log(speeds["b"] / speeds["a"]), pilot=3), 3)
    assert piloted.spread == pytest.approx(np.var(centres[:3], ddof=1))
    assert piloted.freedom == 2


# ── A thousand ───────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def thousand(tmp_path_factory) -> Path:
    """1,000 files like the recorded run, with speeds that scatter between and on the machines."""
    folder = tmp_path_factory.mktemp("thousand")
    document = json.loads(RECORDED.read_text(encoding="utf-8"))
    draw = np.random.default_rng(1)
    names = [entry["name"] for entry in document["entries"]]
    launches = range(document["plan"]["launches"])
    for i in range(1000):
        own = {name: draw.normal(0.06, 0.02) for name in names}
        own[names[0]] = own[names[1]] = 0.0
        start = {(name, n): draw.normal(0, 0.01) for name in names for n in launches}
        for sample in document["samples"]:
            name = sample["variant"]
            log = own[name] + start[name, sample["launch"]] + draw.normal(0, 0.01)
            sample["requests_per_second"] = 50_000 * math.exp(log)
        document["plan"]["seed"] = i
        (folder / f"attendee-{i}.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


def test_a_thousand_files_are_merged_in_seconds(thousand, tmp_path):
    """CPU time, so that it holds on a busy machine, too."""
    started = time.process_time()
    assert room_report.merge([thousand], tmp_path / "room.html") == 0
    assert time.process_time() - started < 10
    markup = (tmp_path / "room.html").read_text(encoding="utf-8")
    assert markup.count(embed.packed_library()) == 1 and "default-src 'none'" in markup
    assert (tmp_path / "room.html").stat().st_size < 10_000_000


def test_its_summary_agrees_with_an_independent_computation(thousand):
    """From the files by hand: plain means of the machines' own means, which is what weighting
    comes to where all machines measure about equally well."""
    rooms, _ = room_report.read([thousand])
    line = next(line for line in rooms[0].lines if line.name == "no-header")
    centres, errors = [], []
    for path in thousand.glob("*.json"):
        samples = json.loads(path.read_text())["samples"]
        speed = {(s["variant"], s["launch"], s["block"]): s["requests_per_second"] for s in samples}
        logs = np.array(
            [
                [math.log(speed["no-header", n, b] / speed["bare", n, b]) for b in range(4)]
                for n in range(3)
            ]
        )
        pairs = [[(x + y) / 2 for i, x in enumerate(row) for y in row[i:]] for row in logs]
        launches = [float(np.median(row)) for row in pairs]
        centres.append(np.mean(launches))
        errors.append(np.var(launches, ddof=1) / 3)
    mean, deviation = np.mean(centres), np.std(centres, ddof=1)
    reach = distributions.t.ppf(0.975, 999) * deviation / math.sqrt(1000)
    tau = math.sqrt(deviation**2 - np.mean(errors))
    assert math.log(line.pooled.ratio) == pytest.approx(mean, abs=0.1 * reach)
    assert math.log(line.pooled.high) == pytest.approx(mean + reach, abs=0.1 * reach)
    assert line.pooled.tau == pytest.approx(tau, rel=0.03)
    assert line.pooled.tau == pytest.approx(0.02, rel=0.1)  # as planted
    assert line.pooled.machines == 1000


# ── What is shown ────────────────────────────────────────────────────────────────────────────────


def test_the_plot_has_everyone_their_floors_and_the_mean(put):
    found = room_of(put, 1100.0, 1120.0, 1090.0)
    figure = room_cards.plot(found)
    traces = {trace.get("name"): trace for trace in figure.plotly["data"]}
    assert len(traces["b: machines"]["x"]) == 3
    assert len(traces["b: floors"]["x"]) == 9 and traces["b: mean"]["marker"]["symbol"] == "diamond"
    widths = [abs(x) for x in traces["b: floors"]["x"] if x is not None]
    assert max(widths) <= 100 * max(machine.floor for machine in found.machines) + 1e-9
    assert "m0" in figure.numbers.text and "next machine" in figure.numbers.text


def test_a_room_of_one_machine_is_shown_as_such(put):
    found = room_of(put, 1100.0)
    assert "nothing to compare it with" in room_cards.plot(found).label
    assert "alone" in room_cards.summary(found).text


def test_names_in_files_are_text_not_markup(put):
    path = put("<b>", {"a": 1000.0, "b": 1100.0})
    edited_json(path, lambda d: d["experiment"].update(title="<script>alert(1)</script>"))
    rooms, skipped = room_report.read([path])
    assert "<script>alert" not in room_report.render(rooms, skipped)


def test_a_wide_floor_says_no_difference_to_nobody(put):
    pooled = pooling.pool([0.0, 0.01, -0.01, 0.0], [1e-4] * 4)
    assert room.agreement(pooled, 0.5, 0.001)[0] == room.UNTOLD
    assert room.agreement(pooled, 0.09, 0.001)[0] == room.AGREES
    assert room.agreement(replace(pooled, next_low=None), 0.09, 0.001)[0] == room.UNTOLD


def test_a_folder_without_runs_is_named(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        room.gather([tmp_path / "x"])
    assert room.gather([tmp_path]) == ([], [])
