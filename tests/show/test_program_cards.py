"""A program as what differs from another: nothing of it is lost, in colour and in text."""

import html as html_module
import re
from dataclasses import replace

import pytest

from benchbook.model import experiments
from benchbook.model.variants import Variant
from benchbook.show.cards import program_cards


@pytest.fixture
def programs(tmp_path):
    def make(**codes: str) -> list[Variant]:
        found = []
        for name, code in codes.items():
            path = tmp_path / f"{name}.mjs"
            path.write_text(code)
            found.append(Variant(name=name, title=f"Title of {name}", path=path))
        return found

    return make


def seen(html: str) -> list[str]:
    """The lines of the first <pre>, as a page shows them."""
    match = re.search(r"<pre[^>]*>(.*?)</pre>", html, re.DOTALL)
    assert match
    return html_module.unescape(re.sub(r"<[^>]+>", "", match[1])).split("\n")


EVERY = [
    (variant, experiment.variant(experiment.baseline))
    for experiment in experiments.load_all()
    for variant in experiment.variants
    if variant.path != experiment.variant(experiment.baseline).path
]


def test_page_and_text_say_the_same_and_no_line_is_lost():
    for variant, baseline in EVERY:
        card = program_cards.program(variant, baseline)
        code, old = (each.code.rstrip().splitlines() for each in (variant, baseline))
        if code == old:
            assert "The same program as" in card.text
            continue
        shown = seen(card.html)
        if "Little of it" in card.text:
            assert shown == code
            continue
        text = [line for line in card.text.split("\n") if not line.startswith(("---", "+++", "@@"))]
        lines = [line[:1] + line[2:] for line in shown if line.strip() != "⋯"]
        assert lines == text[1:]
        kept = round(program_cards.shared(old, code) * len(code))
        for sign, whole in (("+", code), ("-", old)):
            assert sum(line.startswith(sign) for line in lines) == len(whole) - kept
        assert seen(card.html.partition("<details>")[2])[1:] == code


def test_the_words_that_differ_are_marked():
    one, other = program_cards.parts("  a.write(body, 1);", "  a.writeAsync(body, 1);")
    assert one == ("  a.write", "", "(body, 1);")
    assert other == ("  a.write", "Async", "(body, 1);")
    assert program_cards.parts("abc", "xyz") == (("abc", "", ""), ("xyz", "", ""))
    assert program_cards.parts("aa", "aaa")[1] == ("aa", "a", "")


def test_lines_left_out_are_told_at_both_ends(programs):
    lines = [f"line {i}" for i in range(20)]
    a, b = programs(a="\n".join(lines), b="\n".join([*lines[:9], "new <b>", *lines[10:]]))
    shown = seen(program_cards.program(b, a).html)
    assert [line.strip() for line in (shown[0], shown[-1])] == ["⋯", "⋯"]
    assert shown[1:-1] == [
        "  line 7",
        "  line 8",
        "- line 9",
        "+ new <b>",
        "  line 10",
        "  line 11",
    ]


def test_the_baseline_and_a_stranger_are_whole_and_a_twin_is_told(programs):
    a, b = programs(a="one\ntwo\nthree\n", b="four\nfive\nthree\nsix\n")
    assert "one\ntwo\nthree" in program_cards.program(a, a).text
    assert "Little of it stands in a" in program_cards.program(b, a).text
    twin = replace(a, name="twin")
    told = program_cards.program(twin, a, "SIZE=17").text
    assert "The same program as a, given SIZE=17" in told
    assert ", your edit" in program_cards.program(replace(twin, edited=True), a).text
