"""Exercises with a goal: what is wrong is said in a sentence that helps, what is right passes."""

import re

import pytest

from benchbook.model import experiments
from benchbook.notebook import editions, exercises, module_calls
from benchbook.notebook.checking.solutions import edits, no_variable
from benchbook.notebook.headless import execute
from benchbook.notebook.workbench import Workbench
from benchbook_kernels.base.errors import BenchError

NOT_RACED = ["Nothing was raced yet: run the cell with %race."]
ESCAPED = {
    '`"${s}"`': r'"say \\"hi\\"" hello returns .*, which is not JSON',
    "`\"${s.replaceAll('\"', '\\\\\"')}\"`": r'"C:\\\\temp" hello .*, which is JSON of another',
    "s.none.x": "throws TypeError",
    "undefined": r'"world" hello returns \{"hello":undefined\}, which is not JSON',
    "`\"${s.replace(/[\"\\\\\\0-\\x1f]/g, (c) => '\\\\u00' + c.charCodeAt(0).toString(16)"
    ".padStart(2, '0'))}\"`": "JSON of the right value, but JSON.stringify writes",
    "JSON.stringify(s)": "still has JSON.stringify do the work",
}


def missing(number: int, code: dict[str, str], scratch) -> list[str]:
    """What an exercise of 05 still lacks with these programs, before a race."""
    bench = Workbench(experiments.find("05/memory"), scratch=scratch)
    for name, text in code.items():
        bench.edit(name, text)
    return exercises.missing(number, exercises.view(bench, no_variable))


def solution(number: int) -> dict[str, str]:
    found = experiments.find("05/memory").notebook
    return edits(editions.exercises(execute.read(found), found.name)[number])


@pytest.mark.parametrize("text", ESCAPED)
def test_an_escape_that_is_wrong_is_told_with_the_first_string(text, tmp_path):
    whole = experiments.find("05/memory").variant("escaped-hello").code
    rest = whole[whole.index("export const hello") :]
    told, *last = missing(2, {"escaped-hello": f"const text = (s) => {text};\n\n{rest}"}, tmp_path)
    assert re.search(ESCAPED[text], told), told
    assert last == NOT_RACED


def test_the_solution_holds_for_all_strings_and_a_module_that_never_ends_is_told(
    tmp_path, monkeypatch
):
    assert missing(2, solution(2), tmp_path) == NOT_RACED
    (told,) = missing(2, {"escaped-hello": "throw new Error('too early');\n"}, tmp_path)
    assert told == "escaped-hello: the module can't be loaded: Error: too early"
    monkeypatch.setattr(module_calls, "SECONDS", 0.5)
    path = tmp_path / "endless.mjs"
    path.write_text("export const hello = () => { for (;;); };\n")
    with pytest.raises(BenchError, match="(?s)did not come to an end.*endless loop"):
        module_calls.results(path, "hello", [1])
    monkeypatch.undo()
    path.write_text("export const other = (x) => x;\n")
    with pytest.raises(BenchError, match="exports no function hello"):
        module_calls.results(path, "hello", [1])
    assert module_calls.results(path, "other", ["\u2028", None]) == [
        {"value": "\u2028"},
        {"value": None},
    ]
