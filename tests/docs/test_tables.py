"""The tables of the README and of docs/ name what the program has: all of it and nothing else."""

import importlib
import pkgutil
import re

import click
import pytest
from IPython.core.magic import Magics

from benchbook import loadtools
from benchbook.commands.cli import main
from benchbook.compare.asking import GROUPS
from benchbook.compare.command_options import FORMATS
from benchbook.model import experiments
from benchbook.notebook import magics
from benchbook.notebook.magics.compare_magics import CompareMagics
from benchbook.system import paths
from benchbook_kernels.install.languages import declared
from benchbook_kernels.notebook import language_magics


def text(name: str) -> str:
    return (paths.root() / name).read_text(encoding="utf-8")


def every_magic() -> set[str]:
    """The magics of all classes in the package, as they are written: %race, %%variant."""
    found = set()
    names = [f"{magics.__name__}.{module.name}" for module in pkgutil.iter_modules(magics.__path__)]
    for name in (*names, language_magics.__name__):
        imported = importlib.import_module(name)
        for value in vars(imported).values():
            if isinstance(value, type) and issubclass(value, Magics) and value is not Magics:
                found |= {f"%{name}" for name in value.magics["line"]}
                found |= {f"%%{name}" for name in value.magics["cell"]}
    return found


@pytest.mark.parametrize("name", ["README.md", "docs/commands.md", "docs/installation.md"])
def test_every_command_that_is_named_exists(name):
    assert set(re.findall(r"\./bench ([a-z][\w-]*)", text(name))) <= set(main.list_commands(None))


def test_every_command_is_in_the_table():
    table = re.findall(r"^\| `\./bench ([\w-]+)", text("docs/commands.md"), re.MULTILINE)
    assert set(table) == set(main.list_commands(None))


def test_every_option_of_a_race_is_explained():
    race = main.get_command(None, "race")
    options = {name for p in race.params for name in p.opts if name.startswith("--")}
    explained = set(re.findall(r"`(--[\w-]+)", text("docs/commands.md")))
    assert options - explained == {"--help"} & options


def flags(params):
    return {flag for each in params if isinstance(each, click.Option) for flag in each.opts}


def test_every_option_of_compare_that_is_explained_nowhere_else_is_in_its_table():
    compare = main.get_command(None, "compare")
    elsewhere = flags(option for group in GROUPS.values() for option in group)
    own = {flag.replace("--details", "--no-details") for flag in flags(compare.params)} - elsewhere
    _, _, section = text("docs/commands.md").partition("## The options of compare\n")
    table = "".join(re.findall(r"^\|.*\n", section.partition("\n## ")[0], re.MULTILINE))
    assert set(re.findall(r"`(--[\w-]+)", table)) == own


def test_compare_in_a_notebook_takes_all_but_a_gate_and_files_of_the_answer():
    compare = main.get_command(None, "compare")
    magic = CompareMagics.compare.command
    missing = flags(compare.params) - flags(magic.params) - {"--details"}
    files = {"--html", "--json", "--export", "--sort", "--time-unit", "-u", "--style"}
    files |= {f"--export-{form}" for form in FORMATS}
    assert missing == {"--fail-if-slower", "--undecided", "--why"} | files  # %why is a magic


def test_every_magic_is_in_the_table():
    named = set(re.findall(r"`(%{1,2}\w+)", text("docs/magics.md").partition("\n## ")[0]))
    languages = {f"%%{name}" for name in declared()}  # examples of them will do
    assert every_magic() <= named
    assert named <= every_magic() | languages | {"%%bash", "%time"}


def test_the_readme_shows_magics_that_exist():
    assert set(re.findall(r"^%{1,2}\w+", text("README.md"), re.MULTILINE)) <= every_magic()


def test_every_experiment_is_in_the_readme():
    for experiment in experiments.load_all():
        assert f"notebooks/{experiment.notebook.name}" in text("README.md")


def test_the_readme_takes_two_screens():
    assert len(text("README.md").splitlines()) <= 90


def test_the_races_of_load_generators_have_a_row_for_each():
    _, _, races = text("docs/load-tools.md").partition("## Do they say the same?")
    assert re.findall(r"^\| `(\w[\w-]*)`", races, re.MULTILINE) == list(loadtools.declared())
    heading = next(line for line in races.splitlines() if line.startswith("|"))
    assert all(number in heading for number in ("01", "04", "06", "08"))
    assert "another**" not in races


def test_the_list_names_the_notebooks_without_an_experiment(capsys):
    main.main(["list"], standalone_mode=False)
    listed = capsys.readouterr().out
    assert "11  Your own claim (a notebook)\n    Which of two ways is faster" in listed
    for experiment in experiments.load_all():
        assert listed.count(f"{experiment.number}  {experiment.title} (") == 1
