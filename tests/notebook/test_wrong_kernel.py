"""A notebook of ours in a kernel that can't run it: its first cell says what to do."""

import ast

import nbformat
import pytest

from benchbook.notebook import wrong_kernel
from benchbook.show import page
from benchbook.show.executed import Executed
from benchbook_kernels.install.languages import declared

LANGUAGES = sorted(declared())


def says_nothing(cell) -> bool:
    kinds = {kind for kind, _ in cell.messages}
    return cell.reply["status"] == "ok" and kinds == {"status", "execute_input"}


def told(language) -> str:
    """What the cell says, as Python reads it."""
    return eval(wrong_kernel.cell(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_says_in_two_sentences_and_short_lines_which_kernel_to_choose(language):
    first, *rest = told(language).split(". ")
    assert first.endswith(f"Benchbook ({declared()[language].title})") and len(rest) == 1
    assert max(map(len, wrong_kernel.cell(language).splitlines())) <= 100
    assert "./bench setup" in rest[0]


def test_pythons_kernel_shows_what_to_do(open_kernel):
    cell = open_kernel("python3").run(wrong_kernel.cell("csharp"))
    assert ast.literal_eval(cell.value) == told("csharp")


def test_the_kernel_that_it_names_is_silent_and_another_of_ours_shows_it(kernel):
    assert says_nothing(kernel.run(wrong_kernel.cell("node")))
    older = '"This notebook needs the kernel Benchbook (Node.js). Choose it."'
    assert kernel.run(older).value is None
    assert kernel.run(f"{older}\n1 + 1").value == "2"
    assert told("csharp") in kernel.run(wrong_kernel.cell("csharp")).value


def test_the_csharp_kernel_is_silent(csharp_kernel):
    assert says_nothing(csharp_kernel.run(wrong_kernel.cell("csharp")))
    assert told("node") in csharp_kernel.run(wrong_kernel.cell("node")).value


def test_a_page_is_without_it(tmp_path):
    first = nbformat.v4.new_code_cell(wrong_kernel.cell("node"), metadata=wrong_kernel.METADATA)
    notebook = nbformat.v4.new_notebook(cells=[first, nbformat.v4.new_code_cell("kept()")])
    executed = Executed(tmp_path / "x.ipynb", notebook)
    markup = page.body(wrong_kernel.for_page(executed))
    assert "kept" in markup and "This notebook needs" not in markup
    assert len(notebook.cells) == 2, "the notebook itself keeps it"
