"""What the README promises is there."""

import re

from click.testing import CliRunner

from benchbook import experiments, paths
from benchbook.cli import main

TEXT = (paths.root() / "README.md").read_text(encoding="utf-8")


def test_every_command_in_the_table_exists():
    wanted = set(re.findall(r"`\./bench ([\w-]+)", TEXT))
    assert wanted >= {"list", "race", "run", "lab", "doctor", "setup"}
    for name in wanted:
        assert name in main.list_commands(None)
    assert "race" in CliRunner().invoke(main, ["--help"]).output


def test_every_experiment_is_in_the_table():
    for experiment in experiments.load_all():
        assert f"notebooks/{experiment.notebook.name}" in TEXT


def test_links_and_pictures_exist():
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        if not target.startswith("http"):
            assert (paths.root() / target).exists(), target


def test_every_magic_in_the_table_exists():
    files = (paths.PACKAGE / "kernel").glob("*magics.py")
    source = "".join(path.read_text(encoding="utf-8") for path in files)
    for name in re.findall(r"`%{1,2}(\w+)", TEXT):
        if name != "bash":
            assert f"def {name}(self" in source, name  # %%bash is IPython's
