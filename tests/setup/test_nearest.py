"""A misspelt word gets the name that was meant; a word that is like none gets none."""

import pytest

from benchbook_kernels.base.nearest import did_you_mean, nearest

COMMANDS = ["setup", "doctor", "list", "run", "race", "room", "report", "share", "selfcheck"]
EXPERIMENTS = ["01-middlewares", "04-setheader-vs-writehead", "07-serializers/http", "10-plot"]


@pytest.mark.parametrize(
    "word, known, meant",
    [
        ("rnu", COMMANDS, "run"),
        ("raec", COMMANDS, "race"),
        ("RACE", COMMANDS, "race"),
        ("sharre", COMMANDS, "share"),
        ("self-check", COMMANDS, "selfcheck"),
        ("44", EXPERIMENTS, "04-setheader-vs-writehead"),
        ("setheader", EXPERIMENTS, "04-setheader-vs-writehead"),
        ("writehed", EXPERIMENTS, "04-setheader-vs-writehead"),
        ("serialisers", EXPERIMENTS, "07-serializers/http"),
        ("--varaints", ["--variants", "--tool", "--until"], "--variants"),
        ("zzz", COMMANDS, ""),
        ("", COMMANDS, ""),
        ("…", COMMANDS, ""),
        ("x", [], ""),
    ],
)
def test_the_nearest_name(word, known, meant):
    assert nearest(word, known) == meant
    assert (f"'{meant}'" in did_you_mean(word, known)) == bool(meant)
