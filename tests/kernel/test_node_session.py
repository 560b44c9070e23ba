"""The Node.js session: state, values, output, errors, and what ends it."""

import itertools
import json
import os
import signal

import pytest


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


def test_printing_comes_in_order_on_its_stream(node):
    node.run("console.log('a'); process.stdout.write('b'); console.error('c'); console.log('d')")
    assert node.output.text() == "a\nbd\n"
    assert node.output.text("stderr") == "c\n"
    # on a busy machine a stream's text may come in several pieces
    names = [name for name, _ in itertools.groupby(event[0] for event in node.output.events)]
    assert names == ["stdout", "stderr", "stdout"]


def test_twenty_thousand_lines_all_arrive_in_order(node):
    node.run("for (let i = 0; i < 20000; i++) console.log(i)")
    assert node.output.text().split() == [str(i) for i in range(20000)]


def test_output_streams_while_the_cell_runs(node):
    future = node.submit("console.log('early'); while (true) {}")
    node.output.wait_for("early")
    assert not future.done()
    node.session.interrupt()
    future.result(60)


def test_bytes_split_within_a_character_arrive_whole(node):
    node.run("for (const byte of Buffer.from('é€😀')) process.stdout.write(Buffer.from([byte]))")
    assert node.output.text() == "é€😀"
    node.run("process.stdout.write('6869', 'hex')")
    assert node.output.text() == "hi"


def test_half_of_a_surrogate_pair_is_shown_as_a_terminal_shows_it(node):
    """Jupyter's messages are UTF-8, which has no word for it; the cell's other output stays."""
    result = node.run(
        "console.log('before'); console.log('half \\ud83c, whole \\ud83c\\udf89');"
        "display({ 'text/plain': 'a \\udf89', 'text/html': 'a' }); '\\ud83c' + '!'"
    )
    assert node.output.text() == "before\nhalf \ufffd, whole 🎉\n"
    assert node.output.displays[0][1]["text/plain"] == "a \ufffd"
    result.data["text/plain"].encode("utf-8")
    failed = node.run("throw new Error('\\ud83c')")
    "".join([failed.evalue, *failed.traceback]).encode("utf-8")


def test_a_childs_bytes_split_within_a_character_arrive_whole(node):
    child = (
        "process.stdout.write(Buffer.from([0xe3, 0x81]));"
        "setTimeout(() => process.stdout.write(Buffer.from([0x82])), 200)"
    )
    node.run(
        "require('child_process').spawnSync(process.execPath, ['-e', "
        f"{json.dumps(child)}], {{ stdio: 'inherit' }})"
    )
    assert node.output.text() == "あ"


def test_what_a_cell_started_ends_with_a_session_that_ends_by_itself(node, ends):
    pid = int(node.value("const c = require('child_process').spawn('sleep', ['600']); c.pid"))
    node.run("process.exit(3)")
    assert ends(pid)


def test_another_keyword_for_a_name_is_an_error_that_says_what_to_do(node):
    node.run("let n = 1")
    node.run("let n = 2")
    error = node.error("const n = 3")
    assert "already been declared" in error.evalue
    assert "restart the kernel" in "\n".join(error.traceback)


def test_a_return_outside_functions_says_what_to_do(node):
    assert "without return" in "\n".join(node.error("return 1").traceback)


def test_write_calls_back(node):
    assert node.value("await new Promise((r) => process.stdout.write('x', () => r(1)))") == "1"


def test_output_after_the_cell_has_ended_still_appears(node):
    node.run("setTimeout(() => console.log('later'), 100); undefined")
    assert "later" not in node.output.text()
    node.output.wait_for("later")


def test_child_processes_print_without_corrupting_messages(node):
    code = """
        const { execSync } = require('node:child_process');
        execSync('echo "{"; printf "no newline"; echo oops >&2', { stdio: 'inherit' });
        process.stdout.write('after');
    """
    assert node.run(code).status == "ok"
    assert "{\nno newline" in node.output.text()
    assert node.output.text("stderr") == "oops\n"
    assert node.value("require('fs').writeSync(1, '\\x1e{\"op\":\"reply\"}\\n')") == "16"
    assert node.value("1 + 1") == "2"


def test_what_a_child_printed_is_there_when_the_cell_is_done(node):
    code = "require('child_process').execSync('seq 1 20000', { stdio: 'inherit' }); undefined"
    node.run(code)
    assert node.output.text().split() == [str(i) for i in range(1, 20001)]


def test_standard_input_is_empty_not_the_messages(node):
    assert node.value("require('fs').readFileSync(0, 'utf8')") == "''"
    assert node.value("require('child_process').execSync('cat', { stdio: 'inherit' })") == "null"
    assert node.value("1 + 1") == "2"


def test_endless_output_is_cut_with_a_message(open_session):
    node = open_session(max_output_chars=100_000)
    line = "x" * 999
    node.run(f"for (let i = 0; i < 1e5; i++) console.log('{line}')")
    assert len(node.output.text()) == 100_000
    assert "output ends here: it exceeds 0.1 million characters" in node.output.text("stderr")
    assert node.output.text("stderr").count("ends here") == 1
    assert node.value("console.log('again'); 5") == "5"
    assert node.output.text() == "again\n"


def test_a_gigabyte_from_a_child_is_cut_too(open_session):
    node = open_session(max_output_chars=100_000)
    child = "yes benchbook | head -c 1000000000"
    node.run(f"require('child_process').execSync('{child}', {{ stdio: 'inherit' }})")
    assert len(node.output.text()) < 101_000
    assert "output ends here" in node.output.text()
    assert node.value("1 + 1") == "2"


def test_a_huge_string_and_a_huge_display_are_cut(open_session):
    node = open_session(max_output_chars=100_000)
    node.run("console.log('x'.repeat(1e8))")
    assert len(node.output.text()) == 100_000
    node.run("display.html('x'.repeat(1e6))")
    assert not node.output.displays
    assert "output ends here" in node.output.text("stderr")


def test_display_shows_values_and_bundles(node):
    node.run("display({ a: 1 }); display({ 'text/html': '<i>', 'text/plain': 'i' })")
    assert [event[1] for event in node.output.displays] == [
        {"text/plain": "{ a: 1 }"},
        {"text/html": "<i>", "text/plain": "i"},
    ]
    node.run("display.html('<b>'); display.markdown('*m*'); display.json({ j: [1] })")
    first, second, third = (event[1] for event in node.output.displays)
    assert first["text/html"] == "<b>"
    assert second["text/markdown"] == "*m*"
    assert third["application/json"] == {"j": [1]}
    node.run("display({ 'image/png': Buffer.from('png') })")
    assert node.output.displays[0][1] == {"image/png": "cG5n"}


def test_a_display_is_updated_in_place_and_its_handle_is_not_shown(node):
    result = node.run("const shown = display('one'); shown.update('two'); shown")
    assert result.data is None
    first, second = node.output.displays
    assert first[3] == second[3] and first[3]
    assert [first[4], second[4]] == [False, True]
    assert second[1] == {"text/plain": "'two'"}


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


def test_many_cells_leave_no_sessions_and_little_memory(node):
    node.run("const used = () => { global.gc?.(); return process.memoryUsage().heapUsed }")
    for i in range(50):
        node.run("new Array(10000).fill(0).map((_, i) => ({ i }))")
    assert int(node.value("Math.round(used() / 1e6)")) < 100


def test_cells_run_one_after_another_even_if_submitted_together(node):
    first = node.submit("await new Promise((r) => setTimeout(r, 100)); const a = 1; 'first'")
    second = node.session.submit("a", "cell 2", node.output)
    assert second.result(60).data == {"text/plain": "1"}
    assert first.done()


def test_output_that_can_not_be_taken_does_not_stop_the_session(node):
    class Broken:
        def stream(self, *_):
            raise RuntimeError("no front end")

        display = stream

    result = node.session.submit("console.log('x'); display(1); 7", "cell 1", Broken())
    assert result.result(60).data == {"text/plain": "7"}


def test_the_session_has_a_process_group_of_its_own(node):
    assert node.run("1").status == "ok"
    assert os.getpgid(node.session.pid) == node.session.pid != os.getpgid(0)


def test_a_terminated_session_says_by_what(node):
    node.run("1")
    future = node.submit("console.log('up'); await new Promise(() => {})")
    node.output.wait_for("up")
    os.kill(node.session.pid, signal.SIGTERM)
    assert "killed by SIGTERM" in future.result(60).evalue


def test_messages_on_the_standard_streams_as_on_windows(open_session, monkeypatch):
    monkeypatch.setattr("benchbook.kernel.host.OWN_DESCRIPTORS", False)
    node = open_session()
    node.run("let x = 41; console.log('own'); console.error('err')")
    assert (node.output.text(), node.output.text("stderr")) == ("own\n", "err\n")
    node.run("require('child_process').execSync('echo child', { stdio: 'inherit' }); undefined")
    assert "child" in node.output.wait_for("child")
    future = node.submit("console.log('up'); while (true) {}")
    node.output.wait_for("up")
    node.session.interrupt()
    assert future.result(60).status == "interrupted"
    assert node.value("x + 1") == "42"
    assert "exit code 3" in node.run("process.exit(3)").evalue
