"""JavaScript functions of a reader's own files: which are meant, what they answer, and a race."""

import subprocess
from pathlib import Path

import pytest

from benchbook.compare import answers, functions
from benchbook.compare.question import Question
from benchbook.model import results
from benchbook.model.variants import Mode
from benchbook.race import prepare
from benchbook.race.kinds.functions.files import asking, node_files
from benchbook.race.options import Options
from benchbook_kernels.base.errors import BenchError, InputError

LIB = """
// parse and format, in this order
export function parse(text = '1') { return [Number(text), NaN, 1n]; }
export const format = async (text = '1') => [Number(text), NaN, 1n];
export class Helper {}
export const limit = 3;
"""
VALUES = """
export const zero = '0';
export const fresh = () => '1';
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """here({"a.mjs": code}) writes files to the current folder, an empty one."""
    monkeypatch.chdir(tmp_path)

    def write(files: dict[str, str]) -> None:
        for name, code in files.items():
            (tmp_path / name).write_text(code, encoding="utf-8")

    return write


def named(words, inputs=None):
    return [v.name for v in functions.variants(words, inputs and Path(inputs))[1]]


def checked(words, inputs=None, **options):
    return answers.check(*functions.variants(words, inputs and Path(inputs)), **options)


def test_which_functions_are_meant(here):
    one = "export default () => 1;"
    here({"a.mjs": one, "b.cjs": "module.exports = () => 1;", "lib.mjs": LIB, "c.js": one})
    here({"many.cjs": "module.exports = { z() { return this.y(); }, y: () => 1 };"})
    assert named(["a.mjs", "b.cjs", "c.js"]) == ["a", "b", "c"]
    assert named(["lib.mjs"]) == ["parse", "format"], "in the file's order, without the class"
    assert named(["lib.mjs:format", "lib.mjs:parse"]) == ["format", "parse"]
    assert named(["a.mjs", "lib.mjs:parse"]) == ["a", "lib"]
    assert named(["a.mjs", "lib.mjs:parse", "lib.mjs:format"]) == ["a", "lib:parse", "lib:format"]
    assert named(["many.cjs"]) == ["z", "y"]
    assert named(["a.mjs", "a.mjs"]) == ["a"], "against itself: the control answers"
    assert not checked(["many.cjs"]), "a method finds its object"


def test_files_of_one_name_are_told_apart_by_their_folders(here, tmp_path):
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.mjs").write_text("export default () => 1;", encoding="utf-8")
    assert named(["old/x.mjs", "new/x.mjs"]) == [str(Path("old/x")), str(Path("new/x"))]


def test_each_function_is_compared_with_the_baseline_on_the_same_input(here):
    here({"lib.mjs": LIB, "values.mjs": VALUES})
    kind, found = functions.variants(["lib.mjs"], Path("values.mjs"))
    assert [v.name for v in found] == [
        f"{function} on {case}" for case in ("zero", "fresh") for function in ("parse", "format")
    ]
    asked = Question(kind, tuple(found), functions.mode(5, len(found)), Path.cwd())
    pairs = [(s.a, s.b) for s in asked.claim().statements]
    assert pairs == [("format on zero", "parse on zero"), ("format on fresh", "parse on fresh")]
    assert asked.experiment().title == "parse and format"
    here({"object.mjs": "export default { one: 1, two: () => 2 };"})
    assert [v.case for v in functions.variants(["lib.mjs:parse"], Path("object.mjs"))[1]] == [
        "one",
        "two",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.mjs"], "nowhere.mjs: there is no such file"),
        (["a.txt"], "a.txt: is no file with functions"),
        (["none.mjs"], "none.mjs: exports no function"),
        (["lib.mjs", "none.mjs"], "lib.mjs: exports several functions: parse, format"),
        (["lib.mjs:prase"], "no function 'prase'; did you mean 'parse'?"),
    ],
)
def test_a_word_that_means_no_function_is_refused(here, words, message):
    here({"lib.mjs": LIB, "a.txt": "", "none.mjs": "export const x = 1;"})
    with pytest.raises(InputError) as caught:
        functions.variants(words)
    assert message in str(caught.value)


def test_inputs_without_any_are_refused(here):
    here({"lib.mjs": LIB, "none.mjs": ""})
    with pytest.raises(InputError, match="none.mjs: exports no inputs"):
        functions.variants(["lib.mjs"], Path("none.mjs"))


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("export default () => {\n  return 1 +;\n};", "a.mjs fails: a.mjs, line 2: SyntaxError"),
        ("import 'no-such-package';\nexport default () => 1;", "no-such-package"),
        ("export default () => 1;\nthrow 'late';", 'a.mjs fails: it threw "late"'),
        ("export default () =>\n  nothing.at.all;", "'a' in a.mjs fails: a.mjs, line 2: Reference"),
        ("export default async () => {\n  throw new TypeError('no');\n};", "line 2: TypeError: no"),
        ("export default function* () {\n  yield 1;\n}", "'a' returns an iterator"),
        ("export default () => [1, 2].values();", "'a' returns an iterator"),
        ("export default () => process.exit(3);", "exit code 3"),
    ],
)
def test_a_function_that_fails_is_told_with_its_line(here, code, message):
    here({"a.mjs": code})
    with pytest.raises(BenchError) as caught:
        checked(["a.mjs"])
    assert message in str(caught.value)
    assert caught.value.exit_code == 1


def test_a_function_that_never_ends_is_told(here, monkeypatch):
    monkeypatch.setattr(asking, "PATIENCE_SECONDS", 1.5)
    here({"a.mjs": "export default () => { for (;;); };"})
    with pytest.raises(BenchError, match="'a' in a.mjs gave no answer within 1.5 s"):
        checked(["a.mjs"])


DIFFERENT = {
    "({ x: [1, { y: NaN }] }) ≠ ({ x: [1, { y: 0 }] })": "at .x[1].y it has 0, and A has NaN",
    "1 ≠ '1'": 'it has "1", and A has 1',
    "1n ≠ 1": "it has 1, and A has 1n",
    "({}) ≠ ({ x: undefined })": "at .x it has undefined, and A has nothing",
    "new Map([[1, 2]]) ≠ new Map([[1, 3]])": "at .get(1) it has 3",
    "new Set([1]) ≠ new Set([2])": "at .has(2) it has true",
    "new Date(0) ≠ new Date(1)": "it has Date 1",
    "new Float32Array([1, 2]) ≠ new Float32Array([1, 3])": "at [0] it has 1 3",
    "[1] ≠ Promise.resolve([2])": "at [0] it has 2",
    "'x'.repeat(200) + 'a' ≠ 'x'.repeat(200) + 'b'": "it has …xxx",
    "Array(30000).fill(1) ≠ Array(30000).fill(1).with(29999, 2)": "after 20000 values",
}


@pytest.fixture
def both(here):
    """both(["1 ≠ 2", …]) -> a kind and variants: a gives what stands left, b what stands right."""

    def write(pairs):
        for name, side in (("a", 0), ("b", 1)):
            given = [f"() => {pair.split(' ≠ ')[side]}" for pair in pairs]
            code = f"const given = [{', '.join(given)}];\nexport default (i) => given[i]();"
            here({f"{name}.mjs": code})
        here({"values.mjs": "".join(f"export const c{i} = {i};\n" for i in range(len(pairs)))})
        return functions.variants(["a.mjs", "b.mjs"], Path("values.mjs"))

    return write


def test_another_answer_is_told_with_its_place(both):
    """They are cases of two functions: a process for each answer would take long."""
    _, found = both(list(DIFFERENT))
    answered = list(answers.answered(found, node_files.answers))
    by_name = {variant.name: (variant, answer) for variant, answer in answered}
    for i, place in enumerate(DIFFERENT.values()):
        with pytest.raises(BenchError) as caught:
            answers.compare(*by_name[f"a on c{i}"], *by_name[f"b on c{i}"])
        told = str(caught.value).replace(f"a on c{i} has", "A has")
        assert f"b on c{i} answers otherwise than a on c{i}: " in told and place in told


def test_another_answer_is_an_error_unless_any_will_do(here):
    here({"a.mjs": "export default () => 1;", "b.mjs": "export default () => '1';"})
    with pytest.raises(BenchError, match='b answers otherwise than a: it has "1", and a has 1'):
        checked(["a.mjs", "b.mjs"])
    assert not checked(["a.mjs", "b.mjs"], anything=True)


EQUAL = [
    "({ x: 1, y: NaN }) ≠ ({ y: NaN, x: 1 })",
    "new Map([[{ k: 1 }, 2], [3, 4]]) ≠ new Map([[3, 4], [{ k: 1 }, 2]])",
    "new Set([1, 2]) ≠ new Set([2, 1])",
    "Buffer.from([1, 2]) ≠ Uint8Array.of(1, 2)",
    "[1, [2]] ≠ Promise.resolve([1, Promise.resolve([2])])",
    "{ const x = {}; x.x = x; return x; } ≠ { const x = {}; x.x = x; return x; }",
    "undefined ≠ undefined",
]


def test_equal_answers_are_equal(both):
    assert answers.check(*both(EQUAL)) == []


def test_the_input_with_another_answer_is_named(here):
    here({"a.mjs": "export default (x) => x;", "b.mjs": "export default (x) => +x;"})
    here({"values.mjs": "export const number = 1; export const text = '1';"})
    with pytest.raises(BenchError, match="b on text answers otherwise than a on text: it has 1"):
        checked(["a.mjs", "b.mjs"], "values.mjs")


def test_of_functions_that_answer_otherwise_each_time_no_equal_answer_is_asked(here):
    here({"a.mjs": "let n = 0; export default () => ++n;", "b.mjs": "export default () => 7;"})
    assert checked(["a.mjs", "b.mjs"]) == [
        "a answers otherwise from call to call: answers are not compared"
    ]


def test_an_input_that_a_function_changes_must_be_made_anew(here):
    here({"a.mjs": "export default (list) => list.sort();"})
    here({"values.mjs": "export const list = [2, 1];"})
    with pytest.raises(BenchError, match="'a' changes the input 'list'"):
        checked(["a.mjs"], "values.mjs")
    here({"values.mjs": "export const list = () => [2, 1];"})
    assert checked(["a.mjs"], "values.mjs") == []


def test_objects_that_hide_what_they_hold_are_not_compared(here):
    hidden = "class Box { #x; constructor(x) { this.#x = x; } }\nexport default () => new Box(1);"
    here({"a.mjs": hidden, "b.mjs": hidden.replace("Box(1)", "Box(2)")})
    assert "can't be compared" in checked(["a.mjs", "b.mjs"])[0]


def test_typescript_is_taken_where_node_takes_it_and_refused_with_a_remedy_where_not(here):
    here({"a.ts": "export default (x: number = 1): number => x;"})
    probe = ["node", "-p", "Boolean(process.features.typescript)"]
    if subprocess.run(probe, capture_output=True, text=True).stdout.strip() == "true":
        assert named(["a.ts"]) == ["a"] and not checked(["a.ts"])
    else:
        with pytest.raises(BenchError, match="a.ts is TypeScript"):
            functions.variants(["a.ts"])


@pytest.mark.slow("times functions")
def test_functions_are_raced_on_each_input(here, tmp_path):
    work = (
        "export default (n) => { let x = 0; for (let i = 0; i < n * TIMES; i++) x ^= i; return 1; }"
    )
    here({"a.mjs": work.replace("TIMES", "1"), "b.mjs": work.replace("TIMES", "3")})
    here({"values.mjs": "export const few = 5000; export const many = () => 20000;"})
    kind, found = functions.variants(["a.mjs", "b.mjs"], Path("values.mjs"))
    mode = Mode(2, 0.02, 0.05, launches=1, blocks=2)
    asked = Question(kind, tuple(found), mode, tmp_path).experiment()
    for _ in prepare.prepare(asked, Options(path=tmp_path / "run.json")).events():
        pass
    run = results.load(tmp_path / "run.json")
    assert run.complete and not run.messages
    names = ["a on few", "a on few#2", "b on few", "a on many", "b on many"]
    assert [e.name for e in run.entries] == names
    speeds = {name: sum(sum(each, []), 0.0) for name, each in run.speeds().items()}
    assert speeds["b on few"] < speeds["a on few"] and speeds["a on many"] < speeds["a on few"]


@pytest.mark.parametrize("code", ["() => process.exit(0)", "async () => process.exit(3)"])
def test_a_function_that_ends_its_process_is_told(here, code):
    here({"f.mjs": f"export const exit = {code};"})
    said = r"'exit' in f.mjs ended its process \(exit code [03]\)"
    with pytest.raises(BenchError, match=said):
        checked(["f.mjs:exit"])
    here({"f.mjs": "process.exit(0); export default () => 1;"})
    with pytest.raises(BenchError, match=r"^f.mjs ended its process \(exit code 0\)"):
        named(["f.mjs"])


def test_answers_whose_content_can_not_be_seen_are_said_not_to_be_compared(both):
    assert answers.check(*both(["() => 1 ≠ () => 1", "[Symbol()] ≠ [Symbol()]"])) == [
        f"the answer of {name} on {case} can't be compared: "
        f"it holds {what} whose content can't be seen"
        for name in "ab"
        for case, what in (("c0", "functions"), ("c1", "symbols"))
    ]
