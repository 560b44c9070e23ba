"""Browser tests: Chromium through playwright-core, and notebook servers that end with the test."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from front_ends import SHORT_RACE, Server, installed, running

from benchbook.programs import browser
from made import REPOSITORY

HERE = Path(__file__).parent
BROWSER_SECONDS = 600


@pytest.fixture(scope="session")
def chromium() -> str:
    """Chromium's path. Missing, the tests fail: what they check was not checked."""
    found = browser.find()
    if not found:
        pytest.fail(
            "no Chromium: the browser tests need it.\n"
            "  → ./bench setup --with-browser, or set BENCHBOOK_CHROMIUM to its path",
            pytrace=False,
        )
    return found


@pytest.fixture(scope="session")
def browser_at(chromium) -> Iterator[str]:
    """Where one Chromium for all looks is found: its start takes longer than a look at a page."""
    serving = subprocess.Popen(
        ["node", HERE / "serve-browser.mjs"],
        env={**os.environ, "BENCHBOOK_CHROMIUM": chromium},
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with serving:
        yield serving.stdout.readline().strip()
        serving.stdin.close()


@pytest.fixture(scope="session")
def browse(browser_at) -> Callable[..., dict[str, Any]]:
    """browse("open-page.mjs", argument, option=value) -> what the script saw.

    A screenshot is taken where BENCHBOOK_SCREENSHOTS names a folder for it: it takes seconds.
    """

    def run(script: str, *arguments: str | Path, **options: Any) -> dict[str, Any]:
        if not os.environ.get("BENCHBOOK_SCREENSHOTS"):
            options.pop("screenshot", None)
        given = [
            word for key, value in options.items() for word in (f"--{key.replace('_', '-')}", value)
        ]
        done = subprocess.run(
            ["node", HERE / script, *map(str, arguments), *map(str, given)],
            env={**os.environ, "BENCHBOOK_BROWSER_AT": browser_at},
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            timeout=BROWSER_SECONDS,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where screenshots go, if any are taken."""
    folder = Path(os.environ.get("BENCHBOOK_SCREENSHOTS", "")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(params=installed())
def server(request, tmp_path) -> Iterator[Server]:
    """A server of each installed front end, on a checkout of its own, with a short race."""
    with running(request.param, tmp_path, SHORT_RACE) as started:
        yield started
