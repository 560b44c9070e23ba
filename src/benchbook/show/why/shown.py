"""What is shown of profiles, and written beside them: for the commands and the magics alike."""

from pathlib import Path

from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.profiling import alone, differences, trees
from benchbook.show.embed import Figure
from benchbook.show.markup import Output
from benchbook.show.why import cards, files
from benchbook.show.why.icicle import icicle


def answer(comparison: ProfileComparison) -> Output:
    """The sentence and the functions, of one program or of two."""
    if len(comparison.programs) == 1:
        return cards.spending(alone.alone(comparison))
    return cards.answer(differences.why(comparison))


def details(comparison: ProfileComparison) -> Output:
    """The layers, how it was measured, and what speaks for it."""
    if len(comparison.programs) == 1:
        return cards.spending_details(alone.alone(comparison), comparison)
    return cards.details(differences.why(comparison), comparison)


def figure(comparison: ProfileComparison) -> Figure:
    """The icicle of the program, or of both over each other."""
    a, *others = comparison.programs
    return icicle(trees.tree(comparison), a, others[0] if others else "", comparison.thing)


def written(comparison: ProfileComparison) -> list[Path]:
    """Write the profiles for other tools, beside the file that keeps them. Raises OSError."""
    assert comparison.path
    return files.write(comparison, comparison.path.with_suffix(""))
