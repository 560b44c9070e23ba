"""The notebooks as committed: no outputs, cells equal to their snippets, no stray metadata."""

import json

import pytest

from benchbook.model import experiments
from benchbook.notebook import editions, exercises, guesses, slides, workbench, wrong_kernel
from benchbook.notebook.headless import execute
from benchbook.system import paths

NOTEBOOKS = sorted(paths.notebooks().glob("*.ipynb"))
METADATA = {"kernelspec", "language_info"}


def cells(path, kind="code"):
    document = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in document["cells"] if cell["cell_type"] == kind]


def source(cell) -> str:
    return "".join(cell["source"])


def test_there_is_a_notebook_for_every_experiment():
    wanted = {e.notebook for e in experiments.load_all()}
    assert wanted and wanted <= set(NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_is_committed_without_outputs(path):
    document = json.loads(path.read_text(encoding="utf-8"))
    assert set(document["metadata"]) <= METADATA
    assert document["metadata"]["kernelspec"]["name"].startswith("benchbook-")
    for cell in document["cells"]:
        for tag in cell["metadata"].get("tags", []):
            known = editions.TAG.fullmatch(tag) or tag == wrong_kernel.TAG
            assert known, f"no tag of ours: {tag}"
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, source(cell)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_the_first_code_cell_says_which_kernel_the_notebook_needs(path):
    kernel = json.loads(path.read_text(encoding="utf-8"))["metadata"]["kernelspec"]
    language = kernel["name"].removeprefix("benchbook-")
    first, *others = cells(path)
    assert source(first) == wrong_kernel.cell(language)
    assert first["metadata"]["tags"] == [wrong_kernel.TAG]
    assert kernel["display_name"] in source(first)
    assert not any(wrong_kernel.TAG in cell["metadata"].get("tags", []) for cell in others)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_its_metadata_are_ours_and_a_talk_has_a_slide_for_each_section(path):
    notebook = execute.read(path)
    found = [cell.metadata for cell in notebook.cells]
    wanted = slides.metadata(notebook.cells)
    assert found == wanted, "cells were added or moved: python tools/tidy_notebooks.py"
    sections = [cell for cell in notebook.cells if cell.source.startswith(("# ", "## "))]
    assert slides.types(notebook.cells).count(slides.SLIDE) == len(sections) >= 5


def shown_variants(notebook) -> dict[str, dict[str, str]]:
    """The code of the %%variant cells by experiment (a notebook's parts take turns) and variant."""
    shown, chosen = {}, ""
    for cell in cells(notebook):
        first, _, body = source(cell).partition("\n")
        if first.startswith("%experiment "):
            chosen = experiments.find(first.split()[1]).name
        if first.startswith("%%variant"):
            shown.setdefault(chosen, {})[first.split()[1]] = body.rstrip()
    return shown


@pytest.mark.parametrize("experiment", experiments.load_all(), ids=lambda e: e.name)
def test_every_snippet_stands_in_the_notebook_as_it_is(experiment):
    every = shown_variants(experiment.notebook)
    shown = every.get(experiment.name, {})
    files = {v.name: v.path for v in experiment.variants}
    assert shown == {v.name: v.code.rstrip() for v in experiment.variants if v.name in shown}
    # a file that parts share may stand in any of them
    told = {experiments.find(name).variant(v).path for name in every for v in every[name]}
    assert set(files.values()) <= told, "one of each file's variants"


@pytest.mark.parametrize("experiment", experiments.load_all(), ids=lambda e: e.name)
def test_a_notebook_tells_the_whole_story(experiment):
    text = "\n".join(
        source(c) for kind in ("code", "markdown") for c in cells(experiment.notebook, kind)
    )
    for part in ("%experiment", "%predict", "%race", "%plot", "%verdict", "## Why", "## Your turn"):
        assert part in text, part
    assert "<details>" in text, "an exercise needs its collapsible solution"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_guess_is_against_a_program_that_does_the_same_work(path):
    """Within a case (the same paths, the same object) or a series: %score counts no other one."""
    bench = None
    for line in "\n".join(map(source, cells(path))).splitlines():
        magic, _, words = line.partition(" ")
        if magic == "%experiment" and words:
            bench = workbench.find(words)
        elif magic == "%predict" and words and bench:
            name, guess = bench.guess(*guesses.parse_guess(words))
            one, other = map(
                bench.experiment.variant, (name, guess.to or bench.experiment.baseline)
            )
            same = one.case == other.case or one.series == other.series
            assert same or not (one.case and other.case), line


WITH_EXERCISES = sorted({e.notebook for e in experiments.load_all()})


@pytest.mark.parametrize("path", WITH_EXERCISES, ids=lambda p: p.stem)
def test_every_exercise_has_a_text_a_check_and_a_solution(path):
    found = editions.exercises(execute.read(path), path.name)  # raises for one without
    assert list(found) == list(range(1, len(found) + 1)) and len(found) >= 2
    assert all(exercise.checks for exercise in found.values())
    experiment = next(e for e in experiments.load_all() if e.notebook == path)
    assert list(exercises.load(experiment)) == list(found), "a function for each exercise"
    tagged = [cell for cell in execute.read(path).cells if editions.role(cell)]
    for cell in execute.read(path).cells:
        assert cell in tagged or "<details>" not in cell.source, "a solution without its tag"
        assert cell in tagged or not cell.source.startswith("%check"), "a check without its tag"


@pytest.mark.parametrize("path", WITH_EXERCISES, ids=lambda p: p.stem)
def test_solutions_that_edit_a_variant_change_it(path):
    every = [v for e in experiments.load_all() if e.notebook == path for v in e.variants]
    for exercise in editions.exercises(execute.read(path), path.name).values():
        for code in exercise.code:
            first, _, body = code.partition("\n")
            if first.startswith("%%variant"):
                originals = [v.code for v in every if v.name == first.split()[1]]
                assert originals, first
                for original in originals:
                    assert exercises.bare(body).split() != exercises.bare(original).split()
