"""Races that are killed, interrupted, or have no room on the disk: no process stays, and what is
kept can be loaded."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from benchbook.model import results
from benchbook.system import paths
from benchbook_kernels.base import guard
from made import SERVER

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ends processes as Linux does")
RACE = ("--launches", "2", "--blocks", "3", "--seconds", "0.2", "--warmup", "0.2")
LONGEST_SECONDS = 8.0  # of such a race, on a machine that does nothing else
PATIENCE_SECONDS = 60


def start(folder: Path, file: Path, **more) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": paths.pythonpath()}
    command = [sys.executable, "-m", "benchbook", "race", folder, *RACE, "--json", file]
    return subprocess.Popen(
        [str(word) for word in command],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **more,
    )


def family(process: subprocess.Popen) -> list[psutil.Process]:
    """All that a race has started, guards too."""
    try:
        return psutil.Process(process.pid).children(recursive=True)
    except psutil.Error:
        return []


def gone(family: list[psutil.Process]) -> None:
    alive = psutil.wait_procs(family, timeout=PATIENCE_SECONDS)[1]
    assert alive == []


def loadable(file: Path) -> None:
    """Nothing was written, or a run that can be read; nothing half-written lies beside it."""
    if file.exists():
        results.load(file)
    left = [path.name for path in file.parent.glob(f".{file.name}*")]
    assert left == [] or all(name.endswith(".tmp") for name in left)


@pytest.mark.fault("killed")
def test_a_race_that_is_killed(two_servers, tmp_path, draw):
    process = start(two_servers, tmp_path / "run.json")
    time.sleep(draw.uniform(0, LONGEST_SECONDS))
    started = family(process)
    process.kill()
    process.communicate()
    gone(started)
    loadable(tmp_path / "run.json")


@pytest.mark.fault("killed with its guard")
def test_a_race_that_is_killed_together_with_its_guard(two_servers, tmp_path, draw):
    process = start(two_servers, tmp_path / "run.json")
    time.sleep(draw.uniform(0, LONGEST_SECONDS))
    started = family(process)
    for each in [*filter(lambda p: guard.is_guard(p.pid), started), process]:
        each.kill()
    process.communicate()
    gone(started)
    loadable(tmp_path / "run.json")


@pytest.mark.fault("interrupted")
def test_a_race_that_is_interrupted(two_servers, tmp_path, draw):
    process = start(two_servers, tmp_path / "run.json")
    time.sleep(draw.uniform(1, LONGEST_SECONDS))
    started = family(process)
    for _ in range(draw.choice([1, 1, 2, 3])):  # people press it again
        process.send_signal(draw.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP]))
        time.sleep(draw.uniform(0, 0.5))
    errors = process.communicate(timeout=PATIENCE_SECONDS * 2)[1]
    gone(started)
    loadable(tmp_path / "run.json")
    assert process.returncode >= 0 or "Traceback" not in errors


@pytest.mark.fault("disk full")
def test_a_race_on_a_disk_that_is_full(two_servers, tmp_path, draw):
    most = draw.choice([0, 1, 100, 5_000, 20_000, 40_000])

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    process = start(two_servers, tmp_path / "run.json", preexec_fn=limit)
    errors = process.communicate(timeout=PATIENCE_SECONDS * 2)[1]
    loadable(tmp_path / "run.json")
    assert "Traceback" not in errors, errors
    assert process.returncode == 0 or errors


BAD = {
    "dies": "setTimeout(() => process.exit(draw), 1000 + draw * 30)",
    "is wrong later": "let n = 0; server.prependListener('request', (q, r) => { const end = r.end;"
    " r.end = (t) => end.call(r, n++ > draw * 20 ? 'hallo' : t) })",
    "stops answering": "let n = 0; const [old] = server.listeners('request'); "
    "server.removeAllListeners('request');"
    " server.on('request', (q, r) => n++ < draw * 20 && old(q, r))",
    "closes connections": "server.on('connection', (s) => setTimeout(() => s.destroy(), draw))",
    "fails some": "let n = 0; server.prependListener('request', (q, r) => "
    "{ if (n++ % (draw + 2) == 0) r.statusCode = 500 })",
    "stops listening": "setTimeout(() => server.close(), 500 + draw * 30)",
    "eats the CPU": "setInterval(() => { const e = Date.now() + draw;"
    " while (Date.now() < e); }, 5)",
    "prints without end": "setInterval(() => process.stdout.write('x'.repeat(draw * 1e4)), 1)",
    "ignores SIGTERM": "process.on('SIGTERM', () => {}); process.on('SIGHUP', () => {})",
}


@pytest.mark.fault("server fails")
def test_a_race_with_a_server_that_fails(make_experiment, tmp_path, draw):
    name, code = draw.choice(sorted(BAD.items()))
    bad = f"{SERVER}\nconst draw = {draw.randrange(1, 100)};\n{code}\n"
    folder = make_experiment({"a": SERVER, "b": bad})
    process = start(folder, tmp_path / "run.json")
    errors = process.communicate(timeout=PATIENCE_SECONDS * 4)[1]
    assert "Traceback" not in errors, errors
    run = results.load(tmp_path / "run.json")
    assert run.entry("a").status == "raced"
    if name == "is wrong later" and run.entry("b").status == "raced":
        asked = [s.requests for s in [*run.warmups, *run.samples] if s.variant == "b"]
        assert sum(asked) < 2000, "it was wrong, and nobody noticed"
