"""Interrupting the Node.js session: the cell ends, everything else stays."""

import pytest
from recorders import TIMEOUT_SECONDS

BUSY = {
    "loop": "console.log('up'); while (true) {}",
    "loop that catches": "console.log('up'); while (true) { try { while (true) {} } catch {} }",
    "loop after an await": "await 1; console.log('up'); while (true) {}",
    "loop after a timer": (
        "await new Promise((r) => setTimeout(r, 10)); console.log('up'); while (true) {}"
    ),
    "loop of awaits": "console.log('up'); while (true) await null",
    "await for ever": "console.log('up'); await new Promise(() => {})",
    "loop in a callback": (
        "setTimeout(() => { console.log('up'); while (true) {} }); await new Promise(() => {})"
    ),
    "loop in a tick": (
        "process.nextTick(() => { console.log('up'); while (true) {} });"
        "await new Promise(() => {})"
    ),
    "wait": "console.log('up'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
    "regular expression": "console.log('up'); /^(a+)+$/.test('a'.repeat(60) + 'b')",
    "printing": "while (true) console.log('up')",
    "child process": "console.log('up'); require('child_process').execSync('sleep 600')",
}


@pytest.mark.parametrize("code", BUSY.values(), ids=BUSY.keys())
def test_an_interrupt_ends_the_cell_and_keeps_the_state(node, code):
    node.run("let x = 41; const c = { deep: { er: 1 } }")
    pid = node.session.pid
    future = node.submit(code)
    node.output.wait_for("up")
    node.session.interrupt()
    result = future.result(TIMEOUT_SECONDS)
    assert result.status == "interrupted", result
    assert "variables are kept" in result.evalue
    assert node.value("x + c.deep.er") == "42"
    assert node.session.pid == pid


def test_what_an_interrupted_cell_awaits_goes_on_and_that_is_said(node):
    loop = "while (true) { console.log('up'); await new Promise((r) => setTimeout(r, 5)); turns++ }"
    node.run("let turns = 0")
    future = node.submit(loop)
    node.output.wait_for("up")
    node.session.interrupt()
    assert "goes on in the background" in future.result(TIMEOUT_SECONDS).evalue
    code = "turns = 0; await new Promise((r) => setTimeout(r, 200)); turns > 2"
    assert node.value(code) == "true"
    future = node.submit("console.log('busy'); while (true) {}")
    node.output.wait_for("busy")
    node.session.interrupt()
    assert "background" not in future.result(TIMEOUT_SECONDS).evalue


def test_timers_and_servers_outlive_an_interrupt(node):
    node.run("let ticks = 0; setInterval(() => ticks++, 5); undefined")
    future = node.submit("console.log('up'); while (true) {}")
    node.output.wait_for("up")
    node.session.interrupt()
    assert future.result(TIMEOUT_SECONDS).status == "interrupted"
    code = "ticks = 0; await new Promise((r) => setTimeout(r, 200)); ticks > 2"
    assert node.value(code) == "true"


def test_interrupts_many_times_in_a_row(node):
    node.run("let x = 0")
    for i in range(8):
        future = node.submit(f"x++; console.log('up'); {'await 1;' * (i % 2)} while (true) {{}}")
        node.output.wait_for("up")
        node.session.interrupt()
        assert future.result(TIMEOUT_SECONDS).status == "interrupted"
    assert node.value("x") == "8"


def test_a_busy_callback_after_the_cell_is_interrupted_with_the_next(node):
    node.run("let x = 1; setTimeout(() => { console.log('up'); while (true) {} }, 10); undefined")
    node.output.wait_for("up")
    future = node.submit("x")
    node.session.interrupt()
    assert future.result(TIMEOUT_SECONDS).status in ("interrupted", "ok")
    assert node.value("x") == "1"


def test_an_interrupt_without_a_cell_changes_nothing(node):
    node.run("let x = 1")
    node.session.interrupt()
    assert node.value("x") == "1"


def test_waiting_cells_are_interrupted_with_the_one_that_runs(node):
    first = node.submit("console.log('up'); await new Promise(() => {})")
    second = node.session.submit("'never'", "cell 2", node.output)
    node.output.wait_for("up")
    node.session.interrupt()
    assert (
        first.result(TIMEOUT_SECONDS).status
        == second.result(TIMEOUT_SECONDS).status
        == "interrupted"
    )


def test_a_cell_that_can_not_be_interrupted_is_ended_by_a_later_interrupt(node, monkeypatch):
    monkeypatch.setattr("benchbook_kernels.notebook.sessions.process.STUBBORN_SECONDS", 0.5)
    code = "console.log('up'); require('crypto').pbkdf2Sync('p', 's', 2 ** 31 - 1, 64, 'sha512')"
    future = node.submit(code)
    node.output.wait_for("up")
    node.session.interrupt()
    with pytest.raises(TimeoutError):
        future.result(1)
    node.session.interrupt()
    result = future.result(TIMEOUT_SECONDS)
    assert result.status == "ended"
    assert "did not stop when interrupted twice" in result.evalue
    assert node.value("1 + 1") == "2"
