"""`./bench check`: what is wrong is all told, with file and line; what is right passes."""

import json
import re

import pytest
from click.testing import CliRunner

from benchbook.commands import cli
from benchbook.commands.own import new
from benchbook.compare.own import drafting
from benchbook.model import experiments
from benchbook.model.naming import home
from benchbook.notebook.checking import check, toml_lines

WHOLE = sorted({home(folder) for folder in experiments.folders()})


@pytest.fixture
def made(checkout):
    """The folder of a new experiment, in which nothing is wrong."""
    return new.write(drafting.small("mine"), checkout)


def problems(folder, start=False):
    report = check.check([folder], lambda text: None, start)
    return [
        problem.text.partition("\n")[0].replace(f"{folder.name}/", "")
        for problem in report.problems
    ]


def edit(path, old, new_text):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new_text), encoding="utf-8")


def line(path, text):
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(i for i, each in enumerate(lines, 1) if text in each)


@pytest.mark.parametrize("folder", WHOLE, ids=lambda path: path.name)
def test_every_experiment_that_is_shipped_is_in_order(folder):
    folders = experiments.at(str(folder))
    report = check.check(folders, lambda text: None, start=False)
    assert [problem.text for problem in report.problems] == []
    notebooks = {experiments.notebook_at(each) for each in folders}
    assert len(report.checked) == 4 * len(folders) + 3 * len(notebooks) and not report.notes


@pytest.mark.slow("starts servers")
@pytest.mark.parametrize("number", ["04", "05/memory"])
def test_the_programs_of_shipped_experiments_answer_alike(number):
    report = check.check(experiments.called(number), lambda text: None)
    assert not report.problems and any("answers of" in each for each in report.checked)


def test_what_is_new_is_in_order(made):
    assert problems(made) == []


# ── The files ────────────────────────────────────────────────────────────────────────────────────


def test_all_that_does_not_fit_the_schemas_is_told_with_its_line(made):
    experiment, claim = made / "experiment.toml", made / "claim.toml"
    edit(experiment, 'name = "text"', 'name = "text"\ncolour = 1\nsize = 2')
    edit(experiment, "budget_seconds = 300", 'budget_seconds = "long"')
    edit(claim, 'type = "faster"', 'type = "quicker"')
    edit(claim, 'language = "English"\n', "")
    found = problems(made)
    wanted = [
        f"experiment.toml:{line(experiment, 'colour')}: variants[1] ('text').colour: unknown field",
        f"experiment.toml:{line(experiment, 'size')}: variants[1] ('text').size: unknown field",
        f"experiment.toml:{line(experiment, 'long')}: race.full.budget_seconds: expected a number",
        f"claim.toml:{line(claim, 'quicker')}: statements[0] ('text-is-faster').type: expected one",
        f"claim.toml:{line(claim, '[source]')}: source.language: is missing",
    ]
    for each in wanted:
        assert any(told.startswith(each) for told in found), (each, found)


def test_all_that_does_not_fit_together_is_told_with_its_line(made):
    experiment, claim = made / "experiment.toml", made / "claim.toml"
    edit(experiment, 'file = "text.mjs"', 'file = "gone.mjs"')
    edit(experiment, 'baseline = "stringify"', 'baseline = "strngify"')
    edit(claim, 'a = "text"', 'a = "tex"')
    assert [told.partition(": ")[0] for told in problems(made)] == [
        f"experiment.toml:{line(experiment, 'gone.mjs')}",
        f"experiment.toml:{line(experiment, 'strngify')}",
        f"claim.toml:{line(claim, '[[statements]]')}",
    ]


def test_a_file_that_is_no_toml_is_told_with_its_line(made):
    edit(made / "claim.toml", "ours = true", "ours = maybe")
    (told,) = problems(made)
    assert told.startswith(f"claim.toml:{line(made / 'claim.toml', 'maybe')}: is not TOML")
    (made / "claim.toml").unlink()
    assert ["cannot be read" in told for told in problems(made)] == [True]


TEXT = '''\
title = "x"
[a]
b.c = 1
long = """
[[not]]
a = "table"
"""
list = [
  "key = 1",
]
[[a.rows]]
name = "one"
[[a.rows]]
name = "two"
more = { inner = 1 }
[a.rows.sub]
deep = 1
["quoted key"]
x = 1
'''


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("title", "title"),
        ("a", "[a]"),
        ("a.b.c", "b.c"),
        ("a.b.d", "b.c"),
        ("a.list[1]", "list"),
        ("a.rows[1] ('two').name", '"two"'),
        ("a.rows[1] ('two').more.inner", "more"),
        ("a.rows[1].sub.deep", "deep"),
        ("a.rows", "[[a.rows]]"),
        ("a.rows[0] ('one').absent", "[[a.rows]]"),
        ("quoted key.x", "x = 1"),
        ("absent", "title"),
    ],
)
def test_the_line_of_a_field(field, text):
    lines = TEXT.splitlines()
    assert text in lines[toml_lines.line_of(TEXT, field) - 1]


# ── Statements ───────────────────────────────────────────────────────────────────────────────────

THEIRS = ('article = "none"', 'article = "a post"\nurl = "https://example.org"')


@pytest.mark.parametrize(
    ("old", "new_text", "told"),
    [
        ("ours = true", "ratio = 1.015", "smallest_effect: can't be decided: 1.5 % was published"),
        ("ours = true", "ratio = 0.9", "('text-is-faster'): the figures say the opposite: 0.9"),
        ("ours = true", 'place = "?"', "place: '?' is no place"),
        (
            'ours = true\ntype = "faster"',
            'type = "ratio"\nlow = 1.1\nhigh = 1.105',
            "high: 1.1 to 1.105 is narrower than a race can see",
        ),
    ],
)
def test_a_statement_that_no_race_can_decide_is_told(made, old, new_text, told):
    claim = made / "claim.toml"
    edit(claim, *THEIRS)
    if "place" in new_text:
        edit(claim, 'place = "our own question"\n', "")
    edit(claim, old, new_text)
    if "low" in new_text:
        edit(claim, "smallest_effect", "# smallest_effect")
    (found,) = problems(made)
    assert told in found and re.match(r"claim.toml:\d+: statements\[0\]", found)


def test_a_size_that_is_larger_than_delta_can_be_decided(made):
    edit(made / "claim.toml", *THEIRS)
    edit(made / "claim.toml", "ours = true", "ratio = 1.03")
    assert problems(made) == []


def test_an_order_that_the_figures_turn_round_is_told(made):
    claim = made / "claim.toml"
    edit(claim, *THEIRS)
    edit(claim, 'ours = true\ntype = "faster"\na = "text"\nb = "stringify"', 'type = "order"')
    edit(claim, 'type = "order"', 'type = "order"\nvariants = ["text", "stringify"]')
    figure = (
        '\n[[figures]]\nlabel = "{0}"\nvalue = {1}\nunit = "ms"\nplace = "p"\nvariant = "{0}"\n'
    )
    claim.write_text(claim.read_text() + figure.format("text", 3) + figure.format("stringify", 2))
    (told,) = problems(made)
    assert "the figures say the opposite of text and stringify" in told


def test_a_statement_of_which_nobody_knows_who_said_it_is_told(made):
    edit(made / "claim.toml", "ours = true\n", "")
    (told,) = problems(made)
    assert "somebody is said to have stated text-is-faster, but not where" in told


def test_a_statement_about_what_does_not_race_is_told(made):
    edit(
        made / "experiment.toml",
        "budget_seconds = 30\n",
        'variants = ["stringify"]\nbudget_seconds = 30\n',
    )
    (told,) = problems(made)
    assert "a quick race is without text" in told


def test_two_equal_programs_are_told_where_nobody_says_that_they_are(made):
    (made / "text.mjs").write_bytes((made / "stringify.mjs").read_bytes())
    told = problems(made)
    assert any("('text').file: is the same program as 'stringify'" in each for each in told)
    edit(made / "claim.toml", 'type = "faster"', 'type = "same"\nwithin = 0.02')
    edit(made / "claim.toml", "smallest_effect", "# smallest_effect")
    assert not any("the same program" in each for each in problems(made))


@pytest.mark.slow("starts servers")
def test_programs_that_answer_otherwise_are_told(made):
    edit(made / "text.mjs", "world", "World")
    found = problems(made, start=True)
    assert any("variants[1] ('text'): " in told for told in found), found


# ── The notebook ─────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def notebook(made):
    """notebook(change): the notebook's cells after `change` worked on them -> what is told."""
    path = made / "mine.ipynb"

    def changed(change):
        document = json.loads(path.read_text(encoding="utf-8"))
        change(document)
        path.write_text(json.dumps(document), encoding="utf-8")
        return problems(made)

    return changed


def cell(document, beginning):
    return next(c for c in document["cells"] if "".join(c["source"]).startswith(beginning))


def rewrite(beginning, text):
    return lambda document: cell(document, beginning).update(source=text)


def tagged(document):
    cell(document, "%race")["metadata"]["tags"] = ["mine"]


def run_once(document):
    cell(document, "%race").update(execution_count=3, outputs=[])


def swap(document):
    cells = document["cells"]
    cells.insert(3, cells.pop(cells.index(cell(document, "%verdict"))))


def without_code(document):
    document["cells"] = [c for c in document["cells"] if c["cell_type"] != "code"]


def without_solution(document):
    document["cells"].remove(cell(document, "<details>"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (run_once, r"cell \d+: has outputs"),
        (tagged, r"cell \d+: has the tag 'mine'"),
        (swap, r"cell 4: %verdict comes before %experiment|comes before"),
        (rewrite("%race", "%plot ratios"), "has no %race"),
        (rewrite("# ", "The question"), "cell 1: is no title"),
        (rewrite("%%variant text", "%%variant text\n1"), r"cell \d+: is not .*text.mjs as it is"),
        (rewrite("%%variant text", "%%variant txt\n1"), r"cell \d+: no variant 'txt'"),
        (rewrite("%%variant text", "1"), "shows no variant of .*text.mjs"),
        (rewrite("%%variant text", "%variant txt"), r"cell \d+: no variant 'txt'"),
        (rewrite("%%variant text", "%variant text --too x"), r"cell \d+: .*--too"),
        (rewrite("%predict", "%predict tekst +5%"), r"'%predict tekst \+5%': no variant"),
        (rewrite("%predict", "%predict text 5"), "may be a percentage or a ratio"),
        (
            lambda d: d["metadata"]["kernelspec"].update(name="python3"),
            "names the kernel 'python3'",
        ),
        (lambda d: d["metadata"].update(vscode={}), "metadata of an editor: vscode"),
        (rewrite("(", "1"), "does not say that it needs the kernel benchbook-node"),
        (without_code, "mine.ipynb: has no code cell"),
        (without_solution, "exercise 1: has no cell tagged solution-1"),
        (
            rewrite("<details>", "<details>\n\n```js\n%%variant\n1\n```\n"),
            "exercise 1: its solution has a cell that begins with %%variant and names none",
        ),
        (lambda d: d.update(nbformat=3), "no notebook, or one of long ago"),
    ],
)
def test_a_notebook_that_is_not_in_order_is_told(notebook, change, told):
    found = notebook(change)
    assert any(re.search(told, each) for each in found), found


def test_a_file_may_be_linked_instead_of_shown(notebook):
    def link(document):
        text = cell(document, "## Why")
        text["source"] = "".join(text["source"]) + "\n\nThe other is [a file](text.mjs)."
        rewrite("%%variant text", "1")(document)

    assert not [each for each in notebook(link) if "shows no variant" in each]


def test_a_solution_that_does_not_pass_is_told(made, notebook):
    told = notebook(lambda d: cell(d, "<details>").update(
        source="<details>\n\n```js\n%%variant text\nconsole.log(1)\n```\n\n</details>"
    ))  # fmt: skip
    assert told == ["mine.ipynb: exercise 1: with its solution there is still missing: "
                    "text does not send a Buffer yet."]  # fmt: skip
    edit(made / "exercises.py", "exercise_1", "exercise_2")
    assert any("exercises.py checks 2" in each for each in problems(made))


def test_a_check_that_always_passes_is_told(made):
    (made / "exercises.py").write_text("def exercise_1(view):\n    return []\n")
    assert any("passes in mine where nothing was done" in each for each in problems(made))


def test_an_experiment_without_a_notebook_or_exercises_has_nothing_wrong(made):
    (made / "mine.ipynb").unlink()
    report = check.check([made], lambda text: None, start=False)
    assert not report.problems and any("no notebook" in note for note in report.notes)


# ── The command ──────────────────────────────────────────────────────────────────────────────────


def test_exit_codes_and_what_is_said(made):
    done = CliRunner().invoke(cli.main, ["check", "--no-start", str(made)])
    assert done.exit_code == 0 and "all of it is in order" in done.output
    assert done.output.count("checked") == 6
    edit(made / "claim.toml", "ours = true\n", "")
    edit(made / "experiment.toml", 'title = "text"', 'titel = "text"')
    done = CliRunner().invoke(cli.main, ["check", "--no-start", str(made)])
    assert done.exit_code == 1 and "2 problems" in done.output
    assert CliRunner().invoke(cli.main, ["check", "--no-start", "nothing"]).exit_code == 2
    assert CliRunner().invoke(cli.main, ["check"]).exit_code == 2
