"""%check: what is missing in an exercise; checks that are wrong themselves are named."""

import hashlib
import json
from types import SimpleNamespace

import pytest

from benchbook.model import experiments
from benchbook.model.runs import Run
from benchbook.notebook import exercises
from benchbook.notebook.exercises import Missing, View
from benchbook.notebook.workbench import Workbench
from benchbook_kernels.base.errors import BenchError, InputError


def no_variable(name: str) -> str:
    raise BenchError(f"no variable '{name}'")


@pytest.fixture
def bench(two_servers, checkout) -> Workbench:
    return Workbench(experiments.load(two_servers))


def seen(bench: Workbench, **variables) -> View:
    def get(name: str) -> str:
        return json.dumps(variables[name]) if name in variables else no_variable(name)

    return exercises.view(bench, get)


def write(bench: Workbench, text: str) -> None:
    header = "from benchbook.notebook.exercises import View\n"
    (bench.experiment.home / exercises.FILE).write_text(header + text)


def edit(bench: Workbench, name: str, old="hello", new="HELLO") -> None:
    bench.edit(name, bench.experiment.variant(name).code.replace(old, new))


def race(bench: Workbench, make_run) -> Run:
    """A race of the workbench, with its edits, that measured nothing in truth."""
    run = make_run({"a": 1000.0, "b": 1000.0})
    for entry in run.entries:
        variant = bench.raced_experiment.variant(entry.name.partition("#")[0])
        entry.sha256 = hashlib.sha256(variant.path.read_bytes()).hexdigest()
    bench.run = bench.raced_here = run
    return run


# ── What a check sees ────────────────────────────────────────────────────────────────────────────


def test_an_edit_is_seen_without_its_comments(bench):
    with pytest.raises(Missing, match=r"code of b \(b.mjs\) is still the snippet"):
        seen(bench).edited("b")
    edit(bench, "b", "response.end('hello')", "response.end('HELLO') // upper case")
    assert "HELLO" in seen(bench).edited("b") and "upper case" not in seen(bench).edited("b")


def test_a_comment_alone_is_no_edit(bench):
    edit(bench, "b", "response.end", "// done\n  response.end")
    assert bench.edits
    with pytest.raises(Missing, match="still the snippet"):
        seen(bench).edited("b")


def test_addresses_and_directives_are_no_comments():
    kept = "#:sdk Web\nproxy_pass http://kestrel;\nf('a') "
    assert exercises.bare(kept + "// gone") == kept
    kept = "f('text/*', '*/*') "
    assert exercises.bare(kept + "/* for (;;) */") == kept


@pytest.mark.parametrize(
    ("added", "done"),
    [
        ("/* for */", None),
        ("for (const x of []) x;", False),
        ("for (let i = 0; i < 9; i++) JSON.stringify({ i });", True),
        ("for (let i = 0; i < 9; i++) { const o = { i }; JSON.stringify(o); }", True),
        ("[1, 2].forEach((i) => { JSON.stringify({ i }); });", True),
        ("JSON.stringify(1);", True),
    ],
)
def test_a_loop_that_repeats_nothing_is_no_answer(added, done):
    found = experiments.find("04")
    snippet = found.variant("write-head-length").code
    edited = snippet.replace("response.writeHead", f"{added}\n  response.writeHead")
    if done is None:
        assert exercises.bare(edited).split() == exercises.bare(snippet).split()
        return
    view = SimpleNamespace(edited=lambda name: exercises.bare(edited), raced=lambda name: None)
    said = list(exercises.load(found)[1](view))
    assert said == [] if done else "once for each request" in said[0]


def test_a_race_counts_with_the_code_as_it_is_now(bench, make_run):
    with pytest.raises(Missing, match="Nothing was raced yet"):
        seen(bench).raced("b")
    race(bench, make_run)
    assert seen(bench).raced("b") is bench.run
    edit(bench, "b")
    with pytest.raises(Missing, match="had another b"):
        seen(bench).raced("b")
    race(bench, make_run)
    seen(bench).raced("b")


def test_a_race_without_the_variant_or_one_that_ended_early_does_not_count(bench, make_run):
    run = race(bench, make_run)
    run.entry("b").status, run.entry("b").reason = "failed", "answers with status 500\nmore"
    with pytest.raises(Missing, match="b was not timed: answers with status 500$"):
        seen(bench).raced("b")
    run.entries = [entry for entry in run.entries if entry.name != "b"]
    with pytest.raises(Missing, match="not in the last race"):
        seen(bench).raced("b")
    run.status = "incomplete"
    with pytest.raises(Missing, match="cut short"):
        seen(bench).raced("a")


def test_a_run_that_is_only_on_disk_is_nobodys_work(bench, make_run):
    bench.run = race(bench, make_run)
    bench.raced_here = None
    with pytest.raises(Missing, match="Nothing was raced"):
        seen(bench).raced("b")


def test_variables_and_benchmarks(bench):
    assert seen(bench, share=0.5).value("share") == 0.5
    for none in (seen(bench), seen(bench, share=None)):
        with pytest.raises(Missing, match="share has no value yet"):
            none.value("share")
    with pytest.raises(Missing, match="No %%benchmark"):
        seen(bench).benchmark()


def test_a_server_with_the_edit_is_asked_and_ended(bench):
    edit(bench, "b")
    assert seen(bench).answer("b", "/any").body == b"HELLO"
    edit(bench, "b", "server.listen", "process.exit(3); server.listen")
    with pytest.raises(Missing, match="exit code 3"):
        seen(bench).answer("b", "/")


# ── What comes of it ─────────────────────────────────────────────────────────────────────────────


def test_all_sentences_until_something_is_missing(bench):
    write(
        bench,
        "def exercise_1(view):\n    yield 'first'\n    view.edited('b')\n    yield 'never'\n"
        "def exercise_2(view):\n    pass\n",
    )
    first, second = exercises.missing(1, seen(bench))
    assert first == "first" and "still the snippet" in second
    shown = exercises.card(1, [first, second])
    assert "Exercise 1 is not done yet" in shown.text and "\n– first\n– The code" in shown.text
    assert shown.html.count("<li>") == 2
    assert "<b>" not in exercises.card(1, ["<b>"]).html
    assert exercises.missing(2, seen(bench)) == []
    assert "Exercise 2 is done" in exercises.card(2, []).text
    with pytest.raises(InputError, match=r"%check 3.*there are: 1, 2"):
        exercises.missing(3, seen(bench))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def exercise_1(view):\n    yield {}['x']\n", r"exercise_1: KeyError: 'x' \(line 3\)"),
        ("def exercise_1(view):\n    view.edited('c')\n    yield", "exercise_1: LookupError.*'c'"),
        ("def exercise_1(view:\n", r"can't be read: SyntaxError.*\(line 2\)"),
        ("import nothing_of_that_name\n", r"ModuleNotFoundError.*\(line 2\)"),
        ("", "has no function exercise_1"),
    ],
)
def test_a_wrong_check_is_named_with_file_and_function(bench, text, said):
    write(bench, text)
    with pytest.raises(BenchError, match=rf"(?s)exercises\.py.*{said}"):
        exercises.missing(1, seen(bench))


def test_an_experiment_without_checks_says_so(bench):
    with pytest.raises(InputError, match="exercises.py: does not exist"):
        exercises.missing(1, seen(bench))


def test_a_variant_of_another_part_says_which_to_choose():
    bench = Workbench(experiments.find("08/memory"))
    with pytest.raises(Missing, match="Choose %experiment 08/http first"):
        exercises.view(bench, no_variable).edited("deno-bare-1")
