"""Tab and Shift-Tab in the Node.js session."""

import pytest
from recorders import TIMEOUT_SECONDS


@pytest.fixture
def matches(node):
    def complete(code: str, pos: int | None = None) -> list[str]:
        found = node.session.complete(code, len(code) if pos is None else pos).result(
            TIMEOUT_SECONDS
        )
        return [each.text for each in found.matches]

    return complete


@pytest.fixture
def inspect(node):
    def ask(code: str, pos: int | None = None, detail: int = 0) -> str | None:
        data = node.session.inspect(code, len(code) if pos is None else pos, detail).result(
            TIMEOUT_SECONDS
        )
        return data and data["text/plain"]

    return ask


def test_completes_globals_keywords_and_the_sessions_names(node, matches):
    node.run("const measured = 1; var meanwhile = 2; class Meter {}")
    assert matches("mea") == ["measured", "meanwhile"]
    assert matches("1 + Met") == ["Meter"]
    assert "setTimeout" in matches("setT")
    assert "display" in matches("disp")
    assert matches("retu") == ["return"]
    assert matches("imp") == ["import"]


def test_completes_property_chains(node, matches):
    node.run("const o = { inner: { leaf: 1, list: [1] }, 'not a name': 2 }; let text = 'x'")
    assert matches("process.ver") == ["version", "versions"]
    assert {"PI", "max", "min"} <= set(matches("Math."))
    assert matches("o.inner.le") == ["leaf"]
    assert matches("o?.inner?.li") == ["list"]
    assert "map" in matches("o.inner.list.")
    assert "map" in matches("o['inner'].list.")
    assert "toUpperCase" in matches("text.")
    assert "toUpperCase" in matches("'literal'.")
    assert "not a name" not in matches("o.")
    assert matches("o.nothing.at.all") == []
    assert matches("f(1).") == []


def test_the_place_of_a_completion_counts_characters(node):
    node.run("1")
    found = node.session.complete("'😀'; Math.ma + 1", len("'😀'; Math.ma")).result(TIMEOUT_SECONDS)
    assert [each.text for each in found.matches] == ["max"]
    assert (found.start, found.end) == (len("'😀'; Math."), len("'😀'; Math.ma"))


def test_completes_module_names(node, matches):
    node.run("1")
    assert "node:fs" in matches("require('node:f")
    assert "fs/promises" in matches("import { readFile } from 'fs")


def test_completion_runs_no_getter_and_changes_nothing(node, matches):
    node.run(
        "let asked = 0; const o = { get trap() { asked++; return { x: 1 } } };"
        "const p = new Proxy({}, { get() { asked++ }, ownKeys() { asked++; return [] } })"
    )
    assert matches("o.tra") == ["trap"]
    assert matches("o.trap.") == []
    assert matches("p.") == []
    assert node.value("asked") == "0"


def test_inspection_tells_type_value_and_signature(node, inspect):
    node.run("const list = [1, 2]; class Dog { constructor(name, age = 1) {} bark() {} }")
    node.run("const add = async (a, b = '(') => a; const one = x => x; function long(\n a,\n b) {}")
    assert inspect("list") == "Type:      Array\nValue:     [ 1, 2 ]"
    assert "Signature: add(a, b = '(')" in inspect("add")
    assert "Signature: one(x)" in inspect("one")
    assert "Signature: long( a, b)" in inspect("long")
    assert "Signature: new Dog(name, age = 1)" in inspect("Dog")
    assert "Type:      class" in inspect("Dog")
    assert "Signature: Math.max(arg1, arg2)" in inspect("Math.max")
    assert inspect("nothingOfTheKind") is None


def test_inspection_inside_a_call_is_about_its_function(node, inspect):
    node.run("const add = (a, b) => a")
    assert "Signature: add(a, b)" in inspect("add(")
    assert "Signature: add(a, b)" in inspect("add(f(1), ")
    assert "Type:      number" in inspect("const x = add(Math.PI, 2)", len("const x = add(Math.PI"))


def test_inspection_gives_the_source_when_asked(node, inspect):
    node.run("function half(x) { return x / 2 }")
    assert "return x / 2" not in inspect("half")
    assert "function half(x) { return x / 2 }" in inspect("half", detail=1)


def test_a_session_that_does_not_run_has_no_answers_and_is_not_started(node, matches, inspect):
    assert matches("Math.") == []
    assert inspect("Math") is None
    assert not node.session.alive
