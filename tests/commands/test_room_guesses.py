"""./bench room guesses: what a room expected, before its races and after them."""

import json

import pytest
from click.testing import CliRunner

from benchbook.analysis.pooled import guessing
from benchbook.commands.cli import main
from benchbook.show.figures.guesses import guesses_figure
from made import SERVER

EXPERIMENT = "10-middleware-vs-filters"


def guess(value: float, ratio: float | None = None, variant="middleware-20", to="") -> dict:
    measured = {} if ratio is None else {"ratio": ratio}
    return {"experiment": EXPERIMENT, "variant": variant, "to": to, "guess": value, **measured}


@pytest.fixture
def room(tmp_path):
    """room(attendee, guesses, words) -> the folder with that file, too."""

    def put(attendee: str, guesses: list, words: list = (), told="2026-01-01T00:00:00+00:00"):
        document = {"format": "benchbook-share/1", "attendee": attendee, "told": told, "runs": []}
        document |= {"guesses": guesses, "words": list(words)}
        (tmp_path / f"{attendee}-{told[:4]}.json").write_text(json.dumps(document))
        return tmp_path

    return put


def draw(folder, *more: str):
    return CliRunner().invoke(main, ["room", "guesses", str(folder), "--out", "g.html", *more])


def choice(letter: str, right: bool | None = None) -> dict:
    return {"experiment": EXPERIMENT, "question": "onion", "choice": letter, "right": right}


def test_before_the_race_the_guesses_are_drawn_and_no_answer(room, monkeypatch, tmp_path):
    for i, value in enumerate((0.9, 0.5, 0.97)):
        folder = room(f"00000{i}", [guess(value)], [choice("a")])
    monkeypatch.chdir(tmp_path)
    done = draw(folder)
    assert done.exit_code == 0, done.output
    assert "not raced yet" in done.output and "−10.0 %" in done.output
    assert "all three: the exception was caught" in done.output and "✔" not in done.output
    page = (tmp_path / "g.html").read_text(encoding="utf-8")
    assert "what 3 attendees expect" in page and "✔" not in page


def test_after_the_race_each_guess_is_beside_what_its_machine_measured(room):
    room("000001", [guess(0.9, 0.97), guess(1.3, 0.5)], [choice("a")])
    room("000002", [guess(0.98, 0.96)], [choice("c", True)])
    folder = room("000003", [guess(1.5)])
    (found,), skipped = guessing.gather([folder])
    (pair,) = found.pairs
    assert skipped == [] and [g.guess for g in pair.guesses] == [0.9, 0.98, 1.5], "the first counts"
    assert pair.measured == (0.96, 0.97) and pair.middle == 0.98
    (words,) = found.words
    assert words.counts == {"a": 1, "c": 1} and words.right == "c"
    figure = guesses_figure(found)
    assert "of 2 guesses 1 had the right side" in figure.label
    names = [trace["name"] for trace in figure.plotly["data"]]
    assert names == ["middleware-20: guess", "middleware-20: measured"]
    assert "1 of 2" in figure.numbers.text


WRONG = {
    "an attendee's name": {"attendee": "alice!"},
    "a name with markup": {"guesses": [guess(1.1, variant="<script>")]},
    "a path": {"guesses": [guess(1.1, variant="../../etc")]},
    "text for a number": {"guesses": [{**guess(1.1), "guess": "much"}]},
    "a negative ratio": {"guesses": [guess(-1.0)]},
    "beyond all measure": {"guesses": [guess(1e300)]},
    "another member": {"guesses": [{**guess(1.1), "reason": "<b>"}]},
    "a choice of a sentence": {"words": [choice("all of them")]},
    "no guess": {"guesses": [], "words": []},
    "too many": {"guesses": [guess(1.1)] * 2001},
}


@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG)
def test_a_file_that_is_wrong_is_named_and_the_others_are_drawn(room, changes):
    folder = room("000001", [guess(1.1)])
    document = json.loads((folder / "000001-2026.json").read_text())
    (folder / "bad.json").write_text(json.dumps({**document, **changes}))
    found, skipped = guessing.gather([folder])
    assert [each.file.rpartition("/")[2] for each in skipped] == ["bad.json"] and skipped[0].reason
    assert len(found[0].pairs[0].guesses) == 1


@pytest.mark.parametrize("older", ["2025", "2027"])
def test_an_attendee_counts_once_with_the_newest_file(room, older):
    """Whichever is read first, the other one is named."""
    first, second = sorted([older, "2026"], reverse=True)
    room("000001", [guess(1.1)], told=f"{first}-01-01T00:00:00+00:00")
    folder = room("000001", [guess(1.5)], told=f"{second}-01-01T00:00:00+00:00")
    (found,), skipped = guessing.gather([folder])
    assert [each.guess for each in found.pairs[0].guesses] == [1.1]
    assert [each.file.rpartition("-")[2] for each in skipped] == [f"{second}.json"]


def test_with_in_only_experiments_of_that_folder_are_drawn(room, make_experiment):
    folder = room("000001", [guess(1.1)])
    other = make_experiment({"a": SERVER, "b": SERVER})
    done = draw(folder, "--in", str(other))
    assert done.exit_code == 1, done.output
    assert f"skipped: {EXPERIMENT}: is of no experiment in" in done.output


def test_without_a_guess_the_exit_code_is_1(room, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = draw(room("000001", []))
    assert done.exit_code == 1 and "%predict in a notebook" in done.output


def test_files_without_a_guess_fall_to_no_merge_and_a_guess_alone_can_be_shared(checkout):
    (checkout / "snippets").mkdir()
    done = CliRunner().invoke(main, ["share"])
    assert done.exit_code != 0 and "no whole race" in done.output
