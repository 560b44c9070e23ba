"""Cards and tables: the text twin holds what the HTML holds, and nothing breaks the page."""

import html as html_module
import re
from dataclasses import replace

import pytest

from benchbook.analysis.judging import judge, verdicts
from benchbook.analysis.statistics.stats import Interval
from benchbook.model.experiments import find
from benchbook.show import markup, wording
from benchbook.show.cards import evidence_cards, guess_cards, race_cards
from benchbook.show.figures.ratios import ratios_figure


def words(html: str) -> set[str]:
    shown = re.sub(r"<summary>.*?</summary>", "", html)  # only HTML can fold
    return set(html_module.unescape(re.sub(r"<[^>]+>", " ", shown)).split())


def test_the_claim_card_holds_figures_source_method_and_variants():
    experiment = find("04")
    card = race_cards.claim(
        experiment, {"bare": "", "fastify-schema": "the npm package is missing"}
    )
    for text in (card.text, card.html):
        for word in ("70,380", "78,956", "autocannon -c 100", "Japanese", "bare.mjs"):
            assert word in text
    assert "the npm package is missing" in card.html


def test_the_claim_card_says_what_no_race_judges_and_which_figures_are_excluded():
    experiment = find("08/http")
    card = race_cards.claim(experiment, {})
    for text in (" ".join(card.text.split()), card.html):
        assert "which no race here judges" in text
        assert text.count("excluded by our own rules: ") == 4
        assert "A question of our own: " in text
    assert "which no race here judges" not in race_cards.claim(find("00"), {}).text


def test_html_and_text_hold_the_same_words(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100})
    found = judge.judge(run, experiment.claim)
    for output in (
        race_cards.ratios(run, found, {"b": guess_cards.Guess(1.05)}),
        race_cards.verdicts(found),
    ):
        plain = set(output.text.replace("─", " ").replace("→", " ").split())
        assert plain == words(output.html)
    assert "+5.0" in race_cards.ratios(run, found, {"b": guess_cards.Guess(1.05)}).text


def test_what_one_block_can_not_tell_is_said(make_run, experiment):
    run = make_run({"a": 1000, "b": 1100}, launches=1, blocks=1)
    found = judge.judge(run, experiment.claim)
    for output in (race_cards.control(found), race_cards.ratios(run, found, {})):
        assert "unknown" in output.text and "inf" not in output.text
        assert max(map(len, output.text.split())) < 60


def test_statements_about_programs_that_did_not_race_are_counted_only(make_run, experiment):
    statements = experiment.claim.statements
    other = replace(statements[0], id="other", says="Elsewhere it is so", a="elsewhere")
    run, told = make_run({"a": 1000, "b": 1100}), "left out of this race"
    asked = [((*statements, other), "1 statement", True), ((other,), "", False)]
    for claimed, count, rows in asked:
        shown = race_cards.verdicts(judge.judge(run, replace(experiment.claim, statements=claimed)))
        for text in (shown.text, shown.html):
            assert told in text and count in text and other.says not in text
            assert (statements[0].says in text) == rows
    assert told not in race_cards.verdicts(judge.judge(run, experiment.claim)).text


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        (Interval.of(-0.004, 0.005, 8, 4), "−0.4 % [−1.5, +0.8]: as they should, nothing."),
        (Interval.of(0.01, 0.05, 8, 4), "[−10.0, +13.3]: no more than chance"),
        (Interval.of(0.03, 0.005, 8, 4), "[+1.9, +4.2], and should not"),
        (Interval(1.02, 0.0, 1e300, 1.0, 1), "compared too few times"),
    ],
)
def test_the_control_is_told_in_a_sentence(make_run, experiment, interval, words):
    run = make_run({"a": 1000, "b": 2000})
    assert (
        words
        in race_cards.control(replace(judge.judge(run, experiment.claim), control=interval)).text
    )


def test_together_the_table_shows_cpu_time_beside_requests(make_run, experiment):
    run = make_run({"a": 1000, "b": 2000}, noise=0.0, together=True)
    found = judge.judge(run, experiment.claim)
    shown = race_cards.ratios(run, found)
    for column in ("CPU µs a request", "requests per CPU second", "requests/s", "95 % interval"):
        assert f">{column}</th>" in shown.html.replace("\u00a0", " ")
    a, _, b = shown.text.splitlines()[-3:]
    cost, speed, rate = (float(word.replace(",", "")) for word in b.split()[1:4])
    assert cost == pytest.approx(1e6 / speed, rel=0.01)
    assert 0 < rate < speed and "baseline" in a


def test_the_verdict_comes_first_and_its_numbers_are_folded(make_run, experiment):
    found = judge.judge(make_run({"a": 1000, "b": 1100}), experiment.claim)
    shown = race_cards.verdicts(found)
    assert shown.text.startswith("verdict") and "✔ reproduced" in shown.text
    visible, folded = shown.html.replace("\u00a0", " ").split("<details>")
    for word in ("reproduced", "as published", "b is faster than a, by more than 5 %", "b to a"):
        assert word in visible
    assert "Holm" in folded and "Holm" not in visible and "±5 %" in folded


def test_what_is_too_close_says_how_long_it_would_take(make_run, experiment):
    run = make_run({"a": 1000, "b": 1040}, noise=0.2)
    run.timing["total_seconds"] = 60.0
    (judgement,) = judge.judge(run, experiment.claim).judgements
    assert judgement.verdict == verdicts.TOO_CLOSE
    assert wording.advice(judgement.seconds_more) in race_cards.why_text(judgement)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3, "about 10 s more"),
        (92, "about 90 s more"),
        (600, "about 10 min more"),
        (9000, "this machine will not tell"),
        (1e6, "this machine will not tell"),
        (None, "a longer race may tell"),
    ],
)
def test_time_that_is_missing_is_told_in_words(seconds, words):
    assert wording.more_text(seconds) == words
    assert wording.advice(seconds).startswith(words)
    assert ("quieter" in wording.advice(seconds)) == ("will not" in words)


def test_values_can_not_break_out_of_the_page():
    made = markup.table(["<b>"], [["<script>alert(1)</script>"]])
    assert "<script>" not in made.html and "&lt;script&gt;" in made.html
    assert "<script>" not in markup.note("<script>").html


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.034, "+3.4 %"), (0.9999, "+0.0 %"), (0.9, "−10.0 %"), (1.0, "+0.0 %"), (40.0, "40.0×")],
)
def test_percent(ratio, text):
    assert wording.percent(ratio) == text


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (1234.4, "rate", "1,234"),
        (3, "count", "3"),
        (12.34, "number", "12.3"),
        (999.0, "duration", "999 ns"),
        (2.5e6, "duration", "2.5 ms"),
        (1.5e9, "duration", "1.5 s"),
        (4096, "bytes", "4,096 B"),
        (94_724_096, "bytes", "94.7 MB"),
    ],
)
def test_a_figure_of_a_table_is_written_in_its_form(value, form, text):
    assert wording.measured(value, form) == text


def test_every_verdict_has_a_mark_and_a_colour():
    for verdict in verdicts.VERDICTS:
        assert verdict in wording.MARKS and verdict in markup.VERDICT_COLOURS
        assert (
            markup.VERDICT_COLOURS[verdict] in markup.table(["v"], [[wording.marked(verdict)]]).html
        )


def test_an_incomplete_run_says_so(make_run):
    run = make_run({"a": 1000})
    run.status, run.reason = "incomplete", "interrupted"
    assert "INCOMPLETE" in race_cards.race_description(run).text


def test_the_evidence_shows_shares_of_the_cpu_that_are_not_equal(make_run):
    run = make_run({"a": 1000, "b": 1100}, together=True)
    run.samples = [
        replace(s, evidence={**s.evidence, "server_cpu_seconds": 0.4}) if s.variant == "b" else s
        for s in run.samples
    ]
    shown = evidence_cards.evidence(run).html
    assert "of an equal share" in shown and "113% (more)" in shown and "93% (less)" in shown
    equal = evidence_cards.evidence(make_run({"a": 1000, "b": 1100}, together=True)).text
    assert "100%" in equal and "(more)" not in equal
    assert "share" not in evidence_cards.evidence(make_run({"a": 1000, "b": 1100})).text


def test_tables_fit_a_terminal():
    words = "some words that go on and on " * 6
    text = markup.table(["a", "b", "c"], [[words, words, "1.0"]], right=[2]).text
    assert max(map(len, text.splitlines())) <= markup.TERMINAL
    assert text.split().count("words") == 12 and "1.0" in text


def test_the_evidence_shows_flags_and_explains_them(make_run):
    run = make_run({"a": 1000, "b": 1100})
    first, last = run.samples[0], max(sample.launch for sample in run.samples)
    run.samples = [s for s in run.samples if (s.variant, s.launch) != (first.variant, last)]
    first.flags.append("client-bound")
    own = sum(sample.variant == first.variant for sample in run.samples)
    shown = evidence_cards.evidence(run).text
    assert f"client-bound (1 of {own})" in shown.replace("\u00a0", " ") and "bottleneck" in shown


@pytest.mark.parametrize("turned", [False, True])
def test_title_plot_tables_and_verdict_say_one_ratio_in_one_direction(make_run, experiment, turned):
    """That of the variant to the baseline, whichever the statement names first."""
    a, b = ("a", "b") if turned else ("b", "a")
    published = {"ratio": 1 / 1.3 if turned else 1.3, "ours": False}
    said = replace(experiment.claim.statements[0], a=a, b=b, **published)
    claim = replace(experiment.claim, statements=(said,), figures=())
    run = make_run({"a": 1000, "b": 1100}, noise=0.0)
    found = judge.judge(run, claim)
    figure = ratios_figure(run, found, claim)
    assert figure.label == "b is 10 % faster than a"
    assert any("<b>+10 %</b>" in each["text"] for each in figure.plotly["layout"]["annotations"])
    shown = (
        race_cards.verdicts(found).text + race_cards.ratios(run, found).text + figure.numbers.text
    )
    assert shown.count("+10.0 %") == 4 and "b to a" in shown and "−9.1" not in shown
    assert "+30.0 %" in shown and "−23.1" not in shown


def test_equal_is_no_size_that_could_be_ruled_out(make_run, experiment):
    """Nobody published how much two programs differ that are said to be equally fast."""
    run = make_run({"a": 1000, "b": 1000}, noise=0.001)
    for more in ({"ours": True}, {"ours": False}):
        same = replace(experiment.claim.statements[0], type="same", within=0.05, ratio=None, **more)
        found = judge.judge(run, replace(experiment.claim, statements=(same,)))
        assert found.judgements[0].verdict == verdicts.REPRODUCED
        assert verdicts.RULED_OUT not in found.judgements[0].size
        assert "ruled out" not in race_cards.verdicts(found).text


def test_what_this_machine_lacks_is_not_run_here_and_its_command_can_be_copied(
    make_run, experiment
):
    run = make_run({"a": 1000, "b": 1100})
    run.samples = [sample for sample in run.samples if sample.variant != "b"]
    command = f"sudo apt-get install {' '.join(f'libmono-system-web-{i}.0-cil' for i in range(9))}"
    entry = run.entry("b")
    entry.status, entry.reason = "unavailable", f"needs Mono, which is missing\n  → {command}"
    found = judge.judge(run, experiment.claim)
    assert "· not run here" in race_cards.verdicts(found).text
    assert "not valid" not in race_cards.verdicts(found).text
    shown = race_cards.ratios(run, found)
    assert command in shown.text.splitlines() and f">{command}</pre>" in shown.html


@pytest.mark.parametrize(
    "text",
    ["−1.0 % [−1.0, +0.6]", "plus-ten", "ruled out at +12 %", "4.4× [4.1, 4.7]", "./bench race 04"],
)
def test_no_line_ends_in_a_number_an_interval_or_a_name(text):
    made = markup.table(["measured (95 %)", "variant"], [[text, "words " * 30]] * 3)
    lines = made.text.splitlines()
    for word in text.replace(" %", "\u00a0%").split(" "):
        assert any(word.replace("\u00a0", " ").strip(",") in line for line in lines)
    shown = re.sub("<nobr>(.*?)</nobr>", "<keep>", made.html)
    assert "95\u00a0%" in shown and " %" not in shown and "plus-ten" not in shown
    assert not re.search(r"\[[^\]]* [^\]]*\]", shown)
