"""C# methods of the reader's own files, compared in process: `compare a.cs b.cs`."""

from collections.abc import Callable, Sequence

from benchbook.model.kinds.kind import Kind
from benchbook.model.variants import Variant


def variants(
    words: Sequence[str], say: Callable[[str], None] = lambda text: None
) -> tuple[Kind, list[Variant]]:
    """The methods that are meant, each once for every case of its [Params] and [Arguments].

    words: "a.cs" (its only method), "lib.cs:Parse", "lib.cs:Class.Parse", or one file alone, all of
    whose methods are compared (the first is the baseline, or that with Baseline = true); say: told
    what is being built. The files are built here, because only then it is known what is in them.
    `functions.mode` is for these, too, and so is `answers.check`.

    Raises InputError for a word or a file that is wrong, BenchError for one that can't be built.
    """
    raise NotImplementedError
