"""A pytest plugin: when a whole run begins, the .NET programs of all experiments are built.

One after the other, each for the first test that needs it, they take six times as long.
"""

import sys

import pytest

import leftovers
from benchbook_kernels.base import kept_builds

BUILD = """
from benchbook.model import experiments
from benchbook.programs import readiness

every = [variant for each in experiments.load_all() for variant in each.variants]
readiness.look_for_packages(every)
readiness.build_together([v for v in every if not readiness.lacking(v)], lambda _: None)
"""


def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    everything = config.args == config.getini("testpaths") and not config.getoption("fast")
    if everything and leftovers.KEEPER in config.stash and not config.getoption("collectonly"):
        config.stash[leftovers.KEEPER].start(
            [sys.executable, "-c", BUILD], env={kept_builds.VARIABLE: ""}, stderr=2
        )
