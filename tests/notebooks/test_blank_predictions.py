"""Each prediction of a notebook is left to the reader; its text names what it is against."""

import re

import pytest

from benchbook.model import experiments
from benchbook.notebook import guesses
from benchbook.notebook.headless import execute
from benchbook.notebook.quiz import questions
from benchbook.system import paths

NOTEBOOKS = sorted(paths.notebooks().glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_guess_is_against_the_entry_that_its_sentence_names(path):
    baseline, words, said = "", {}, ""
    for cell in execute.read(path).cells:
        if cell.cell_type == "markdown":
            said = cell.source
            continue
        for line in cell.source.splitlines():
            if chosen := re.match(r"%experiment (\S+)", line):
                found = experiments.find(chosen[1])
                baseline, words = found.baseline, questions.in_words_of(found)
            if not line.startswith("%predict ") or line.split()[1] in words:
                continue
            name, amount, to, _ = guesses.parse_guess(line.partition(" ")[2])
            assert amount == guesses.BLANK
            assert to or f"`{baseline or 'a'}`" in said, f"{name}: compared with what? {said}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_what_is_guessed_in_words_is_asked_and_seen_once(path):
    words = {}
    for found in experiments.of_notebook(path):
        words |= questions.in_words_of(found)
    lines = [
        line.split()
        for cell in execute.read(path).cells
        if cell.cell_type == "code"
        for line in cell.source.splitlines()
        if line.startswith("%predict ")
    ]
    told = [(name, what) for _, name, what, *_ in lines if name in words]
    for name in words:
        assert [what for which, what in told if which == name] == ["?", guesses.SEEN]
