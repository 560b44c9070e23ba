"""The commands that set-up runs."""

import pytest
from fakes import fake

from benchbook.setup.steps import SetupError


def test_a_failing_command_shows_its_last_lines_and_the_whole_is_in_the_log(setup, bin_dir):
    fake(bin_dir, "tool", "for i in 1 2 3; do echo line $i; done; echo the reason >&2; exit 7")
    with pytest.raises(SetupError, match="exit code 7") as caught:
        setup.run(["tool", "an argument"], remedy="do this")
    assert "    the reason" in str(caught.value)
    assert caught.value.remedy == "do this"
    assert "$ tool 'an argument'\nline 1" in setup.log.read_text()


def test_a_command_that_does_not_exist_is_a_clear_error(setup, bin_dir):
    with pytest.raises(SetupError, match="no-such-tool cannot be started"):
        setup.run(["no-such-tool"])


def test_a_command_that_hangs_is_ended(setup, bin_dir):
    fake(bin_dir, "tool", "while :; do :; done")
    with pytest.raises(SetupError, match="took over 0 s"):
        setup.run(["tool"], timeout=0.2)
