"""Allocations, collections and threads of a .NET program, by the runtime's events."""

import pytest

from benchbook.profiling.profilers import dotnet_counts
from benchbook_kernels.base import builds

PROGRAM = """\
#:property PublishAot=false
var kept = new byte[1000][];
var end = Environment.TickCount64 + 120_000;
for (var i = 0; Environment.TickCount64 < end; i++) kept[i % kept.Length] = new byte[10_000];
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """A program that allocates arrays of bytes, and nothing else."""
    path = tmp_path_factory.mktemp("allocates") / "allocates.cs"
    path.write_text(PROGRAM)
    folder = builds.build_folder(path)
    builds.build(path, "build", folder, lambda: None)
    return folder / "out" / "allocates.dll"


def test_what_a_program_allocates_and_collects(program, keeper, tmp_path):
    process = keeper.start(["dotnet", str(program)])
    found = dotnet_counts.counts(process.pid, 0.1, tmp_path, None)
    assert found.seconds >= dotnet_counts.LEAST_SECONDS / 2
    assert found.allocated > 1_000_000
    assert sum(found.collections) > 0 and found.pause_seconds > 0
    assert list(tmp_path.iterdir()) == []


def test_of_the_thread_pool_the_most_threads_and_the_mean_queue():
    report = {"seconds": 2.5, "allocated": 300, "collections": [3, 2, 1]}
    of_pool = {"threadpool-queue-length": [1, 2], "threadpool-thread-count": [4, 6]}
    found = dotnet_counts.read({**report, "counters": of_pool})
    assert (found.queued, found.pool_threads) == (1.5, 6)
    assert (found.allocated, found.collections, found.pause_seconds) == (300, (3, 2, 1), 0.0)
    found = dotnet_counts.read({**report, "counters": {}})
    assert (found.queued, found.pool_threads) == (None, None), "the window was too short"
