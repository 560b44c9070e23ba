"""Chromium, for experiments that race in a real browser: is it there, and where?"""

import re
import subprocess
import sys

from benchbook import bootstrap, runners

DRIVER = "playwright-core"
GET = "./bench setup --with-browser"


def find() -> str:
    """The path of a browser of Chromium's family, '' where there is none."""
    return bootstrap.find_browser()


def lacks() -> str:
    """What is missing, with the remedy; '' where pages can be raced."""
    if not find():
        return f"Chromium is not installed; get it with: {GET}"
    if not runners.npm_version(DRIVER):
        return f"the npm package {DRIVER} is not installed; get it with: ./bench setup"
    return ""


def version() -> str:
    """The browser's version; '' where it does not tell (on Windows it opens a window instead)."""
    path = find()
    if not path or sys.platform == "win32":
        return ""
    try:
        told = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = re.search(r"\d[\d.]+", told.stdout)
    return match[0] if match else ""
