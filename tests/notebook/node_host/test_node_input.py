"""What a Node.js cell reads from stdin is asked of the reader; else it is an error at once."""

import pytest
from recorders import TIMEOUT_SECONDS, Bench, Recorder

from benchbook_kernels.notebook.sessions.node import NodeSession

ASKS = "import readline from 'node:readline'; import { stdin, stdout } from 'node:process';"
PROMISES = (
    "import readline from 'node:readline/promises'; import { stdin, stdout } from 'node:process';"
)
INTERFACE = "var rl = readline.createInterface({ input: stdin, output: stdout });"

READS = {
    "a question, awaited by hand": (
        f"{ASKS}{INTERFACE}"
        "var a = await new Promise((done) => rl.question('Who? ', done)); rl.close(); a",
        ["Ada"],
        "'Ada'",
    ),
    "questions of promises, left open": (
        f"{PROMISES}{INTERFACE} [await rl.question('Who? '), await rl.question('When? ')]",
        ["Ada", ""],
        "[ 'Ada', '' ]",
    ),
    "lines until one is enough": (
        f"{ASKS}{INTERFACE} var a = []; for await (const line of rl)"
        " { a.push(line); if (line === 'quit') break; } a",
        ["1", "quit"],
        "[ '1', 'quit' ]",
    ),
    "lines until an empty one": (
        f"{ASKS}{INTERFACE} var a = 0; for await (const line of rl) a += Number(line); a",
        ["1", "2", ""],
        "3",
    ),
    "all of stdin": (
        "var a = ''; for await (const part of process.stdin) a += part; a",
        ["Ada"],
        "'Ada\\n'",
    ),
    "all of stdin, with events": (
        "await new Promise((done) => { var a = ''; process.stdin.setEncoding('utf8');"
        " process.stdin.on('data', (part) => (a += part)).on('end', () => done(a)) })",
        ["Ada"],
        "'Ada\\n'",
    ),
    "events, twice": (
        "var once = () => new Promise((done) => process.stdin.once('data', done));"
        " `${await once()}${await once()}`",
        ["Ada", "Eve"],
        "'Ada\\nEve\\n'",
    ),
    "a file": ("require('fs').readFileSync(0, 'utf8').trim()", ["Ada"], "'Ada'"),
    "a file of that name": (
        "import { readFile } from 'fs/promises'; String(await readFile('/dev/stdin'))",
        ["Ada"],
        "'Ada\\n'",
    ),
    "a part of a file, with options": (
        "import { read } from 'fs'; var b = Buffer.alloc(9);"
        " await new Promise((done, fail) => read(0, { buffer: b, offset: 2 }, (e, n, given) =>"
        " e ? fail(e) : done([n, given === b, b.toString('utf8', 2, 2 + n)])))",
        ["Ada"],
        "[ 4, true, 'Ada\\n' ]",
    ),
    "a part of a file, in a buffer of its own": (
        "import { read } from 'fs'; await new Promise((done, fail) => read(0, (e, n, given) =>"
        " e ? fail(e) : done(String(given.subarray(0, n)))))",
        ["Ada"],
        "'Ada\\n'",
    ),
    "parts of a file": (
        "import { readSync } from 'fs'; var b = Buffer.alloc(2); var a = ''; var n;"
        " while ((n = readSync(0, b))) a += b.toString('utf8', 0, n); a",
        ["Ada", ""],
        "'Ada\\n'",
    ),
}


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    session = NodeSession(str(tmp_path_factory.mktemp("node")))
    session.start()  # a process that a test starts is to end with it
    yield Bench(session)
    session.close()


class Nobody(Recorder):
    def input(self, *_: object) -> str | None:
        raise RuntimeError("no stdin")


@pytest.mark.parametrize("name", READS)
def test_a_cell_that_reads_is_answered(node, name):
    code, answers, shown = READS[name]
    done = node.submit(code)
    node.output.answers = list(answers)
    result = done.result(TIMEOUT_SECONDS)
    assert result.status == "ok", result
    assert result.data["text/plain"] == shown and node.output.answers == []


@pytest.mark.parametrize("name", READS)
def test_where_nobody_can_be_asked_it_is_an_error(node, name):
    result = node.submit(READS[name][0], Nobody()).result(TIMEOUT_SECONDS)
    assert result.status == "error" and "nobody can be asked here (no stdin)" in result.evalue
    assert node.value("1 + 1") == "2"


def test_a_cell_waits_for_the_callback_of_a_question(node):
    code = f"{ASKS}{INTERFACE} rl.question('Who? ', (a) => {{ console.log('got', a); rl.close() }})"
    done = node.submit(code)
    node.output.answers = ["Ada"]
    assert done.result(TIMEOUT_SECONDS).status == "ok"
    assert node.output.text() == "Who? got Ada\n"


def test_what_was_asked_can_be_interrupted_and_a_late_answer_is_nobodys(node):
    for name in ("a file", "questions of promises, left open"):
        code, _, shown = READS[name]
        asked, interrupted = node.submit(code), node.output
        assert interrupted.asked.wait(TIMEOUT_SECONDS)
        node.session.interrupt()
        assert asked.result(TIMEOUT_SECONDS).status == "interrupted"
        again = node.submit(code)
        assert node.output.asked.wait(TIMEOUT_SECONDS)
        interrupted.give("late")
        node.output.answers = list(READS[name][1])
        assert again.result(TIMEOUT_SECONDS).data["text/plain"] == shown


def test_a_cell_that_reads_nothing_is_not_asked_for_what_an_earlier_one_left_open(node):
    done = node.submit(f"{PROMISES}{INTERFACE} await rl.question('Who? ')")
    node.output.answers = ["Ada"]
    assert done.result(TIMEOUT_SECONDS).data["text/plain"] == "'Ada'"
    assert node.value("await new Promise((done) => setTimeout(done, 50, 7))") == "7"
    done = node.submit("await rl.question('When? ')")
    node.output.answers = ["now"]
    assert done.result(TIMEOUT_SECONDS).data["text/plain"] == "'now'"
