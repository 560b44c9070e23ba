"""JavaScript functions of the reader's own files, compared in process: `compare a.mjs b.mjs`."""

from collections.abc import Sequence
from pathlib import Path

from benchbook.model.kinds.functions import NodeFunctions
from benchbook.model.variants import Mode, Variant


def variants(
    words: Sequence[str], inputs: Path | None = None, node: str = "node"
) -> tuple[NodeFunctions, list[Variant]]:
    """The functions that are meant, each once for every input; the baseline first.

    words: "a.mjs" (its default export, or its only function), "lib.mjs:parse", or one file alone,
    all of whose functions are compared; inputs: the file of --with; node: the command that reads
    the files. `series` is the function, `case` the input's name ('' without inputs).

        kind, found = functions.variants(["a.mjs", "b.mjs"], Path("values.mjs"))
        question = Question(kind, tuple(found), functions.mode(25, entries=3), folder)
        notes = answers.check(kind, found)   # before the race

    Raises InputError for a word, a file or inputs that are wrong, BenchError where a file can't be
    loaded.
    """
    raise NotImplementedError


def mode(seconds: float, entries: int) -> Mode:
    """How functions are raced for so many seconds, in which all entries (the A/A copy too) fit."""
    return Mode(seconds, 0.05, 0.3)
