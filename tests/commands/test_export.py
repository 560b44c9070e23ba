"""Editions: no solution for students, all of them for leaders, and both run from anywhere."""

import re

import nbformat
import pytest
from click.testing import CliRunner

from benchbook.commands import cli
from benchbook.commands.elsewhere import export
from benchbook.model import experiments
from benchbook.notebook import editions, exercises, predictions, wrong_kernel
from benchbook.notebook.headless import execute
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError

NOTEBOOKS = sorted(paths.notebooks().glob("*.ipynb"))
# what an edition has is not what is raced: two programs are enough
SHORT = "launches=2 blocks=2 seconds=0.2 warmup=0 variants=no-header,write-head-length"


def cell(kind: str, source: str, *tags: str):
    make = {"text": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}[kind]
    return make(source, metadata={"tags": list(tags)} if tags else {})


SOLUTION = "<details>\n\n```js\nsolved();\n```\n\n  ```js\n  // not a cell\n  ```\n\n</details>"


def made(*left_out: str):
    cells = {
        "intro": cell("text", "# All"),
        "text": cell("text", "Do it.", "exercise-1"),
        "start": cell("code", "start();", "exercise-1"),
        "race": cell("code", "%race"),
        "check": cell("code", "%check 1", "check-1"),
        "solution": cell("text", SOLUTION, "solution-1"),
    }
    return nbformat.v4.new_notebook(cells=[c for n, c in cells.items() if n not in left_out])


def sources(notebook) -> list[str]:
    return [cell.source for cell in notebook.cells]


def test_the_student_edition_lacks_solutions_only():
    assert sources(editions.student(made(), "x")) == [
        "# All",
        "Do it.",
        "start();",
        "%race",
        "%check 1",
    ]


def test_the_leader_edition_has_solutions_instead_of_starts_and_the_notes_on_top():
    solved = editions.leader(made(), "x", "# Notes")
    expected = ["# Notes", "# All", "Do it.", "solved();", "%race", "%check 1", SOLUTION]
    assert sources(solved) == expected
    without = editions.leader(made("start"), "x", "")
    assert sources(without) == expected[1:]
    nbformat.validate(solved)


@pytest.mark.parametrize("kind", ["text", "check", "solution"])
def test_an_incomplete_exercise_is_named(kind):
    tag = {"text": "exercise-1"}.get(kind, f"{kind}-1")
    with pytest.raises(InputError, match=f"x: exercise 1: has no cell tagged {tag}"):
        editions.student(made(kind), "x")


def test_a_solution_needs_code_where_there_is_a_check():
    notebook = made()
    notebook.cells[-1].source = "<details>\nIn words.\n</details>"
    with pytest.raises(InputError, match="solution 1: holds no code"):
        editions.leader(notebook, "x", "")
    notebook.cells = [c for c in notebook.cells if c.source != "%check 1"]
    notebook.cells = [c for c in notebook.cells if c.source != "start();"]
    assert "In words" not in str(editions.student(notebook, "x"))


def test_a_check_of_another_exercise_is_named():
    notebook = made()
    notebook.cells[4].source = "%check 2"
    with pytest.raises(InputError, match="check-1: is not one cell with the line %check 1"):
        editions.student(notebook, "x")
    notebook.cells[4].source = "%race\n%check 1"
    assert "%race\n%check 1" in sources(editions.student(notebook, "x"))


def test_a_solution_is_about_the_experiment_that_its_start_chooses():
    notebook = made()
    (start,) = (c for c in notebook.cells if c.source == "start();")
    start.source = "%experiment 05/memory\n%variant template-hello --edit"
    solved = sources(editions.leader(notebook, "x", ""))
    place = solved.index("%experiment 05/memory")
    assert solved[place + 1] == "solved();" and start.source not in solved


def solution_lines(path) -> set[str]:
    """What only the solutions of a notebook say: their lines, less those that stand elsewhere."""
    notebook = execute.read(path)
    solutions = {c.id for c in notebook.cells if (editions.role(c) or ("",))[0] == "solution"}
    told = "\n".join(c.source for c in notebook.cells if c.id not in solutions)
    own = {line.strip() for c in notebook.cells if c.id in solutions for line in lines(c)}
    return {line for line in own if len(line) > 3 and line not in told}


def lines(cell) -> list[str]:
    return cell.source.splitlines()


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    arguments = ["export", "--student", str(folder / "s"), "--leader", str(folder / "l" / "all")]
    done = CliRunner().invoke(cli.main, arguments)
    assert done.exit_code == 0, done.output
    assert f"{len(NOTEBOOKS)} notebooks, student edition" in done.output
    return folder


@pytest.mark.parametrize("edition", ["s", "l/all"])
def test_all_say_in_a_wrong_kernel_which_one_they_need(edition, exported):
    for path in NOTEBOOKS:
        made = execute.read(exported / edition / path.name)
        first = next(cell for cell in made.cells if cell.cell_type == "code")
        language = made.metadata.kernelspec.name.removeprefix("benchbook-")
        assert first.source == wrong_kernel.of_notebook(path.stem, language)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_no_solution_is_in_the_student_edition(path, exported):
    text = "\n".join(sources(execute.read(exported / "s" / path.name)))
    secrets = solution_lines(path)
    assert len(secrets) >= 2, "the test must have something to look for"
    assert [line for line in secrets if line in text] == []
    assert "<details>" not in text
    assert {p.name for p in (exported / "s").iterdir()} == {p.name for p in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_the_leader_edition_holds_each_solution_as_cells_and_its_notes(path, exported):
    notebook = execute.read(exported / "l" / "all" / path.name)
    code = [c.source for c in notebook.cells if c.cell_type == "code"]
    for exercise in editions.exercises(execute.read(path), path.name).values():
        for solution in exercise.code:
            moved = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(solution)])
            place = exported / "l" / "all"
            assert editions.moved(moved, place, paths.notebooks()).cells[0].source in code
        changed = (each.source for each in exercise.starts if each.source not in exercise.code)
        assert all(source not in code for source in changed)
    assert notebook.cells[0].source.startswith("# Leader's notes")


def test_paths_into_the_checkout_lead_there_from_the_new_folder(tmp_path):
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("import '../snippets/04/a.mjs'; import '../values.mjs'")]
    )
    moved = editions.moved(notebook, tmp_path / "far" / "away", tmp_path).cells[0].source
    place, other = moved.split("'")[1], moved.split("'")[3]
    assert (tmp_path / "far" / "away" / place).resolve() == paths.snippets() / "04" / "a.mjs"
    assert other == "../values.mjs", "what a variant imports is found beside the variant"


def test_a_folder_with_somebodys_work_is_left_alone(tmp_path):
    (tmp_path / "mine.ipynb").write_text("work")
    with pytest.raises(InputError, match="is not empty"):
        export.write(tmp_path, None, ())
    with pytest.raises(InputError, match="two folders"):
        export.write(tmp_path / "new", tmp_path / "new", ())
    for one, other in (("w", "w/leader"), ("w/student", "w")):
        with pytest.raises(InputError, match="in one another"):
            export.write(tmp_path / one, tmp_path / other, ())
    assert [p.name for p in tmp_path.iterdir()] == ["mine.ipynb"]
    done = CliRunner().invoke(cli.main, ["export"])
    assert done.exit_code == 2 and "--student DIR" in done.output


def test_one_notebook_may_be_exported_alone(tmp_path):
    export.write(tmp_path / "s", None, ("04",))
    assert [p.name for p in (tmp_path / "s").iterdir()] == ["04-setheader-vs-writehead.ipynb"]


def results(executed) -> dict[str, str]:
    """What each check says: the last thing that its cell shows."""
    return {
        line: cell.outputs[-1]["data"]["text/plain"]
        for cell in executed.notebook.cells
        for line in cell.source.splitlines()
        if line.startswith("%check")
    }


def exercises_of(notebook):
    """The exercises, their checks, and what these need."""
    wanted = re.compile(r"exercise-\d+|check-\d+")
    return [
        cell
        for cell in notebook.cells
        if any(wanted.fullmatch(tag) for tag in cell.metadata.get("tags", ()))
        or cell.source.startswith(("%experiment", "%%variant"))
        or cell.source == "%race"
    ]


def run(path, student=False):
    """Execute an edition, but for its replay: that is the same cell as in the notebook, which other
    tests execute, and takes as long as all others. So is all of a student's but the exercises."""
    notebook = execute.read(path)
    replay = [cell for cell in notebook.cells if cell.source.startswith("%race --as-published")]
    assert len(replay) == 1
    notebook.cells.remove(replay[0])
    if student:
        notebook.cells = exercises_of(notebook)
    place = path.parent.with_name(f"{path.parent.name}-run")  # as deep: links of editions hold
    place.mkdir()
    nbformat.write(notebook, place / path.name)
    env = {"BENCHBOOK_RACE": SHORT, predictions.VARIABLE: "off"}
    return execute.execute(place / path.name, env, lambda *_: None)


@pytest.mark.slow("executes a notebook")
def test_the_leader_edition_runs_through_with_all_checks_passing(exported):
    number = "04"
    (path,) = (exported / "l" / "all").glob(f"{number}-*.ipynb")
    executed = run(path)
    assert executed.error == ""
    count = len(exercises.load(experiments.find(number)))
    assert results(executed) == {
        f"%check {n}": f"✔ Exercise {n} is done." for n in range(1, count + 1)
    }


@pytest.mark.slow("executes a notebook")
def test_the_student_edition_runs_untouched_and_says_what_is_missing(exported):
    (path,) = (exported / "s").glob("04-*.ipynb")
    executed = run(path, student=True)
    assert executed.error == ""
    said = results(executed)
    assert set(said) == {"%check 1", "%check 2", "%check 3"}
    assert all("is not done yet" in text for text in said.values()), said
    assert all("edit its cell" in said[f"%check {n}"] for n in (1, 2))  # of a variant


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_notebook_has_leaders_notes(path):
    text = export.notes(path.stem)
    for part in ("Time", "get wrong", "to ask", "plot should look like", "go wrong in the room"):
        assert part in text, part
    readme = (paths.root() / "docs" / "leader" / "README.md").read_text(encoding="utf-8")
    assert f"({path.stem}.md)" in readme
    for plan in ("## 90 minutes", "## Half a day", "./bench doctor", "./bench bundle"):
        assert plan in readme
