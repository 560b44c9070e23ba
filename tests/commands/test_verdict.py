"""`bench verdict`: the statements of a race that was raced before, or of the recorded one."""

import pytest
from click.testing import CliRunner

from benchbook.commands.measure.verdict import command
from benchbook.model import picker
from benchbook_kernels.base.errors import InputError


@pytest.fixture
def asked(monkeypatch):
    """asked("04") -> what the command prints on a machine that has raced nothing."""
    monkeypatch.setattr(picker, "own_run", lambda experiment, unedited=False: None)

    def ask(*words: str) -> str:
        result = CliRunner().invoke(command, list(words))
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.output

    return ask


def test_without_a_race_of_ones_own_the_recorded_one_is_judged_and_named(asked):
    text = asked("04")
    assert "the recorded race; yours: ./bench race 04" in text
    assert "write-head-object to bare" in text and "write-head-length to bare" in text


def test_all_parts_are_told(asked):
    text = asked("05", "--recorded")
    assert [part for part in ("05/http", "05/memory", "05/node-versions") if part in text] == [
        "05/http",
        "05/memory",
        "05/node-versions",
    ]


def test_two_races_are_not_asked_for_at_once():
    file = "data/runs/04-setheader-vs-writehead.as-published.json"
    done = CliRunner().invoke(command, ["04", "--recorded", "--run", file])
    assert done.exit_code == 2 and "--recorded and --run" in done.output


@pytest.mark.parametrize(
    "name, why",
    [
        ("06-node-framework-ladder", "is of 06-node-framework-ladder"),
        ("04-setheader-vs-writehead.as-published", "is a replay"),
    ],
)
def test_a_run_that_can_t_be_judged_here_is_told_why(asked, name, why):
    with pytest.raises(InputError, match=why):
        asked("04", "--run", f"data/runs/{name}.json")
