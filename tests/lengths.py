"""A pytest plugin: which tests are slow and why, what --fast leaves out, what runs side by side."""

import os
import sys
from types import SimpleNamespace
from typing import Any

import pytest

# A test that uses one of these is slow, and this is why.
SLOW_FIXTURES = {
    "browse": "looks at a page in Chromium",
    "chromium": "looks at a page in Chromium",
    "shared_csharp": "starts a C# session",
    "open_csharp": "starts a C# session",
    "csharp_kernel": "starts a C# kernel",
}
READ_ONCE = "recorded_runs"  # a fixture of the session that takes seconds: for one worker
KEPT_TOGETHER = ("module", "class", "package")  # scopes of fixtures that tests share


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("benchbook")
    group.addoption("--fast", action="store_true", help="leave out tests that are marked as slow")
    group.addoption(
        "--all-notebooks", action="store_true", help="open and execute every notebook (release)"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "slow(reason): takes seconds, and the reason says why; --fast leaves it out"
    )
    if not config.pluginmanager.hasplugin("xdist"):
        config.addinivalue_line("markers", "xdist_group(name): run by the same worker")


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_newgateway(gateway: Any) -> None:
    """Keep a worker's main thread for its tests, because signals arrive in no other.

    With -v, xdist asks each worker what it is, and while the main thread of that answers, execnet
    (before 2.1) starts the tests in another one. The answer is known: workers are as this process.
    """
    gateway._cache_rinfo = SimpleNamespace(
        platform=sys.platform, version_info=tuple(sys.version_info), cwd=os.getcwd()
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        mark_slow(item)
    if config.getoption("fast"):
        config.hook.pytest_deselected(items=[item for item in items if slow(item)])
        items[:] = [item for item in items if not slow(item)]
    if config.getoption("numprocesses", None) or hasattr(config, "workerinput"):
        for item in items:
            keep_together(item)
        items.sort(key=lambda item: not slow(item))  # the quick ones fill what is left


def slow(item: pytest.Item) -> bool:
    return item.get_closest_marker("slow") is not None


def mark_slow(item: pytest.Item) -> None:
    """Mark a test by its fixtures; raises UsageError for a mark without a reason."""
    for mark in item.iter_markers("slow"):
        if len(mark.args) != 1 or not isinstance(mark.args[0], str):
            raise pytest.UsageError(f'{item.nodeid}: say why: @pytest.mark.slow("starts …")')
    for name in getattr(item, "fixturenames", ()):
        if name in SLOW_FIXTURES:
            item.add_marker(pytest.mark.slow(SLOW_FIXTURES[name]))


def keep_together(item: pytest.Item) -> None:
    """Tests that share a fixture of their module go to one worker, others to any."""
    if item.get_closest_marker("xdist_group"):
        return
    if READ_ONCE in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.xdist_group(READ_ONCE))
        return
    made = getattr(item, "_fixtureinfo", None)
    used = [found for name in made.names_closure for found in made.name2fixturedefs.get(name, ())]
    if any(fixture.scope in KEPT_TOGETHER for fixture in used):
        item.add_marker(pytest.mark.xdist_group(item.path.stem))
