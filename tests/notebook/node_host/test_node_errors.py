"""Errors of JavaScript cells: their message, their place and their own frames."""

import pytest


def test_another_keyword_for_a_name_is_an_error_that_says_what_to_do(node):
    node.run("let n = 1")
    node.run("let n = 2")
    error = node.error("const n = 3")
    assert "already been declared" in error.evalue
    assert "restart the kernel" in "\n".join(error.traceback)


def test_a_return_outside_functions_says_what_to_do(node):
    assert "without return" in "\n".join(node.error("return 1").traceback)


def test_an_error_shows_the_readers_own_frames(node):
    node.run("function inner(o) {\n  return o.a.b;\n}")
    result = node.error("\nfunction outer() { return [1].map(() => inner({}))[0] }\nouter()")
    assert result.ename == "TypeError"
    assert "reading 'b'" in result.evalue
    text = "\n".join(result.traceback)
    assert text.startswith("cell 1:2\n  return o.a.b;\n             ^\n")
    frames = [line.strip() for line in result.traceback if line.lstrip().startswith("at ")]
    assert frames[0] == "at inner (cell 1:2:14)"
    assert frames[-1] == "at cell 2:3:1"
    for foreign in ("node:", "node_host", "node_evaluate", ".mjs"):
        assert foreign not in text


def test_an_object_as_a_cell_runs_once_and_its_errors_keep_their_place(node):
    result = node.error("{ a: console.log('once'), b: null.x, c: JSON.parse('{') }")
    assert node.output.text() == "once\n"
    assert result.traceback[:2] == (
        "cell 1:1",
        "{ a: console.log('once'), b: null.x, c: JSON.parse('{') }",
    )
    assert result.traceback[2] == " " * 34 + "^"
    assert "    at cell 1:1:35" in result.traceback
    result = node.error("{ a: console.log('once'), c: JSON.parse('{') }")
    assert node.output.text() == "once\n" and result.ename == "SyntaxError"
    result = node.error("{ a: 1, b: = 2 }")
    assert result.traceback[1:3] == ("{ a: 1, b: = 2 }", "         ^")


def test_an_error_after_an_await_and_its_cause(node):
    result = node.error(
        "await 1;\nthrow Object.assign(new Error('x', { cause: new Error('why') }), { code: 'E' })"
    )
    text = "\n".join(result.traceback)
    assert "at cell 1:2:21" in text
    assert "[cause]: Error: why" in text
    assert "code: 'E'" in text


def test_stacks_that_a_cell_prints_are_its_own_too(node):
    node.run("console.log(new Error('shown').stack)")
    assert node.output.text() == "Error: shown\n    at cell 1:1:13\n"


def test_a_syntax_error_points_to_its_place(node):
    result = node.error("let a = 1;\n\tlet b = = 2;")
    assert result.ename == "SyntaxError"
    assert result.traceback[:3] == ("cell 1:2", "\tlet b = = 2;", "\t        ^")
    assert result.traceback[-1] == "SyntaxError: Unexpected token '='"


@pytest.mark.parametrize("thrown, shown", [("1", "1"), ("'x'", "'x'"), ("null", "null")])
def test_anything_can_be_thrown(node, thrown, shown):
    result = node.error(f"throw {thrown}")
    assert result.evalue == shown


def test_a_rejected_await_is_the_cells_error(node):
    assert node.error("await Promise.reject(new RangeError('r'))").ename == "RangeError"
    assert node.output.events == []


def test_errors_in_the_background_are_reported_and_survived(node):
    node.run("let kept = 1; setTimeout(() => { throw new Error('timer') }, 10); undefined")
    output = node.output
    text = output.wait_for("Error: timer", "stderr")
    assert "Uncaught (in the background)" in text
    node.run("Promise.reject(new Error('nobody waits')); undefined")
    assert "at cell 2:1:16" in node.output.wait_for("Error: nobody waits", "stderr")
    assert node.value("kept") == "1"
