"""The notebook of an experiment of one's own, and its exercise: in the order of all notebooks."""

from typing import Any

import nbformat
from nbformat import NotebookNode

from benchbook.compare.own.drafting import Draft
from benchbook.notebook import slides, wrong_kernel
from benchbook_kernels.install import kernelspecs

v4: Any = nbformat.v4
untyped: Any = nbformat

EXERCISE, CHECK, SOLUTION = ({"tags": [f"{each}-1"]} for each in ("exercise", "check", "solution"))
SOLVED = """\
<details><summary>Solution</summary>

```js
%%variant {name}
{code}
```

```text
%race
```

</details>"""
EXERCISES = '''\
"""The check of the notebook's exercise: a sentence for each thing that is still missing."""

from collections.abc import Iterator

from benchbook.notebook.exercises import View


def exercise_1(view: View) -> Iterator[str]:
    code = view.edited("{name}")
    if "Buffer" not in code:
        yield "{name} does not send a Buffer yet."
    view.raced("{name}")
'''


def text(draft: Draft, language: str) -> str:
    """The notebook as a file; language: of its plain cells."""
    made = v4.new_notebook(cells=list(cells(draft, language)))
    name = f"benchbook-{language}"
    made.metadata["kernelspec"] = {"name": name, "display_name": kernelspecs.display_name(language)}
    for cell, metadata in zip(made.cells, slides.metadata(made.cells), strict=True):
        cell.metadata = untyped.from_dict(metadata)
    for number, cell in enumerate(made.cells, 1):
        cell["id"] = f"cell-{number}"
    return str(untyped.writes(made)) + "\n"


def cells(draft: Draft, language: str) -> list[NotebookNode]:
    """Question, claim, prediction, code, race, plot, verdict, why, your turn."""
    first, second = draft.variants[0].name, draft.others[0].name
    codes = [(v.name, draft.files[v.file].decode("utf-8").rstrip()) for v in draft.variants]
    return [
        words(f"# {draft.question}\n\nA question of our own: nobody has published figures."),
        v4.new_code_cell(wrong_kernel.cell(language), metadata={"tags": [wrong_kernel.TAG]}),
        words(
            "## The claim\n\nThe statement and δ, the smallest difference that matters, stand in "
            "`claim.toml`; what is raced, and how, in `experiment.toml`."
        ),
        v4.new_code_cell("%experiment ."),
        words(
            "## Your prediction\n\nHow much faster is it than "
            f"`{first}`, or slower, and why? Put your guess in the place of the `?`."
        ),
        v4.new_code_cell(f"%predict {second} ? because …"),
        words(f"## The code\n\n`{first}` is the baseline. Edit a cell and run it: the next race "
              "takes your edit, and the file stays as it is."),
        *(v4.new_code_cell(f"%%variant {name}\n{code}") for name, code in codes),
        words("## The race"),
        v4.new_code_cell("%race"),
        v4.new_code_cell("%plot samples"),
        words("## The verdict"),
        v4.new_code_cell("%verdict"),
        words(
            "## Why\n\nSay here why it came out so, in a sentence that another race could refute."
        ),
        *(exercise(draft) if draft.made else [words("## Your turn\n\nWhat would refute it?")]),
    ]  # fmt: skip


def words(source: str) -> NotebookNode:
    cell: NotebookNode = v4.new_markdown_cell(source)
    return cell


def exercise(draft: Draft) -> list[NotebookNode]:
    """What the small servers' notebook leaves to do, its check and its solution."""
    name, code = draft.variants[1].name, draft.files[draft.variants[1].file].decode("utf-8")
    body = code.partition("response.end(")[2].partition(");\n")[0]
    solved = code.replace(f"response.end({body})", "response.end(body)")
    solved = solved.replace("const server", f"const body = Buffer.from({body});\nconst server", 1)
    told = f"## Your turn\n\nSend the text of `{name}` as a `Buffer`, made once, and race again."
    solution = SOLVED.format(name=name, code=solved.rstrip())
    return [
        v4.new_markdown_cell(told, metadata=EXERCISE),
        v4.new_code_cell("%check 1", metadata=CHECK),
        v4.new_markdown_cell(solution, metadata=SOLUTION),
    ]


def exercises(draft: Draft) -> str:
    """The text of exercises.py."""
    return EXERCISES.format(name=draft.variants[1].name)
