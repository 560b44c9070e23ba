"""The Node.js session: state from cell to cell, values, and its messages."""

import os
import signal

import pytest
from recorders import TIMEOUT_SECONDS


def test_declarations_persist_and_may_be_declared_again(node):
    node.run("const c = 1; let l = 2; var v = 3; function f() { return 4 } class K { k = 5 }")
    assert node.value("[c, l, v, f(), new K().k]") == "[ 1, 2, 3, 4, 5 ]"
    node.run("const c = 10; let l = 20; class K { k = 50 }")
    node.run("function f() { return 40 }")
    assert node.value("[c, l, v, f(), new K().k]") == "[ 10, 20, 3, 40, 50 ]"


def test_await_at_the_top_level(node):
    node.run("const x = await new Promise((resolve) => setTimeout(resolve, 20, 41))")
    assert node.value("x + 1") == "42"
    assert node.value("for await (const each of [7]) var last = each; last") == "7"


@pytest.mark.parametrize(
    "code, shown",
    [
        ("1 + 1", "2"),
        ("1 + 1;", "2"),
        ("'text'", "'text'"),
        ("null", "null"),
        ("-0", "-0"),
        ("12n", "12n"),
        ("NaN", "NaN"),
        ("Symbol('s')", "Symbol(s)"),
        ("({ a: [1, { b: 2 }] })", "{ a: [ 1, { b: 2 } ] }"),
        ("{ a: 1 }", "{ a: 1 }"),
        ("\n{\n  a: 1,\n  b: await Promise.resolve(2),\n} // two", "{ a: 1, b: 2 }"),
        ("{ a: 1 };", "1"),
        ("{ let a = 1; a + 1 }", "2"),
        ("{ let a = 1; a + 1 }\n'after'", "'after'"),
        ("new Map([[1, 'x']])", "Map(1) { 1 => 'x' }"),
        ("Promise.resolve(1)", "Promise { 1 }"),
        ("await Promise.resolve(1)", "1"),
        ("undefined", None),
        ("const noValue = 1", None),
        ("", None),
        ("// only a comment", None),
    ],
)
def test_the_last_expression_is_shown(node, code, shown):
    assert node.value(code) == shown


def test_a_value_can_bring_its_own_mime_bundle(node):
    result = node.run("({ [Symbol.for('Jupyter.display')]: () => ({ 'text/html': '<b>' }) })")
    assert result.data == {"text/html": "<b>"}


def test_many_cells_leave_no_sessions_and_little_memory(node):
    node.run("const used = () => { global.gc?.(); return process.memoryUsage().heapUsed }")
    for i in range(50):
        node.run("new Array(10000).fill(0).map((_, i) => ({ i }))")
    assert int(node.value("Math.round(used() / 1e6)")) < 100


def test_cells_run_one_after_another_even_if_submitted_together(node):
    first = node.submit("await new Promise((r) => setTimeout(r, 100)); const a = 1; 'first'")
    second = node.session.submit("a", "cell 2", node.output)
    assert second.result(TIMEOUT_SECONDS).data == {"text/plain": "1"}
    assert first.done()


def test_a_terminated_session_says_by_what(node):
    node.run("1")
    future = node.submit("console.log('up'); await new Promise(() => {})")
    node.output.wait_for("up")
    os.kill(node.session.pid, signal.SIGTERM)
    assert "killed by SIGTERM" in future.result(TIMEOUT_SECONDS).evalue


def test_messages_on_the_standard_streams_as_on_windows(open_session, monkeypatch):
    monkeypatch.setattr("benchbook_kernels.notebook.sessions.host_process.OWN_DESCRIPTORS", False)
    node = open_session()
    node.run("let x = 41; console.log('own'); console.error('err')")
    assert (node.output.text(), node.output.text("stderr")) == ("own\n", "err\n")
    node.run("require('child_process').execSync('echo child', { stdio: 'inherit' }); undefined")
    assert "child" in node.output.wait_for("child")
    future = node.submit("console.log('up'); while (true) {}")
    node.output.wait_for("up")
    node.session.interrupt()
    assert future.result(TIMEOUT_SECONDS).status == "interrupted"
    assert node.value("x + 1") == "42"
    assert "exit code 3" in node.run("process.exit(3)").evalue
