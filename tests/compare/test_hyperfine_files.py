"""Our files in hyperfine's formats, beside files that hyperfine wrote: recorded, and made here."""

import csv
import json
import shutil
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from benchbook.compare import hyperfine_files, question
from benchbook.compare.command_options import BY_TIME, Exports
from benchbook.model import results
from benchbook.model.kinds.commands import WholeProcesses
from benchbook.model.runs import RacedExperiment
from benchbook.show.cards import compare_cards
from benchbook_kernels.base.errors import BenchError, InputError

RECORDED = Path(__file__).parents[1] / "data"
NEWER = {"memory_usage_byte": list}  # than hyperfine 1.15
# What its plotting scripts take of a result: plot_histogram, plot_whisker, plot_parametrized,
# plot_progression, advanced_statistics (https://github.com/sharkdp/hyperfine, scripts)
PLOTTED = {"command", "times", "median", "mean", "stddev", "parameters"}


def runs(seconds, codes=(), peak=10_000_000):
    """The runs of a sample, as a run keeps them."""
    none, count = [0.001] * len(seconds), len(seconds)
    return {
        "seconds": list(seconds),
        "user": none,
        "system": [0.0] * count,
        "peak_bytes": [peak] * count,
        "exit_code": list(codes) or [0] * count,
    }


@pytest.fixture
def swept(make_run, tmp_path):
    """A run of two commands of a sweep, each run eight times, and of the first one's copy."""
    run = make_run({"a": 100.0, "b": 80.0}, launches=2, blocks=2)
    run.kind, run.path = WholeProcesses, tmp_path / "run.json"
    for entry, value in zip(run.entries, ("1", "1", "2"), strict=True):
        entry.title, entry.parameters = f"nap {value}", {"t": value}
    speeds = {"a": 0.01, "a#2": 0.01, "b": 0.0125}
    run.samples = [
        replace(
            each,
            requests=2,
            runs=runs([speeds[each.variant], 1.1 * speeds[each.variant]]),
            measures={"centre_ms": 1.0, "start_ms": 1.0, "start_user_ms": 0.4},
        )
        for each in run.samples
    ]
    run.save()
    return results.load(run.path)


@pytest.fixture
def written(swept, tmp_path):
    """written("json") -> the text of that file, of `swept`."""

    def write(form, **options):
        file = tmp_path / f"out.{form}"
        hyperfine_files.write(swept, Exports({form: str(file)}, **options))
        return file.read_text(encoding="utf-8")

    return write


def shape(value):
    """Keys and types, of lists those of the first."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items()}
    if isinstance(value, list):
        return [shape(value[0])]
    return float if isinstance(value, int | float) else type(value)


def by_hyperfine(folder, *options):
    """What hyperfine's JSON looks like that is installed here, else the recorded one of 1.15."""
    if not (found := shutil.which("hyperfine")) or sys.platform == "win32":
        return RECORDED / "hyperfine-1.15.json"
    words = [found, "--style", "none", "-N", "--runs", "2", "-L", "t", "0,0.001"]
    command = [*words, "--export-json", "live.json", "-n", "nap {t}", "sleep {t}"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "live.json"


def check_like(ours, theirs):
    """Have our results all that theirs have, in the same types, and nothing but newer fields?"""
    for our, their in zip(ours["results"], theirs["results"], strict=True):
        beside = our.keys() - their.keys()
        assert their.keys() <= our.keys() and beside <= NEWER.keys()
        known = {key: our[key] for key in their}
        assert shape(known) == shape(their)
        assert all(isinstance(our[key], NEWER[key]) for key in beside)
        order = [key for key in our if key in their]
        assert order == list(their)


def test_our_json_is_like_the_recorded_one(written):
    check_like(
        json.loads(written("json")), json.loads((RECORDED / "hyperfine-1.15.json").read_text())
    )


def test_our_json_is_like_one_that_hyperfine_writes_here(written, tmp_path):
    check_like(json.loads(written("json")), json.loads(by_hyperfine(tmp_path).read_text()))


def test_the_plotting_scripts_find_what_they_take(written):
    document = json.loads(written("json"))
    assert all(PLOTTED <= each.keys() for each in document["results"])


def test_it_holds_each_run_in_seconds_without_the_shell_and_without_the_copy(written):
    first, second = json.loads(written("json"))["results"]
    assert [first["command"], second["command"]] == ["nap 1", "nap 2"]
    assert first["times"] == pytest.approx([0.009, 0.010] * 4)
    assert first["mean"] == pytest.approx(0.0095) and first["median"] == pytest.approx(0.0095)
    assert first["user"] == pytest.approx(0.0006) and first["system"] == 0.0
    assert (first["min"], first["max"]) == (pytest.approx(0.009), pytest.approx(0.010))
    assert first["exit_codes"] == [0] * 8 and first["parameters"] == {"t": "1"}
    assert first["memory_usage_byte"] == [10_000_000] * 8


def test_what_a_signal_ended_has_a_shells_exit_code_and_parameters_are_left_out(swept, tmp_path):
    for entry in swept.entries:
        entry.parameters = {}
    swept.samples = [
        replace(each, runs=runs([0.01], [-9], None)) for each in swept.samples if each.block == 0
    ]
    swept.samples = [
        replace(each, runs={**each.runs, "peak_bytes": [None]}) for each in swept.samples
    ]
    first, _ = [each.to_json() for each in hyperfine_files.results_of(swept)]
    assert first["exit_codes"] == [137] * 2
    assert "parameters" not in first and "memory_usage_byte" not in first


def test_the_csv_has_its_columns(written):
    ours, theirs = (
        list(csv.DictReader(text.splitlines()))
        for text in (written("csv"), (RECORDED / "hyperfine-1.15.csv").read_text())
    )
    assert list(ours[0]) == list(theirs[0])[:-1] + ["parameter_t"]
    assert ours[1]["command"] == "nap 2" and float(ours[1]["mean"]) == pytest.approx(0.012125)
    assert ours[0]["system"] == theirs[0]["system"] == "0"


@pytest.mark.parametrize(
    "form, end", [("markdown", "md"), ("orgmode", "org"), ("asciidoc", "adoc")]
)
def test_tables_differ_from_its_own_in_their_figures_only(written, form, end):
    def bones(text):
        digits = "".join("0" if each.isdigit() else each for each in text)
        for number in ("0.00", "00.0", "0.0"):
            digits = digits.replace(number, "N")
        return digits.replace("nap N00", "nap 0")

    theirs = (RECORDED / f"hyperfine-1.15.{end}").read_text()
    lines, wanted = bones(written(form)).splitlines(), bones(theirs).splitlines()
    assert len(lines) == len(wanted)
    assert lines[:4] == wanted[:4] or form != "asciidoc"
    assert {line.count("|") for line in lines} == {line.count("|") for line in wanted}
    assert written(form).count(" ± ") == theirs.count(" ± ")
    assert ("Mean [ms]" in written(form)) == ("Mean [ms]" in theirs)


def test_a_table_is_sorted_and_in_the_unit_that_is_wanted(written, swept):
    assert written("markdown").splitlines()[2:] == [
        "| `nap 1` | 9.5 ± 0.5 | 9.0 | 10.0 | 1.00 |",
        "| `nap 2` | 12.1 ± 0.7 | 11.5 | 12.8 | 1.28 ± 0.10 |",
    ]
    swept.entries[0].title, swept.entries[2].title = "slow | wc", "fast"
    assert "slow \\| wc" in hyperfine_files.as_markdown(
        hyperfine_files.results_of(swept), Exports({})
    )
    assert "Mean [s]" in written("markdown", unit="second")
    assert "| 0.010 ± 0.001 |" in written("markdown", unit="second")
    swept.entries = swept.entries[::-1]
    first = written("orgmode", sort=BY_TIME).splitlines()[2]
    assert first.startswith("| =slow \\| wc (t = 1)=  |")


def test_a_file_that_can_not_be_written_is_named(swept, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(BenchError, match="can't write .*folder"):
        hyperfine_files.write(swept, Exports({"json": str(tmp_path / "folder")}))


def test_other_races_are_no_commands(recorded):
    with pytest.raises(InputError, match="is no race of commands"):
        hyperfine_files.results_of(recorded)


def test_nothing_is_written_where_nothing_is_wanted(recorded):
    assert hyperfine_files.write(recorded, Exports({})) == []


def test_a_dash_shows_it(swept, capsys):
    hyperfine_files.write(swept, Exports({"json": "-"}))
    assert len(json.loads(capsys.readouterr().out)["results"]) == 2


def test_a_sample_keeps_its_runs_in_the_run_file(swept):
    assert swept.samples[0].runs["seconds"] == pytest.approx([0.01, 0.011])
    assert "runs" in asdict(swept.samples[0]) and swept.entries[2].parameters == {"t": "2"}


def test_what_is_left_of_the_shells_time_by_chance_is_no_result(swept):
    swept.experiment = RacedExperiment("compare", "a and b", "compare", "/", delta=0.02)
    left = iter([0.02, 4.0, 0.6, 0.9] * 3)  # milliseconds, of a run that takes 2 with the shell
    swept.samples = [
        replace(each, measures={"centre_ms": 2 + next(left), "start_ms": 2.0})
        for each in swept.samples
    ]
    shown = compare_cards.summary(swept, question.judged(swept)).text
    assert "b and a: can't tell; " in shown and "-N" in shown and "too close" not in shown
    assert "A copy of a: can't tell either" in shown and "× [" not in shown
