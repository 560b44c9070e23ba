"""What notebooks and leader's notes say of a result is what was recorded.

After a race was recorded again, `./bench test tests/notebooks -k expectations` lists what fell.
"""

import re

import pytest

import expectations
from benchbook.system import paths
from expectations import Sentence

pytestmark = pytest.mark.usefixtures("recorded_runs")  # by one worker

SENTENCES = expectations.load()
TEXTS = [*paths.notebooks().glob("*.ipynb"), *(paths.root() / "docs" / "leader").glob("*.md")]

# What once stood there, and is not what was recorded: run, relation, variants, than, by.
WRONG = {
    "05, ahead in both versions": (
        "05-json-vs-templates.node-versions",
        "faster",
        "escaped-16",
        "stringify-16",
    ),
    "10, the first filter costs more": ("10-middleware-vs-filters", "slower", "mvc-1", "mvc-0"),
    "08, hardly with the number of paths": (
        "08-routers-and-muxes.memory",
        "within",
        "find-my-way-1000",
        "find-my-way-1",
        0.2,
    ),
    "07, the order is that of the sizes": (
        "07-serializers.link",
        "faster",
        "json-brotli-1000",
        "memorypack-1000",
    ),
    "06, near the baseline": ("06-node-framework-ladder", "within", "hono", "bare", 0.1),
    "01, clearly left": (
        "01-write-vs-writeasync",
        "slower",
        "kestrel-base-async",
        "kestrel-sync",
        0.05,
    ),
}


def test_every_sentence_is_what_was_recorded():
    fallen = expectations.fallen(SENTENCES)
    assert not fallen, "\n".join([f"{len(fallen)} fell:", *fallen])


def test_every_place_that_tells_of_the_recorded_race_has_a_sentence():
    bound = {(sentence.file, sentence.at) for sentence in SENTENCES}
    assert len(SENTENCES) >= 60
    for file in (str(path.relative_to(paths.root()).as_posix()) for path in TEXTS):
        for at, text in expectations.places(file):
            told = re.search("in the recorded (race|run)", text, re.IGNORECASE)
            assert not told or (file, at) in bound, f"data/expectations has nothing of {file}, {at}"


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda s: f"{s.file}-{s.at}")
def test_the_words_stand_where_they_are_said_to(sentence):
    assert sentence.words in expectations.text_at(sentence.file, sentence.at)


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda s: f"{s.file}-{s.at}")
def test_a_sentence_that_is_turned_round_falls(sentence):
    for mutant in expectations.turned(sentence):
        assert not any(finding.holds for finding in expectations.findings(mutant)), mutant


@pytest.mark.parametrize("told", WRONG.values(), ids=WRONG)
def test_what_was_wrong_before_falls(told):
    run, relation, variant, than, *by = told
    wrong = Sentence("", "", "", f"{run}.json", relation, (variant,), than, *by)
    assert expectations.fallen([wrong])
