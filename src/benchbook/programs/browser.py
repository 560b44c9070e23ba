"""Chromium, for experiments that race in a real browser: is it there, and where?"""

import re
import subprocess
import sys
from collections.abc import Iterable

from benchbook.model.experiments import Experiment
from benchbook.programs import npm
from benchbook.setup.tools import remedies
from benchbook_kernels.base.running import run

DRIVER = "playwright-core"
NEED = "browser:chromium"
GET = "./bench setup --with-browser"


def find() -> str:
    """The path of a browser of Chromium's family, '' where there is none."""
    return remedies.find_browser()


def lacks() -> str:
    """What is missing, with the remedy; '' where pages can be raced."""
    if not find():
        return f"Chromium is not installed; get it with: {GET}"
    if not npm.installed(DRIVER):
        return f"the npm package {DRIVER} is not installed; get it with: ./bench setup"
    return ""


def ask_for(experiments: Iterable[Experiment]) -> None:
    """Install it where one of these needs it and it is not there.

    What can't be installed stays missing: its variants are unavailable then, and say why.
    """
    if not find() and any(NEED in experiment.kind.needs for experiment in experiments):
        from benchbook.setup import bootstrap  # 20 ms, which all else that imports this file saves

        bootstrap.main(["--with-browser"])


def version() -> str:
    """The browser's version; '' where it does not say (on Windows it opens a window instead)."""
    path = find()
    if not path or sys.platform == "win32":
        return ""
    try:
        told = run([path, "--version"], timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = re.search(r"\d[\d.]+", told.stdout)
    return match[0] if match else ""
