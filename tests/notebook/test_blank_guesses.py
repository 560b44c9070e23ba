"""What is asked and not guessed yet, reasons, guesses in words, and the claim that waits."""

import json

import pytest

from benchbook.model import experiments
from benchbook.notebook import guesses, predictions, workbench
from benchbook.notebook.predictions import GuessInWords
from benchbook.notebook.quiz import cards, questions
from benchbook.notebook.workbench import Workbench
from benchbook.show.cards import guess_cards, race_cards
from benchbook_kernels.base.errors import InputError


@pytest.fixture
def bench(two_servers, checkout, monkeypatch) -> Workbench:
    monkeypatch.delenv(predictions.VARIABLE, raising=False)
    return Workbench(experiments.load(two_servers))


@pytest.mark.parametrize(
    ("line", "amount", "to", "reason"),
    [
        ("b ?", "?", "", ""),
        ("b ? because …", "?", "", ""),
        ("b ? --to a because ...", "?", "a", ""),
        ("b +5% because it  sends less", "+5%", "", "it sends less"),
        ("b +5% --to a because of --to", "+5%", "a", "of --to"),
        ("b --to a 2x because 3x is too much", "2x", "a", "3x is too much"),
    ],
)
def test_a_guess_its_reason_and_a_blank_are_read(line, amount, to, reason):
    assert guesses.parse_guess(line) == ("b", amount, to, reason)


def test_a_blank_is_asked_and_does_not_count(bench):
    bench.ask("b")
    assert bench.guesses == {} and bench.open_guesses == set() and bench.unguessed == {"b": ""}
    asked = guess_cards.guesses(bench.guesses, "a", bench.unguessed).text
    assert "?" in asked and "is b faster than a, or slower" in asked
    assert "Not guessed: b" in guess_cards.unguessed(bench.unguessed)
    bench.guess("b", "+5%", reason="it sends less")
    assert bench.unguessed == {} and guess_cards.unguessed(bench.unguessed) == ""
    told = guess_cards.guesses(bench.guesses, "a", bench.unguessed).text
    assert "it sends less" in told and "Why?" not in told
    bench.ask("b")
    assert bench.guesses == {} and bench.open_guesses == set(), "taken back"


def test_a_reason_is_asked_for(bench):
    bench.guess("b", "+5%")
    assert "Why? Write it behind the guess (b)" in guess_cards.guesses(bench.guesses, "a").text


def test_a_statement_is_guessed_between_the_two_that_it_names():
    bench = workbench.find("04")
    (statement,) = [s for s in bench.experiment.claim.statements if s.a == "fastify-schema"][:1]
    name, guess = bench.guess(statement.id, "+5%")
    assert (name, guess.to or bench.experiment.baseline) == (statement.a, statement.b)
    with pytest.raises(InputError, match="compared with"):
        bench.ask("bare")


def test_a_guess_is_kept_before_its_race_and_the_last_one_counts(bench):
    for amount in ("+9%", "+20%"):
        bench.guess("b", amount, reason="a secret of mine")
        assert bench.keep_open("b") == ""
    (kept,) = predictions.everything().open
    assert (kept.variant, kept.guess) == ("b", 1.2) and predictions.load() == []
    assert predictions.are_of(bench.experiment.name) and not predictions.are_of("78-other")
    (shared,) = predictions.shared().guesses
    assert shared == {"experiment": bench.experiment.name, "variant": "b", "to": "", "guess": 1.2}
    assert "secret" not in json.dumps(vars(predictions.shared()))


def test_a_guess_that_is_taken_back_leaves_the_rooms_too(bench):
    bench.guess("b", "+9%")
    assert bench.keep_open("b") == "" and len(predictions.everything().open) == 1
    assert bench.ask("b") == "" and predictions.everything().open == []
    again = Workbench(bench.experiment)
    bench.guess("b", "+9%")
    bench.keep_open("b")
    assert again.ask("b") == "" and len(predictions.everything().open) == 1, "of another notebook"


def test_a_damaged_file_keeps_no_guess_from_its_notebook(bench):
    predictions.file().parent.mkdir(parents=True)
    predictions.file().write_text("{ half")
    bench.guess("b", "+9%")
    assert "is not JSON" in bench.keep_open("b") and bench.open_guesses == {"b"}
    assert not predictions.are_of(bench.experiment.name)
    assert predictions.file().read_text() == "{ half"


def test_a_guess_in_words_counts_until_it_was_seen(bench):
    first = GuessInWords("77-made", "who", "a", "2026-01-01T00:00:00+00:00")
    second = GuessInWords("77-made", "who", "b", "2026-01-01T00:00:01+00:00", "of a reason")
    predictions.keep_words(first)
    predictions.keep_words(second)
    assert predictions.everything().words == [second]
    predictions.settle_words(second, right=True)
    predictions.keep_words(first)
    (kept,) = predictions.everything().words
    assert (kept.guess, kept.right) == ("b", True), "who has seen it does not guess"
    (shared,) = predictions.shared().words
    assert shared == {"experiment": "77-made", "question": "who", "choice": "b", "right": True}


def test_what_was_published_waits_for_the_first_guess():
    experiment = experiments.find("04")
    folded, whole = (race_cards.claim(experiment, {}, first) for first in (True, False))
    for part in ("Published figures", "Statements that the race judges"):
        assert part not in folded.text and part in whole.text and part in folded.html
    assert "%experiment 04 --show" in folded.text and "--show" not in whole.text
    assert "<details>" in folded.html, "it can always be unfolded"


def test_a_question_in_words_is_asked_guessed_and_seen():
    question = questions.load(experiments.find("10").home / questions.FILE).guesses["onion"]
    asked = cards.asked(question, "%predict onion").text
    assert all(text in asked for text in question.choices.values()) and question.asks in asked
    assert question.why[question.right] not in asked
    assert question.choice("ONLY a", "%predict") == question.right == question.choice("c)", "")
    with pytest.raises(InputError, match="none of its choices.*\n.*a, b, c, d"):
        question.choice("nobody at all", "%predict")
    with pytest.raises(InputError, match="several"):
        question.choice("th", "%predict")
    wrong, right = cards.seen(question, "a").text, cards.seen(question, "c").text
    assert "○ Your guess" in wrong and "✔ Your guess" in right
    assert question.why["c"] in wrong and "You have not guessed" in cards.seen(question, "").text
