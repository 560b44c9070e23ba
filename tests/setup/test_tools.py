"""Tools beside the environment: the linters, on systems with apt and on others."""

from pathlib import Path

import pytest
from fakes import fake

from benchbook.setup.routes.apt import apt_sections
from benchbook.setup.steps import Environment
from benchbook.setup.tools import tools

ROOT = Path(__file__).resolve().parents[2]
HOOKS = ROOT / ".pre-commit-config.yaml"


@pytest.fixture
def python(setup, bin_dir, tmp_path):
    """The environment's Python, whose pip writes down what it is asked for and fails on request."""
    (setup.root / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    setup.options.with_lint = True
    fake(bin_dir, "python", f'echo "$*" >>{tmp_path}/asked\n[ ! -e {tmp_path}/fails ]')
    return Environment("pip", bin_dir / "python", "", (bin_dir,))


def test_without_apt_the_linters_are_the_environments_own(setup, python, tmp_path):
    tools.install_tools(setup, python)
    (asked,) = (tmp_path / "asked").read_text().splitlines()
    assert asked.startswith("-m pip install black==23.* flake8")
    (tmp_path / "fails").touch()
    tools.install_tools(setup, python)
    assert setup.notes[-1].startswith("the linters: ")


def test_hooks_run_what_was_installed_and_not_one_systems_python():
    text = HOOKS.read_text(encoding="utf-8")
    entries = {line.split()[1] for line in text.splitlines() if line.strip().startswith("entry:")}
    assert entries == {*apt_sections(ROOT)["lint"], "node_modules/.bin/prettier"}
