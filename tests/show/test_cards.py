"""Cards and tables: the text twin holds what the HTML holds, and nothing breaks the page."""

import re

import pytest

from benchbook.analysis import judge, verdicts
from benchbook.model.experiments import find
from benchbook.show import cards, markup, witness_cards, wording


def words(html: str) -> set[str]:
    return set(re.sub(r"<[^>]+>", " ", html).split())


def test_the_claim_card_holds_figures_source_method_and_variants():
    experiment = find("04")
    card = cards.claim(experiment, {"bare": "", "fastify-schema": "the npm package is missing"})
    for text in (card.text, card.html):
        for word in ("70,380", "78,956", "autocannon -c 100", "Japanese", "bare.mjs"):
            assert word in text
    assert "the npm package is missing" in card.html


def test_html_and_text_hold_the_same_words(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100})
    found = judge.judge(run, experiment.claim)
    for output in (cards.ratios(run, found, {"b": 1.05}), cards.verdicts(found)):
        plain = set(output.text.replace("─", " ").split())
        assert plain == words(output.html)
    assert "+5.0" in cards.ratios(run, found, {"b": 1.05}).text


def test_what_one_block_can_not_tell_is_said(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100}, launches=1, blocks=1)
    found = judge.judge(run, experiment.claim)
    for output in (cards.floor(found), cards.ratios(run, found, {})):
        assert "unknown" in output.text and "inf" not in output.text
        assert max(map(len, output.text.split())) < 60


def test_values_can_not_break_out_of_the_page():
    made = markup.table(["<b>"], [["<script>alert(1)</script>"]])
    assert "<script>" not in made.html and "&lt;script&gt;" in made.html
    assert "<script>" not in markup.note("<script>").html


@pytest.mark.parametrize(
    ("ratio", "text"), [(1.034, "+3.4 %"), (0.9, "−10.0 %"), (1.0, "+0.0 %"), (40.0, "40.0×")]
)
def test_percent(ratio, text):
    assert wording.percent(ratio) == text


def test_every_verdict_has_a_mark_and_a_colour():
    for verdict in verdicts.VERDICTS:
        assert verdict in wording.MARKS and verdict in markup.VERDICT_COLOURS
        assert (
            markup.VERDICT_COLOURS[verdict] in markup.table(["v"], [[wording.marked(verdict)]]).html
        )


def test_an_incomplete_run_says_so(make_run):
    run = make_run({"a": 1000})
    run.status, run.reason = "incomplete", "interrupted"
    assert "INCOMPLETE" in cards.race_description(run).text


def test_the_witness_shows_flags_and_explains_them(make_run):
    run = make_run({"a": 1000, "b": 1100})
    run.samples[0].flags.append("client-bound")
    shown = witness_cards.witness(run).text
    assert "client-bound (1)" in shown and "bottleneck" in shown
