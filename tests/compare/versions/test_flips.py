"""Where a statement turns, how that is told and drawn, and how it is found by halving."""

import json
import random
from types import SimpleNamespace

import pytest

from benchbook.analysis.judging.verdicts import (
    NO_DIFFERENCE,
    NOT_VALID,
    OPPOSITE,
    REPRODUCED,
    TOO_CLOSE,
)
from benchbook.compare.given.asked import Given
from benchbook.compare.versions import bisecting, flips, racing
from benchbook.compare.versions.racing import VersionRequest, VersionsStopped
from benchbook.model.profiles import versions_files
from benchbook.show.versions import shown
from benchbook_kernels.base.errors import InputError

FIRST = "fastify-beats-bare"
SECOND = "no-header-beats-fastify"


def told(record):
    [statement] = record.statements
    return shown.sentence(record, statement)


def test_a_flip_is_told_with_the_version_that_brought_it(races):
    truth = {"10": OPPOSITE, "12": OPPOSITE, "22": OPPOSITE, "24": REPRODUCED}
    record, asked = races(racing.race, lambda v, _: truth[v], "10,12,22,24", FIRST)
    assert asked == ["10", "12", "22", "24"] and record.article == "12.18.2"
    assert told(record) == "turned with Node.js 24: ✘ opposite with 22, ✔ reproduced with 24"
    text = shown.answer(record).text
    assert "Node.js 12.1.0 (the article's)" in text and "The article names Node.js 12.18.2" in text


def test_what_lies_between_and_did_not_tell_is_named(races):
    truth = {"10": REPRODUCED, "12": TOO_CLOSE, "22": NOT_VALID, "24": NO_DIFFERENCE}
    record, _ = races(racing.race, lambda v, _: truth[v], "10,12,22,24", FIRST)
    assert told(record).startswith("turned between Node.js 10 and 24: ")
    assert "12 and 22 did not tell" in told(record)
    assert "Node.js 22.1.0 is unavailable: it died" in shown.answer(record).text


def test_one_that_holds_everywhere_does_not_turn(races):
    record, _ = races(racing.race, lambda *_: REPRODUCED, "20,22", FIRST)
    assert told(record) == "✔ reproduced with Node.js 20 and 22"
    record, _ = races(racing.race, lambda *_: TOO_CLOSE, "20,22", FIRST)
    assert "no verdict" in told(record)


def test_one_direction_of_many_may_be_chance(races):
    record, _ = races(racing.race, lambda *_: NO_DIFFERENCE, "10,12,20,22,24", FIRST)
    [*others, last] = record.answers
    record.answers = [
        *(racing.replace(each, p=0.6) for each in others),
        racing.replace(last, verdict=OPPOSITE, p=0.02),
    ]
    assert flips.answers(record, FIRST)["24"].verdict == TOO_CLOSE
    record.answers[-1] = racing.replace(record.answers[-1], p=1e-5)
    assert [each.first for each in flips.flips(record, FIRST)] == ["24"]


def test_the_figure_has_a_row_a_statement_and_the_articles_version(races):
    record, _ = races(racing.race, lambda v, _: REPRODUCED, "12,20,22", FIRST, SECOND)
    figure = shown.versions_figure(record)
    layout, [data] = figure.plotly["layout"], figure.plotly["data"]  # one sort of verdict
    assert data["name"] == REPRODUCED and all(each.startswith("✔ ") for each in data["text"])
    assert (data["x"], data["y"]) == ([0, 1, 2] * 2, [1] * 3 + [0] * 3)  # the first on top
    assert len(layout["yaxis"]["ticktext"]) == 2
    assert layout["xaxis"]["ticktext"] == ["12", "20", "22"]
    assert any("the article: Node.js 12.18.2" in each["text"] for each in layout["annotations"])
    assert any(each.get("x0") == 0 == each.get("x1") for each in layout["shapes"])
    record, _ = races(racing.race, lambda v, _: REPRODUCED, "20,22", FIRST)
    figure = shown.versions_figure(record).plotly
    assert figure["data"][0]["text"] == ["✔", "✔"] and "error_y" in figure["data"][0]
    [note] = figure["layout"]["annotations"]
    assert note["text"].startswith("← the article") and note["x"] == 0


def test_answers_are_kept_and_read_again(races):
    record, _ = races(racing.race, lambda *_: REPRODUCED, "20,22", FIRST)
    assert versions_files.read(record.path) == record
    document = json.loads(record.path.read_text())
    document["answers"][0]["ratio"] = "much"
    record.path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"answers\[0\].ratio"):
        versions_files.read(record.path)


def test_what_was_interrupted_is_kept(races):
    with pytest.raises(VersionsStopped) as stopped:
        fate = {"20": REPRODUCED, "22": KeyboardInterrupt()}
        races(racing.race, lambda v, _: fate[v], "20,22", FIRST)
    assert [each.version for each in stopped.value.record.answers] == ["20"]


# ── Halving ──────────────────────────────────────────────────────────────────────────────────────

MANY = [str(number) for number in range(12, 27)]


@pytest.mark.parametrize("first", MANY[1:])
def test_a_planted_flip_is_found_wherever_it_is(races, first):
    """The version from which a variant is slow, in a handful of races."""

    def truth(version, _):
        return OPPOSITE if int(version) >= int(first) else REPRODUCED

    record, asked = races(bisecting.bisect, truth, ",".join(MANY), FIRST)
    [flip] = flips.flips(record, FIRST)
    assert (flip.last, flip.first, flip.between) == (str(int(first) - 1), first, ())
    assert len(asked) <= 2 + 4


def test_a_version_that_does_not_tell_is_raced_again_and_then_said_to_be_too_close(races):
    """It is asked once more; where that does not help, it lies between those that told."""

    def truth(version, count):
        if version == "19":
            return TOO_CLOSE if count == 0 else REPRODUCED
        if version in ("20", "21"):
            return TOO_CLOSE
        return OPPOSITE if int(version) > 21 else REPRODUCED

    record, asked = races(bisecting.bisect, truth, ",".join(MANY), FIRST)
    [flip] = flips.flips(record, FIRST)
    assert (flip.last, flip.first, flip.between) == ("19", "22", ("20", "21"))
    assert max(map(asked.count, asked)) == 2


def test_versions_that_can_not_be_raced_are_passed_over(races):
    draw = random.Random(5)
    lost = set(draw.sample(MANY, 6)) - {"18", "19"}

    def truth(version, _):
        if version in lost:
            return NOT_VALID
        return OPPOSITE if int(version) >= 19 else REPRODUCED

    record, _ = races(bisecting.bisect, truth, ",".join(MANY), FIRST)
    [flip] = flips.flips(record, FIRST)
    assert (flip.last, flip.first) == ("18", "19")


def test_ends_that_agree_end_the_search(races):
    record, asked = races(bisecting.bisect, lambda *_: REPRODUCED, "12,20,22,26", FIRST)
    assert asked == ["12", "26"] and not flips.flips(record, FIRST)
    assert "not asked" in shown.answer(record).text


def test_its_time_ends_it(races, setheader, monkeypatch):
    monkeypatch.setattr(bisecting.Halving, "late", True)
    _, asked = races(bisecting.bisect, lambda *_: REPRODUCED, "12,20,22,26", FIRST)
    assert asked == []


def test_one_statement_is_to_be_named(races, setheader):
    with pytest.raises(InputError, match="--statement ID, one of: fastify-beats-bare"):
        races(bisecting.bisect, lambda *_: REPRODUCED, "12,20")
    wanted = VersionRequest(Given(node="12,20"), ("fastify-beats-bear",))
    with pytest.raises(InputError, match="did you mean 'fastify-beats-bare'"):
        bisecting.bisect(setheader, wanted, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(("verdict", "p"), [(REPRODUCED, 0.0), (OPPOSITE, 0.7)])
def test_an_interval_within_bounds_has_no_direction_to_correct(setheader, verdict, p):
    """ "The same" is reproduced by an interval that lies within bounds, whatever p is."""
    same = racing.replace(setheader.claim.statements[0], type="same", within=0.05)
    interval = SimpleNamespace(ratio=1.0, low=0.99, high=1.01, p=0.7)
    tests = (SimpleNamespace(interval=interval, p_adjusted=0.7),)
    judged = SimpleNamespace(verdict=verdict, why="", tests=tests, statement=same)
    version = SimpleNamespace(label="22")
    assert racing.answer(same, version, judged, "0.json").p == p
