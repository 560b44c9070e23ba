"""What an article's own measurements say."""

from dataclasses import replace

import pytest

from benchbook.analysis import published
from benchbook.model import claims
from benchbook.model.published import ArticleRow
from benchbook_kernels.base.errors import InputError


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("messagepack", "json", (1.69, 1.40, 2.04)),  # 10^(mean of log10 of slide 23's ten ratios)
        ("memorypack", "json", (2.55, 2.16, 3.00)),
        ("json", "memorypack", (0.39, 0.33, 0.46)),
    ],
)
def test_the_slides_ten_rows_give_paired_ratios_with_intervals(a, b, expected):
    found = published.paired(claims.load("07-serializers"), a, b)
    assert (found.ratio, found.low, found.high) == pytest.approx(expected, abs=0.006)
    assert found.launches == 10 and not found.within_one_launch


def test_rows_of_another_column_are_no_measurements():
    claim = claims.load("07-serializers")
    rows = [ArticleRow("only in another column", "json", 99), *claim.method.rows]
    changed = replace(claim, method=replace(claim.method, rows=tuple(rows)))
    assert published.paired(changed, "memorypack", "json") == published.paired(
        claim, "memorypack", "json"
    )


@pytest.mark.parametrize("name", ["07-serializers", "04-setheader-vs-writehead"])
def test_without_two_pairs_there_is_no_interval(name):
    with pytest.raises(InputError, match=rf"{name}.toml.*fewer than two.*'json' and 'by-hand'"):
        published.paired(claims.load(name), "json", "by-hand")
