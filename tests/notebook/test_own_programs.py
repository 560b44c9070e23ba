"""A notebook without an experiment: programs in cells, their hosts, sentences about the race."""

from types import SimpleNamespace

import pytest

from benchbook.compare.question import Question
from benchbook.model.kinds.commands import WholeProcesses
from benchbook.model.variants import Mode, Variant
from benchbook.notebook import exercises, workbench
from benchbook.notebook.magics import compare_magics
from benchbook.notebook.own import exercises as own_exercises
from benchbook.notebook.own.programs import HOSTS, OwnProgram
from benchbook.notebook.own.question import OwnQuestion
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.running import run

WHOLE = "import http from 'node:http';\nhttp.createServer((q, r) => r.end('x'))"
WHOLE += ".listen(process.env.PORT, '127.0.0.1');"


@pytest.fixture
def bench(checkout) -> OwnQuestion:
    return OwnQuestion.of_cells()


def program(name="a", code="return 'hello';", language="node", server=True) -> OwnProgram:
    return OwnProgram(name, language, code, server)


# ── Programs ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("language", HOSTS)
@pytest.mark.parametrize("server", [True, False])
def test_a_line_of_the_cell_is_that_line_of_the_program(language, server):
    code = "first();\nsecond();\nthird();"
    text = program(code=code, language=language, server=server).text
    if server and language == "csharp":
        text = text[text.index("#line 2 ") :].replace("#line 2 ", "")  # what follows is line 2
    assert text.splitlines()[1:4] == code.splitlines()


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("node", "import fs from 'node:fs';"),
        ("csharp", "using System.Text;"),
        ("csharp", "#:package Dapper@2.1.66"),
        ("csharp", "using Rows = System.Collections.Generic.List<string>;"),
    ],
)
def test_what_must_come_first_goes_before_the_handler(language, line):
    text = program(code=f"{line}\nreturn 1;", language=language).text
    assert text.index(line) < text.index("=> {") < text.index("return 1;")
    assert text.count(line) == 1


def test_a_using_of_a_variable_stays_in_the_handler():
    line = "using var reader = new StringReader(text);"
    text = program(code=f"{line}\nreturn 1;", language="csharp").text
    assert text.index(line) > text.index("HttpContext context")


def test_the_host_of_a_handler_is_shown_once_and_folded(bench):
    shown = program().told(bench.take(program()))
    assert "req and res" in shown.text and "createServer" in shown.text
    assert shown.html.count("<details>") == 1 and "What was added" in shown.html
    assert "<details>" not in program(code=WHOLE, server=False).told("x").html


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (program("a b"), "'a b' is no name"),
        (program("../a"), "is no name"),
        (program(language="python"), "--server: knows no python"),
        (program(code=" \n"), "is empty"),
        (program(code="const x = 1;\nreturn x +;"), "(?s)line 3.*SyntaxError"),
        (program(code="x = = 1", language="python", server=False), "not Python.*line 2"),
    ],
)
def test_a_program_that_can_not_be_is_refused_with_the_cells_line(bench, given, said):
    with pytest.raises(InputError, match=said):
        bench.take(given)
    assert bench.programs == {} and (not bench.folder.exists() or not any(bench.folder.iterdir()))


def test_a_program_that_is_refused_leaves_the_one_before(bench):
    bench.take(program())
    before = (bench.folder / "a.mjs").read_text()
    with pytest.raises(InputError):
        bench.take(program(code="return ;;; (", language="node"))
    assert (bench.folder / "a.mjs").read_text() == before


# ── The question ─────────────────────────────────────────────────────────────────────────────────


def test_the_first_program_is_what_the_others_are_compared_with(bench):
    assert "a is a server of your own" in bench.take(program("a"))
    assert "%race compares b with a" in bench.take(program("b"))
    bench.take(program("a", "return 'again';"))
    assert bench.experiment.baseline == "a"
    assert bench.guess("b", "+5%")[0] == "b"
    asked = bench.request({"time": "10s", "delta": "3%"})
    assert asked.things == ("a.mjs", "b.mjs") and asked.folder == bench.folder
    assert (asked.seconds, asked.delta) == (10.0, 0.03)
    bench.take(program("c"))
    assert bench.request({"variants": ("c",)}).things == ("a.mjs", "c.mjs")
    with pytest.raises(InputError, match="no program 'd'"):
        bench.request({"variants": ("d",)})


def test_options_of_experiments_are_refused(bench):
    bench.take(program("a"))
    with pytest.raises(InputError, match="--full: is of experiments"):
        bench.request({"full": True})


@pytest.mark.parametrize("code", [WHOLE, "export default () => 1;", "console.log(1);"])
def test_what_a_whole_program_is_is_found_out(bench, code):
    said = bench.take(program(code=code, server=False))
    kinds = {WHOLE: "a server", "export default () => 1;": "a function"}
    assert f"a is {kinds.get(code, 'a program that runs to its end')} of your own" in said


def test_before_a_race_there_is_nothing_to_show(bench):
    bench.take(program())
    with pytest.raises(InputError, match="has not run yet"):
        bench.results()


def test_a_cell_is_a_variant_of_the_experiment_that_is_chosen(monkeypatch):
    chosen = workbench.find("04")
    assert compare_magics.own(chosen, "bare", {"server": False}) is None
    with pytest.raises(InputError, match="--server: is for programs of your own: 04 is chosen"):
        compare_magics.own(chosen, "bare", {"server": True})
    monkeypatch.setenv("JPY_SESSION_NAME", "/x/04-setheader-vs-writehead.ipynb")
    with pytest.raises(InputError, match="run the cell with %experiment 04"):
        compare_magics.own(None, "bare", {"server": False})
    assert compare_magics.own(None, "mine", {"server": False})


# ── Sentences ────────────────────────────────────────────────────────────────────────────────────

LIMIT = "It does not say what other machines would show."


def raced(make_run, checkout, speeds, sentences, delta=0.02):
    """What a check sees after a race of a and b that measured nothing in truth."""
    variants = []
    for name in "ab":
        path = checkout / f"{name}.mjs"
        path.write_text(f"return '{name}';")
        variants.append(Variant(name, name, path))
    asked = Question(WholeProcesses(), tuple(variants), Mode(1, 0.1), checkout, delta)
    made = make_run(speeds)
    made.experiment = SimpleNamespace(delta=delta, unit="runs/s", name="compare", title="a and b")
    view = SimpleNamespace(
        experiment=asked.experiment(), guesses={}, sentences=sentences, raced=lambda *names: made
    )
    return list(own_exercises.exercise_2(view))


@pytest.mark.parametrize(
    ("sentences", "said"),
    [
        (f"b is 10 % faster than a. {LIMIT}", ""),
        (f"b is some 9.9 % faster than a.\n{LIMIT}", ""),
        (f"a is 9 % slower than b. {LIMIT}", ""),
        (f"b is 1.1 times as fast as a. {LIMIT}", ""),
        ("b is 10 % faster than a. I know this only of my laptop.", ""),
        ("b is 10 % faster than a. It does not …", "what the race can't say"),
        (f"b is 10 % slower than a. {LIMIT}", "wrong way round"),
        (f"a is 10 % faster than b. {LIMIT}", "wrong way round"),
        (f"b is 30 % faster than a. {LIMIT}", "outside of the interval"),
        (f"b is faster than a. {LIMIT}", "by how much"),
        (f"b is 10 % better than a. {LIMIT}", "who is faster"),
        ("b is 10 % faster than a. So use it everywhere.", "what the race can't say"),
    ],
)
def test_sentences_are_held_against_a_verdict(make_run, checkout, sentences, said):
    found = raced(make_run, checkout, {"a": 1000.0, "b": 1100.0}, sentences)
    assert (found == []) if not said else any(said in each for each in found), found


@pytest.mark.parametrize(
    ("first", "good"),
    [
        ("There is no difference between a and b.", True),
        ("b is 3 % faster than a.", False),
    ],
)
def test_no_difference_is_said_as_such(make_run, checkout, first, good):
    found = raced(make_run, checkout, {"a": 1000.0, "b": 1000.5}, f"{first} {LIMIT}", delta=0.1)
    assert (found == []) is good, found


def test_one_sentence_or_one_about_something_else_is_too_little(make_run, checkout):
    speeds = {"a": 1000.0, "b": 1100.0}
    with pytest.raises(exercises.Missing, match="Write two sentences"):
        raced(make_run, checkout, speeds, "b is 10 % faster than a.")
    with pytest.raises(exercises.Missing, match="names both b and a"):
        raced(make_run, checkout, speeds, f"It is a bit faster. {LIMIT}")


def test_the_checks_of_a_question_of_ones_own_are_found(bench):
    assert list(exercises.load(bench.experiment)) == [1, 2]

    def nothing(name: str) -> str:
        raise BenchError("no variable")

    view = exercises.view(bench, nothing)
    assert "Write two programs" in exercises.missing(1, view)[0]
    assert "Nothing was raced" in exercises.missing(2, view)[0]
    bench.take(program("a"))
    bench.take(program("b", "// the same\nreturn 'hello';"))
    found = exercises.missing(1, exercises.view(bench, nothing))
    assert "still the same" in found[0] and "Guess before" in found[1]


def test_a_whole_program_of_a_handler_runs_by_hand(bench):
    bench.take(program(code="import os from 'node:os';\nreturn os.EOL.length ? 'yes' : 'no';"))
    done = run(["node", "--check", bench.folder / "a.mjs"], timeout=60)
    assert done.returncode == 0
