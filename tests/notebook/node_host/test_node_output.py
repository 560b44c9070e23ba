"""What JavaScript cells and their child processes print and display."""

import itertools
import json

from recorders import TIMEOUT_SECONDS


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
    future.result(TIMEOUT_SECONDS)


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


def test_standard_input_is_the_readers_and_never_the_messages(node):
    reading = node.submit("require('fs').readFileSync(0, 'utf8')")
    node.output.answers.append("typed")
    assert reading.result(TIMEOUT_SECONDS).data["text/plain"] == "'typed\\n'"
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


def test_output_that_can_not_be_taken_does_not_stop_the_session(node):
    class Broken:
        def stream(self, *_):
            raise RuntimeError("no front end")

        display = stream

    result = node.session.submit("console.log('x'); display(1); 7", "cell 1", Broken())
    assert result.result(TIMEOUT_SECONDS).data == {"text/plain": "7"}
