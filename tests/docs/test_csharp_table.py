"""tools/make_csharp_table.py keeps what it can't measure."""

from types import ModuleType

import pytest

from tool import loaded


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded("make_csharp_table")


def test_the_column_of_net_interactive_stays_where_it_is_not_installed(script):
    head, column = script.recorded()
    assert head.startswith(".NET Interactive")
    ours = {label: "measured anew" for label in column}
    made = script.table(["Benchbook", head], [ours, column])
    committed = [line for line in script.TARGET.read_text().splitlines() if line[:1] == "|"]
    last = [[line.split("|")[-2] for line in lines] for lines in (made.splitlines(), committed)]
    assert last[0][2:] == last[1][2:] != []


def test_what_was_never_measured_says_so(script):
    made = script.table(["a", "b"], [{"new": "1", "old": "2"}, {"old": "3"}])
    assert made.splitlines()[2:] == ["| new | 1 | not measured |", "| old | 2 | 3 |"]
