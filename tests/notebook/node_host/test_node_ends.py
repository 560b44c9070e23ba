"""What ends the Node.js session is told, and the next cell starts a new one."""

import json
import os

import psutil
import pytest


def test_what_a_cell_started_ends_with_a_session_that_ends_by_itself(node, ends):
    pid = int(node.value("const c = require('child_process').spawn('sleep', ['600']); c.pid"))
    node.run("process.exit(3)")
    assert ends(pid)


@pytest.mark.parametrize(
    "code, cause",
    [
        ("process.exit(3)", "exit code 3"),
        ("process.exit(0)", "exit code 0"),
        ("process.abort()", "killed by SIGABRT"),
        ("process.kill(process.pid, 'SIGKILL'); while (true) {}", "killed by SIGKILL"),
        ("setTimeout(() => process.exit(4)); await new Promise(() => {})", "exit code 4"),
    ],
)
def test_the_end_of_the_session_is_reported_and_the_next_cell_starts_anew(node, code, cause):
    node.run("let x = 1")
    result = node.run(code)
    assert result.status == "ended"
    assert result.evalue == (
        f"the Node.js session ended ({cause}); the next cell starts a new one, variables are lost"
    )
    assert not node.session.alive
    assert node.value("typeof x") == "'undefined'"
    assert "debugger" not in node.output.text("stderr")


def test_running_out_of_memory_is_reported_as_that(open_session):
    node = open_session(node_options=("--max-old-space-size=50",))
    result = node.run("const all = []; while (true) all.push(new Array(1000).fill({}))")
    assert result.status == "ended"
    assert "out of memory" in result.evalue
    assert node.value("1 + 1") == "2"


def test_an_end_between_cells_is_reported_under_the_last(node):
    node.run("setTimeout(() => process.exit(5), 50); undefined")
    node.output.wait_for("the Node.js session ended (exit code 5)", "stderr")
    assert node.value("1 + 1") == "2"


def test_missing_node_is_named_with_a_remedy(open_session):
    node = open_session(node="/nonexistent/node")
    result = node.run("1")
    assert result.status == "ended"
    assert "can't be started" in result.evalue and "/nonexistent/node" in result.evalue


def test_restart_begins_without_state(node):
    node.run("let x = 1")
    before = node.session.pid
    node.session.restart()
    assert node.session.pid != before
    assert node.value("typeof x") == "'undefined'"


def test_close_ends_the_session_and_what_it_started(node, ends):
    pid = int(node.value("const c = require('child_process').spawn('sleep', ['600']); c.pid"))
    session = node.session.pid
    node.session.close()
    assert ends(session) and ends(pid)
    assert not node.session.alive


def test_the_session_has_a_process_group_of_its_own(node):
    assert node.run("1").status == "ok"
    assert os.getpgid(node.session.pid) == node.session.pid != os.getpgid(0)


@pytest.mark.parametrize(
    "frame",
    [
        "not JSON",
        '{"op": "stream"}',
        '{"op": "display", "id": "x"}',
        '{"op": "reply", "id": 2, "status": "error"}',
        "[" * 5000,
        "5",
    ],
)
def test_what_a_cell_writes_among_the_messages_ends_the_session_and_says_so(node, frame):
    host = psutil.Process(int(node.value("process.pid")))
    descriptor = json.loads(host.cmdline()[-1])["out"]
    text = json.dumps("\x1e" + frame + "\n")
    result = node.run(f"require('fs').writeSync({descriptor}, {text}); while (true) {{}}")
    assert result.status == "ended" and "descriptor" in result.evalue
    assert node.run("1 + 1").data["text/plain"] == "2"


def test_a_cell_that_gives_all_objects_a_json_of_their_own_ends_the_session_and_says_so(node):
    result = node.run("Object.prototype.toJSON = () => 'broken'; 1")
    assert result.status == "ended" and "Object.prototype a toJSON" in result.evalue
    assert node.run("1 + 1").data["text/plain"] == "2"


def test_cells_that_replace_what_the_session_uses_break_only_themselves(node):
    node.run(
        "Buffer.from = () => { throw new Error('x'); };"
        "require('fs').writeSync = () => { throw new Error('y'); }; JSON.stringify = () => 'z';"
    )
    assert node.run("console.log('still'); 'here'").data["text/plain"] == "'here'"
    assert node.output.text() == "still\n"
    node.run("display({ 'text/html': '<b>seen</b>' })")
    assert node.output.displays[-1][1]["text/html"] == "<b>seen</b>"
    assert "no" in node.run("throw new Error('no')").evalue


def test_what_left_the_session_s_group_ends_with_it(node, ends):
    pid = int(
        node.value(
            "const { spawn } = require('child_process');"
            "const left = spawn('sleep', ['600'], { detached: true }); left.unref(); left.pid"
        )
    )
    assert psutil.pid_exists(pid)
    node.session.close()
    assert ends(pid)


def test_a_cell_that_closes_the_channel_ends_the_session_and_the_next_begins_anew(node):
    host = psutil.Process(int(node.value("process.pid")))
    descriptor = json.loads(host.cmdline()[-1])["out"]
    result = node.run(f"require('fs').closeSync({descriptor}); while (true) {{}}")
    assert result.status == "ended" and "closed" in result.evalue
    assert not host.is_running() or host.status() == psutil.STATUS_ZOMBIE
    assert node.value("1 + 1") == "2"
