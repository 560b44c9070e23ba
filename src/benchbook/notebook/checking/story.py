"""Does a notebook tell the whole story, in order, with the code as it is, and without outputs?"""

import re
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from benchbook.model import experiments
from benchbook.model.experiments import Experiment
from benchbook.notebook import editions, guesses, wrong_kernel
from benchbook.notebook.checking.findings import Problem
from benchbook.notebook.headless import execute
from benchbook.notebook.magics.variant_magics import VariantMagics
from benchbook.notebook.quiz import questions
from benchbook.notebook.workbench import Workbench
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.install.languages import declared
from benchbook_kernels.notebook.typed import parsed

# What a reader meets, in this order.
PARTS = ("%experiment", "%predict", "%race", "%verdict", "## Why", "## Your turn")
METADATA = {"kernelspec", "language_info"}
CHOOSES = re.compile(r"%experiment[ \t]+(\S+)")
LINK = re.compile(r"\]\(([^)#\s:]+)\)")  # to a file


def told(path: Path) -> Iterator[Problem]:
    """Everything that is wrong with a notebook. Raises InputError where the file is none."""
    notebook = execute.read(path)
    for check in (outputs, kernel, order, code, predictions):
        yield from check(notebook, path)


def problem(path: Path, number: int, what: str, remedy: str = "") -> Problem:
    """What is wrong with a notebook's cell (from 1), or with all of it (0)."""
    return Problem(paths.relative(path), f"cell {number}" if number else "", what, remedy)


def outputs(notebook: NotebookNode, path: Path) -> Iterator[Problem]:
    """Results, which belong to one machine, and tags and metadata that nobody put there."""
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type == "code" and (cell.outputs or cell.execution_count is not None):
            remedy = "clear all outputs, and save it"
            yield problem(path, number, "has outputs, or a number from having been run", remedy)
        for tag in cell.metadata.get("tags", []):
            if not editions.TAG.fullmatch(tag) and tag != wrong_kernel.TAG:
                known = "exercise-1, check-1, solution-1"
                yield problem(path, number, f"has the tag '{tag}'", f"known are {known}")
    if more := set(notebook.metadata) - METADATA:
        yield problem(path, 0, f"has metadata of an editor: {', '.join(sorted(more))}", "remove it")


def kernel(notebook: NotebookNode, path: Path) -> Iterator[Problem]:
    """A notebook names one of our kernels, and says so to whoever opens it in another."""
    name = notebook.metadata.get("kernelspec", {}).get("name", "")
    language = name.removeprefix("benchbook-")
    if not name.startswith("benchbook-") or language not in declared():
        known = " or ".join(f"benchbook-{each}" for each in declared())
        yield problem(path, 0, f"names the kernel '{name}'", f"choose {known}")
        return
    cells = [(n, c) for n, c in enumerate(notebook.cells, 1) if c.cell_type == "code"]
    tagged = [(n, c) for n, c in cells if wrong_kernel.TAG in c.metadata.get("tags", [])]
    if not cells:
        yield problem(path, 0, "has no code cell", "copy the first from one of ./bench new")
    elif (
        tagged[:1] != cells[:1]
        or len(tagged) > 1
        or tagged[0][1].source != wrong_kernel.of_notebook(path.stem, language)
    ):
        what = f"the first code cell does not say that it needs the kernel {name}"
        yield problem(path, cells[0][0], what, "copy it from one of ./bench new")


def order(notebook: NotebookNode, path: Path) -> Iterator[Problem]:
    """Question, claim, prediction, race, verdict, why, your turn: all of it, in this order."""
    first: dict[str, int] = {}
    for number, cell in enumerate(notebook.cells, 1):
        mark = "%" if cell.cell_type == "code" else "#"
        for line in cell.source.splitlines():
            for part in PARTS:
                if part.startswith(mark) and re.match(rf"{part}\b", line):
                    first.setdefault(part, number)
    if not notebook.cells or not notebook.cells[0].source.startswith("# "):
        yield problem(path, 1, "is no title", "begin with # and the question")
    if lost := [part for part in PARTS if part not in first]:
        yield problem(path, 0, f"has no {', no '.join(lost)}", f"a story goes {' → '.join(PARTS)}")
    there = [part for part in PARTS if part in first]
    for one, next_ in zip(there, there[1:], strict=False):
        if first[next_] < first[one]:
            yield problem(path, first[next_], f"{next_} comes before {one}", "change the order")


def chosen(words: str, path: Path) -> Experiment:
    """The experiment that %experiment chooses in a notebook, whose folder paths start from."""
    if words.startswith((".", "/")):
        found = experiments.at(str(path.parent / words))
        return experiments.find(str(found[0]) if len(found) == 1 else str(path.parent / words))
    return experiments.find(words)


def code(notebook: NotebookNode, path: Path) -> Iterator[Problem]:
    """Cells with %%variant hold the files as they are. Each file stands in one of them, is shown by
    %variant, or has a link."""
    now: Experiment | None = None
    shown: set[Path] = set()
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type != "code":
            shown |= {(path.parent / target).resolve() for target in LINK.findall(cell.source)}
            continue
        for match in CHOOSES.finditer(cell.source):
            now = chosen(match[1], path)
        try:
            named = names_of(cell.source)
            variants = [now.variant(name) for name in named] if now else []
        except InputError as error:
            yield problem(path, number, error.problem)
            continue
        shown |= {variant.path.resolve() for variant in variants}
        if variants and cell.source.startswith("%%"):
            file, body = variants[0].path, cell.source.partition("\n")[2]
            if body.rstrip() != variants[0].code.rstrip():
                what = f"is not {paths.relative(file)} as it is"
                yield problem(path, number, what, "copy the file into the cell")
    for experiment in experiments.of_notebook(path):
        every = {variant.path.resolve() for variant in experiment.variants}
        for unseen in sorted(every - shown):
            what = f"shows no variant of {paths.relative(unseen)}"
            yield problem(path, 0, what, "add %variant NAME, or a link to the file")


def names_of(cell: str) -> list[str]:
    """The variants that a code cell shows: of `%%variant a`, and of lines `%variant a b --to c`.

    Raises InputError for a line that %variant can't read.
    """
    first, *_ = lines = cell.splitlines() or [""]
    if first.startswith("%%"):
        return first.split()[1:2] if first.startswith("%%variant ") else []
    given = [line.partition(" ")[2] for line in lines if line.startswith("%variant ")]
    found = [parsed(VariantMagics.variant, line) for line in given]
    return [name for each in found for name in (*each["names"], each["to"]) if name]


def predictions(notebook: NotebookNode, path: Path) -> Iterator[Problem]:
    """A guess is of a variant that there is, against a program that does the same work: within a
    case (the same paths, the same object) or a series. It is left to the reader."""
    bench: Workbench | None = None
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type != "code":
            continue
        for line in cell.source.splitlines():
            if match := CHOOSES.match(line):
                bench = Workbench(chosen(match[1], path))
            if line.startswith("%predict "):
                try:
                    for what, remedy in unfair(line.partition(" ")[2], bench):
                        yield problem(path, number, f"'{line}' {what}", remedy)
                except InputError as error:
                    yield problem(path, number, f"'{line}': {error.problem}", error.remedy)


def unfair(line: str, bench: Workbench | None) -> Iterator[tuple[str, str]]:
    """What is wrong with a guess, and its remedy. bench: None for programs of the reader's."""
    name, _, rest = line.strip().partition(" ")
    in_words = bench and name in questions.in_words_of(bench.experiment)
    blank = f"%predict {name} ? because …"
    if in_words:
        if guesses.split_reason(rest)[0] not in (guesses.BLANK, guesses.SEEN):
            yield "guesses for the reader", f"write {blank}"
        return
    named, amount, to, _ = guesses.parse_guess(line)
    if amount != guesses.BLANK:
        guesses.parse_amount(amount)
        yield "guesses for the reader", f"write {blank}"
    if bench and not is_fair(*bench.pair(named, to), bench):
        yield "compares programs of other work", ""


def is_fair(name: str, to: str, bench: Workbench) -> bool:
    """Is a guess about two programs that do the same work? to: '' for the baseline."""
    one, other = map(bench.experiment.variant, (name, to or bench.experiment.baseline))
    same = one.case == other.case or one.series == other.series
    return same or not (one.case and other.case)
