"""Tab and Shift-Tab in C# cells."""

from recorders import TIMEOUT_SECONDS


def matches(bench, code):
    return [m.text for m in bench.session.complete(code, len(code)).result(TIMEOUT_SECONDS).matches]


def test_completion_knows_members_variables_and_keywords(csharp):
    csharp.run("var number = 5; string Hello(int times) => null;")
    assert "WriteLine" in matches(csharp, "Console.Wr")
    assert "Select" in matches(csharp, "new[] { 1 }.Sel")
    assert "number" in matches(csharp, "1 + num")
    assert "Hello" in matches(csharp, "Hel")
    assert "foreach" in matches(csharp, "fore")
    assert "Length" in matches(csharp, 'var s = "é😀";\ns.Len')
    assert "StringBuilder" in matches(csharp, "new Stri")
    assert matches(csharp, "number.") and "WriteLine" not in matches(csharp, "number.")


def test_completion_knows_what_is_before_the_dot_whatever_follows(csharp):
    csharp.run("var line = new List<int>();")
    for code in ("line.", "line.Wh", "var own = new[] { 1 };\nown."):
        assert "Where" in matches(csharp, code)
        for more in ("\nvar z = 1;", "\nz", ";\nz = 1;"):
            found = csharp.session.complete(code + more, len(code)).result(TIMEOUT_SECONDS)
            assert "Where" in [match.text for match in found.matches], (code, more)


def test_completion_says_what_it_replaces(csharp):
    csharp.run("")
    code = 'var s = "😀"; Console.Wri + 1'
    found = csharp.session.complete(code, code.index(" + 1")).result(TIMEOUT_SECONDS)
    assert code[found.start : found.end] == "Wri"


def test_inspection_shows_signatures(csharp):
    csharp.run("/// <summary>Says hello.</summary>\nstring Hello(int times) => null;")
    shown = csharp.session.inspect("Hello(", 6, 0).result(TIMEOUT_SECONDS)["text/plain"]
    assert "string Hello(int times)" in shown
    shown = csharp.session.inspect("Math.Max(1, ", 12, 0).result(TIMEOUT_SECONDS)["text/plain"]
    assert "int Math.Max(int val1, int val2)" in shown and "double" in shown
    assert csharp.session.inspect("nothing_here", 3, 0).result(TIMEOUT_SECONDS) is None
