"""The help of a command with many options tells them in groups."""

from click.testing import CliRunner

from benchbook.commands.measure.compare import command
from benchbook.compare.asking import GROUPS


def test_each_option_is_told_once_in_its_group():
    text = CliRunner().invoke(command, ["--help"]).output
    assert all(f"\n{title}:\n" in text for title in GROUPS)
    first, *groups = text.split("\n\n")[-1 - len(GROUPS) :]
    assert "--html" in first and "--node" not in first
    for group, options in zip(groups, GROUPS.values(), strict=True):
        assert all(option.opts[-1] in group for option in options if not option.hidden)
    for option in command.params:
        if option.opts[-1].startswith("--"):
            assert sum(option.opts[-1] in line.split()[:2] for line in text.splitlines()) <= 1
