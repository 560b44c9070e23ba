"""Load generators: how long a sample they can do."""

import subprocess
import sys

import pytest

from benchbook.load import installed, loading, registry
from benchbook.loadtools.tools.wrk import Wrk
from benchbook_kernels.base.processes import Keeper, ended_within


@pytest.mark.parametrize(
    "tool, asked, done",
    [
        ("wrk", 0.25, 0.3),
        ("wrk", 0.2, 0.2),
        ("wrk", 0.3, 0.3),
        ("wrk", 0.01, 0.1),
        ("wrk", 2, 2),
        ("ab", 0.2, 1),
        ("ab", 1.5, 2),
        ("autocannon", 3, 3),
        ("python-load", 0.25, 0.3),
    ],
)
def test_a_sample_is_as_long_as_the_tool_can_do(tool, asked, done):
    assert loading.sample_seconds(registry.get(tool), asked) == done


TELLS = {
    "wrk": ("wrk debian/4.1.0-3+b2 [epoll] Copyright (C) 2012 Will Glozer\nexit", "4.1.0-3+b2"),
    "ab": ("This is ApacheBench, Version 2.3 <$Revision: 1913912 $>", "2.3"),
}


@pytest.mark.parametrize("name", TELLS)
def test_each_tools_version_is_understood(name, tmp_path, monkeypatch):
    said, version = TELLS[name]
    command = tmp_path / name
    command.write_text(f"#!/bin/sh\n/bin/cat <<'END'\n{said}\nEND\nexit 1\n")  # as wrk does
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installed.version(registry.get(name)) == version


def test_waiting_for_an_end_wakes_and_gives_up_in_time():
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        assert not ended_within(process, 0.1)
        process.terminate()
        assert ended_within(process, 120)
        assert process.returncode is not None
        assert ended_within(process, 0)
    finally:
        process.kill()
        process.wait()


class Slow(Wrk):
    """Takes long to begin: until then SIGINT ends it, and it prints nothing."""

    def command(self, *arguments, **named) -> list[str]:
        return [sys.executable, "-S", "-c", CODE]


CODE = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_DFL); time.sleep(20)"


def test_a_tool_that_is_stopped_before_it_has_begun_measured_nothing():
    with Keeper() as keeper:
        measured = loading.run(Slow(), "http://127.0.0.1:1/", 0.5, 1, keeper)
    assert measured.requests == 0 and measured.requests_per_second == 0
    assert measured.latency_ms["p50"] is None


@pytest.mark.parametrize(
    ("connections", "cpus", "most", "threads"),
    [(50, 3, None, 2), (50, 5, None, 5), (7, 4, None, 1), (8, 4, 2, 2), (2, 8, None, 2)],
)
def test_all_threads_have_as_many_connections(connections, cpus, most, threads):
    """wrk -t 3 -c 50 opens 48: findings/wrk-connections-per-thread.sh."""
    assert loading.threads(Wrk(), connections, range(cpus), most) == threads
    assert loading.threads(Wrk(), connections, None, most) == 1
