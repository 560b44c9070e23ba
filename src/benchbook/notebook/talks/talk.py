"""What a talk about a notebook needs, read from the notebook's own cells, in their order.

The question is the bold line of its first cell. Each `%experiment` begins a claim, the open guesses
(`%predict NAME ? …`) up to the next one belong to it, and the first `%picture` is the talk's.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from nbformat import NotebookNode

from benchbook.model import experiments
from benchbook.model.experiments import Experiment
from benchbook.notebook import guesses

TITLE, QUESTION = re.compile(r"#+ +(.+)"), re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
LINE = re.compile(r"^%(experiment|predict|picture)[ \t]+(.+?)[ \t]*$", re.MULTILINE)
MARKS = re.compile(r"[`*]|\[(?=[^\]]*\]\()|(?<=\w)\]\([^)]*\)|</?kbd>")


@dataclass(frozen=True)
class AskedGuess:
    """A guess that a notebook asks for: of a variant, to another one ('': to the baseline), or of a
    question in words."""

    name: str
    to: str


@dataclass
class Act:
    """One experiment of a talk, and what is guessed before it races."""

    experiment: Experiment
    asked: list[AskedGuess] = field(default_factory=list)


@dataclass
class Talk:
    """A notebook as a talk. picture: the name of a diagram, '' for none."""

    name: str
    title: str
    question: str
    acts: list[Act] = field(default_factory=list)
    picture: str = ""


def of(name: str, notebook: NotebookNode) -> Talk:
    """The talk of a notebook. Raises InputError for an experiment that is not there, or a guess
    that can't be read."""
    first = next((c.source for c in notebook.cells if c.cell_type == "markdown"), "")
    titled, asked = TITLE.match(first), QUESTION.search(first)
    talk = Talk(name, plain(titled[1]) if titled else name, plain(asked[1]) if asked else "")
    act: Act | None = None
    for magic, rest in magics(notebook):
        if magic == "picture":
            talk.picture = talk.picture or rest
        elif magic == "experiment":
            act = act_of(talk, rest.split()[0])
        elif act and (guess := open_guess(rest)) and guess not in act.asked:
            act.asked.append(guess)
    return talk


def magics(notebook: NotebookNode) -> Iterator[tuple[str, str]]:
    """(magic, what stands behind it) of all code cells, in order."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            yield from ((found[1], found[2]) for found in LINE.finditer(cell.source))


def act_of(talk: Talk, which: str) -> Act:
    """The act of an experiment, a new one where the talk has none yet: notebooks come back to one
    for their exercises."""
    experiment = experiments.find(which)
    for act in talk.acts:
        if act.experiment.name == experiment.name:
            return act
    talk.acts.append(Act(experiment))
    return talk.acts[-1]


def open_guess(line: str) -> AskedGuess | None:
    """What a line asks to be guessed; None where it asks for nothing. Raises InputError."""
    said, _ = guesses.split_reason(line)
    if guesses.BLANK not in said.split():
        return None
    words, _, to, _ = guesses.parse_guess(line)
    return AskedGuess(words, to)


def plain(text: str) -> str:
    """Markdown of a line as text: without its marks, links as their words."""
    return " ".join(MARKS.sub("", text).split())
