"""How counts are said."""

import pytest

from benchbook_kernels.base.words import counted


@pytest.mark.parametrize(
    ("number", "what", "said"),
    [
        (1, "launch", "1 launch"),
        (2, "launch", "2 launches"),
        (0, "sample", "0 samples"),
        (1200, "entry", "1,200 entries"),
        (2, "day", "2 days"),
        (3, "block of warm-up", "3 blocks of warm-up"),
        (1, "block of warm-up", "1 block of warm-up"),
    ],
)
def test_counts_are_said_in_english(number, what, said):
    assert counted(number, what) == said
