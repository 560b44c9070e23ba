"""Slides: every notebook as a talk, in one file that asks for nothing."""

import re
from pathlib import Path

import nbformat
import pytest

from benchbook.model import picker
from benchbook.notebook.headless import choosing, execute
from benchbook.notebook.talks import deck, talk
from benchbook.notebook.talks.talk import AskedGuess
from calling import call

NOTEBOOKS = choosing.choose(())
KINDS = ["question", "claim", "guess", "plot", "verdict"]


@pytest.fixture(scope="module")
def talks():
    """Of each notebook its talk, with its slides."""
    recorded = picker.reference_runs()
    found = {}
    for path in NOTEBOOKS:
        read = talk.of(path.stem, execute.read(path))
        found[path.stem] = read, list(deck.slides(read, recorded))
    return found


@pytest.mark.parametrize("name", [path.stem for path in NOTEBOOKS])
def test_every_notebook_goes_from_its_question_to_the_verdict(name, talks):
    read, slides = talks[name]
    kinds = [slide.kind for slide in slides]
    assert read.question.endswith("?") and kinds[0] == "question"
    assert bool(read.picture) == ("picture" in kinds)
    for act in read.acts:
        own = [slide.kind for slide in slides[1:] if act.experiment.title in slide.title]
        assert own == sorted(own, key=KINDS.index) and own[0] == "claim"
        raced = act.experiment.name in picker.reference_runs()
        assert ("plot" in own) == raced
        assert ("verdict" in own) == (raced and bool(act.experiment.claim.statements))
    if name in picker.reference_runs():
        assert {"claim", "guess", "plot", "verdict", "picture", "quiz"} <= set(kinds)


def test_each_statement_that_was_raced_is_told_with_its_verdict(talks):
    recorded, told = picker.reference_runs(), 0
    for read, slides in talks.values():
        verdicts = [slide.body for slide in slides if slide.kind == "verdict"]
        stated = 0
        for act in read.acts:
            if run := recorded.get(act.experiment.name):
                entries = {entry.name for entry in run.entries}
                stated += sum(set(s.names) <= entries for s in act.experiment.claim.statements)
        assert sum(body.count("<tr") - 1 for body in verdicts) == stated
        told += stated
    assert told > 50


def test_a_plot_tells_no_verdict(talks):
    for _, slides in talks.values():
        for slide in slides:
            if slide.kind in ("guess", "plot"):
                assert not re.search("reproduced|opposite|no difference", slide.body)


def test_the_page_asks_for_nothing(talks):
    page = deck.render(list(talks.values()))
    assert "default-src 'none'" in page and page.count('class="slide ') > 100
    addresses = set(re.findall(r'(?:src|href)="([^"]*)"', page))
    assert all(each.startswith("#") for each in addresses)
    ids = re.findall(r'<section class="slide [^"]*" id="([^"]*)"', page)
    assert len(set(ids)) == len(ids) and addresses <= {f"#{each}" for each in ids}
    assert len(page) < 1_500_000


def test_a_notebook_is_read_for_what_it_asks():
    def code(source: str):
        return nbformat.v4.new_code_cell(source)

    first = nbformat.v4.new_markdown_cell("# 04 · `setHeader`\n\n**Is [this](x.md) slow?**\n")
    cells = [
        first,
        code("%experiment 04 --show"),
        code("%predict no-header ? because …\n%predict no-json ? --to bare because …"),
        code("%predict no-header +5% because I know\n%picture launch\n%picture onion"),
        code("%experiment 04\n%predict no-header ? because …"),
    ]
    read = talk.of("mine", nbformat.v4.new_notebook(cells=cells))
    assert (read.title, read.question, read.picture) == (
        "04 · setHeader",
        "Is this slow?",
        "launch",
    )
    assert [act.experiment.number for act in read.acts] == ["04"]
    assert read.acts[0].asked == [AskedGuess("no-header", ""), AskedGuess("no-json", "bare")]


def test_a_long_list_is_dealt_out_evenly():
    assert [len(part) for part in deck.in_parts(range(11), 5)] == [3, 4, 4]


def test_the_command_writes_one_file(tmp_path: Path):
    out = tmp_path / "talk.html"
    done = call("export", "09", "--slides", "talk.html", folder=tmp_path)
    assert done.code == 0, done.err
    assert "09 · Enum binding" in out.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["talk.html"]
