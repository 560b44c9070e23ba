"""The fault campaign, run by `./bench test --faults [COUNT]` only: what is done to Benchbook by
chance, seeded, and a table of how much of it was survived."""

import os
import random
from collections import Counter

import pytest

VARIABLE = "BENCHBOOK_FAULTS"  # how many; set by ./bench test --faults
COUNT = int(os.environ.get(VARIABLE, "0"))
SEED = int(os.environ.get("BENCHBOOK_FAULTS_SEED", "1"))
# Of a hundred faults, so many of each kind.
SHARES = {
    "killed": 20,
    "killed with its guard": 4,
    "interrupted": 12,
    "disk full": 8,
    "server fails": 12,
    "run file": 24,
    "claim": 10,
    "notebook": 4,
    "bundle": 4,
    "cell": 2,
}

if not COUNT:
    collect_ignore_glob = ["test_*.py"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test marked `fault("kind")` is run as often as the campaign has faults of that kind, each
    with a `draw` of its own; --seed in the environment repeats a campaign, the id a single fault.
    """
    marker = metafunc.definition.get_closest_marker("fault")
    if marker is None:
        return
    kind = marker.args[0]
    seeds = range(max(1, round(COUNT * SHARES[kind] / 100)))
    name = kind.replace(" ", "-")
    metafunc.parametrize("seed", seeds, ids=[f"{name}-{SEED}-{seed}" for seed in seeds])


@pytest.fixture
def draw(request, seed) -> random.Random:
    return random.Random(f"{SEED} {request.node.originalname} {seed}")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fault(kind): one fault of the campaign")


def pytest_terminal_summary(terminalreporter) -> None:
    """The table: faults tried and survived, by kind."""
    tried: Counter[str] = Counter()
    survived: Counter[str] = Counter()
    for outcome in ("passed", "failed", "error"):
        for report in terminalreporter.stats.get(outcome, []):
            known = [
                kind for kind in SHARES if f"[{kind.replace(' ', '-')}-{SEED}-" in report.nodeid
            ]
            for kind in known:
                tried[kind] += 1
                survived[kind] += outcome == "passed"
    if not tried:
        return
    terminalreporter.section("faults")
    for kind, count in tried.items():
        terminalreporter.write_line(f"{kind:<24}{count:>6} tried {survived[kind]:>6} survived")
    terminalreporter.write_line(
        f"{'in all':<24}{tried.total():>6} tried {survived.total():>6} survived"
    )
