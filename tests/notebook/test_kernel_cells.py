"""Whose is which part of a cell?"""

import pytest

from benchbook_kernels.notebook.cells import Help, Part, as_help, split


@pytest.mark.parametrize(
    "code, parts",
    [
        ("1 + 1", [Part("node", "1 + 1")]),
        ("", [Part("node", "")]),
        ("%race", [Part("ipython", "%race")]),
        ("\n  %race --quick\n", [Part("ipython", "%race --quick", 1)]),
        ("// why\n%race?", [Part("ipython", "%race?", 1)]),
        ("%a\n%b\nx", [Part("ipython", "%a"), Part("ipython", "%b", 1), Part("node", "x", 2)]),
        ("%a \\\n  b\nx", [Part("ipython", "%a \\\n  b"), Part("node", "x", 2)]),
        ("x\n%b", [Part("node", "x\n%b")]),
        ("x % y", [Part("node", "x % y")]),
        ("%%variant w\nx\n%y", [Part("ipython", "%%variant w\nx\n%y")]),
        ("// c\n\n%%bash\nls", [Part("ipython", "%%bash\nls", 2)]),
        ("/* c */\n%%node\nx", [Part("node", "x", 2)]),
        ("%%python\nx", [Part("python", "x", 1)]),
        ("%%python print(1)\nx", [Part("python", "print(1)\nx", 0)]),
        ("%%csharp\nvar x = 1;", [Part("csharp", "var x = 1;", 1)]),
        ("%%node?", [Part("ipython", "%%node?")]),
        ("%%nodes\nx", [Part("ipython", "%%nodes\nx")]),
        ("%a\n%%python\nx", [Part("ipython", "%a"), Part("python", "x", 2)]),
        ("!ls -la", [Part("ipython", "!ls -la")]),
        ("!./x.sh\nx", [Part("ipython", "!./x.sh"), Part("node", "x", 1)]),
        ("!known.name", [Part("node", "!known.name")]),
        ("!known && 1", [Part("node", "!known && 1")]),
        ("!(a || b)", [Part("node", "!(a || b)")]),
        ("!!x", [Part("node", "!!x")]),
        ("!function () {}()", [Part("node", "!function () {}()")]),
        ("!0", [Part("node", "!0")]),
        ("!1.5", [Part("node", "!1.5")]),
        ("!7z x a.7z", [Part("ipython", "!7z x a.7z")]),
        ("!string", [Part("ipython", "!string")]),
    ],
)
def test_split(code, parts):
    assert split(code, "node", lambda word: word == "known") == parts


@pytest.mark.parametrize(
    "code",
    ['!string.IsNullOrEmpty("a")', '!int.TryParse("x", out _)', "!new[] { 1 }.Any()", "!true"],
)
def test_a_negation_of_csharp_is_not_for_a_shell(code):
    assert split(code, "csharp") == [Part("csharp", code)]


def test_a_part_keeps_the_line_numbers_of_its_cell():
    assert split("%%node\n\nx", "node")[0].placed.split("\n").index("x") == 2


@pytest.mark.parametrize("line", [0, 1, 2])
def test_a_part_as_a_function_keeps_its_line_numbers(line):
    assert Part("javascript", "return 1", line).as_function.split("\n")[line].endswith("return 1")


@pytest.mark.parametrize(
    "code, question",
    [
        ("name?", Help("name", 0)),
        ("a.b.c??", Help("a.b.c", 1)),
        ("?name", Help("name", 0)),
        ("name?\n", Help("name", 0)),
        ("%race?", None),
        ("a ? b : c", None),
        ("a?.b", None),
        ("f()?", None),
        ("'x?'", None),
    ],
)
def test_questions(code, question):
    assert as_help(code) == question
