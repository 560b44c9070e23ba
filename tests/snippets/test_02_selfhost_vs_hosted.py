"""Experiment 02: Kestrel, HttpListener and a real nginx answer alike, and are gone afterwards."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from benchbook.load import registry
from benchbook.model import experiments
from benchbook.programs import parity, programs, readiness, runners
from benchbook.race.kinds.http import executor
from benchbook.system import versions
from benchbook.system.pinning import Pinning
from made import on_mono, race_all

pytestmark = pytest.mark.slow("builds and starts every variant")

FOUND = experiments.find("02")
NGINX = [variant for variant in FOUND.variants if variant.path.suffix == ".conf"]
NOBODY = 65534


@pytest.fixture
def ready():
    """Those that can run here, by name, built: all but what needs Mono, where that is missing."""
    reasons = readiness.make_ready(FOUND.variants, lambda text: None)
    assert {name for name, reason in reasons.items() if reason} <= on_mono(FOUND), reasons
    return {v.name: v for v in FOUND.variants if not reasons[v.name]}


@pytest.fixture
def behind_nginx(ready, keeper):
    """A started Kestrel with the first nginx before it."""
    program = programs.start(NGINX[0], keeper)
    programs.await_ready(program, FOUND.kind.path)
    return program


def test_all_variants_give_the_articles_three_objects(ready, keeper):
    variants = ready
    free = Pinning(None, None, "for a test")
    made = executor.HttpExecutor(FOUND, variants, registry.choose(), free, 8, keeper=keeper)
    assert made.launch(list(variants)) == {}
    foos = json.loads(made.answers["kestrel"].body)
    assert [(foo["Id"], foo["Name"]) for foo in foos] == [(i, f"Foo {i}") for i in (1, 2, 3)]
    assert all(set(foo) == {"Id", "Name", "CreatedOn"} for foo in foos)
    members = [pid for program in made.running.values() for pid in program.members]
    assert len(members) >= len(variants) + 2 * len(NGINX)  # two Kestrels more, two workers at least
    race_all(made)


def test_a_proxy_is_ready_only_when_its_backend_is(behind_nginx):
    assert parity.ask(behind_nginx, FOUND.kind.path).status == 200


def connections_to(port: int) -> set[int]:
    """The local ports of the established connections to a port of this machine."""
    return {
        c.laddr.port
        for c in psutil.net_connections("tcp")
        if c.raddr and c.raddr.port == port and c.status == psutil.CONN_ESTABLISHED
    }


@pytest.mark.parametrize("variant", NGINX, ids=lambda v: v.name)
def test_only_one_nginx_keeps_its_connections_to_kestrel(variant, ready, keeper):
    program = programs.start(variant, keeper)
    programs.await_ready(program, FOUND.kind.path)
    parity.ask(program, FOUND.kind.path)
    time.sleep(0.2)
    kept = connections_to(program.backend_port)
    assert bool(kept) == (variant.name == "nginx-keepalive")
    parity.ask(program, FOUND.kind.path)
    assert kept <= connections_to(program.backend_port)


def test_nginx_logs_no_request_and_writes_into_its_own_folder_only(behind_nginx, keeper):
    program = behind_nginx
    before = program.output.seek(0, os.SEEK_END)
    for _ in range(50):
        assert parity.ask(program, FOUND.kind.path).status == 200
    assert program.output.seek(0, os.SEEK_END) == before
    found = {path.name for path in program.folder.iterdir()}
    of_dotnet = {name for name in found if name.startswith(("clr-debug-", "dotnet-diagnostic-"))}
    assert found - of_dotnet == {"nginx.conf", "nginx.pid", "tmp"}
    assert list((program.folder / "tmp").iterdir()) == []
    for pid in program.members:
        if psutil.Process(pid).name() == "nginx":
            opened = {Path(file.path) for file in psutil.Process(pid).open_files()}
            outside = {path for path in opened if not path.is_relative_to(program.folder)}
            assert all("deleted" in str(path) for path in outside), "but for what it prints"
    program.end(keeper)
    assert not program.folder.exists()
    assert not any(psutil.pid_exists(pid) for pid in program.members)


@pytest.mark.skipif(os.geteuid() != 0, reason="is not root anyway")
@pytest.mark.parametrize("variant", NGINX, ids=lambda v: v.name)
def test_nginx_runs_without_root_too(variant, ready, keeper, tmp_path):
    folder = Path("/tmp") / f"benchbook-{tmp_path.parent.name}-{variant.name}"
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)
    ports = {"PORT": programs.free_port(), "BACKEND_PORT": programs.free_port()}
    command = runners.Nginx().command(variant, ports, folder)
    user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    try:
        with open(tmp_path / "printed", "wb") as printed:
            process = keeper.start(
                [*user, *command], cwd=folder, stdout=printed, stderr=subprocess.STDOUT
            )
        deadline = time.monotonic() + 120
        while not programs.answers(ports["PORT"], "/") and time.monotonic() < deadline:
            time.sleep(0.02)
        assert programs.answers(ports["PORT"], "/"), (tmp_path / "printed").read_text()
        keeper.end(process)
        assert process.returncode == 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_nginx_that_is_missing_makes_its_variants_unavailable(monkeypatch):
    monkeypatch.setattr(versions, "find_command", lambda name: None)
    assert {v.name for v in FOUND.variants if "nginx" in readiness.lacking(v)} == {
        "nginx-keepalive",
        "nginx-close",
    }


def test_the_articles_table_is_in_the_claim():
    figures = {(f.label, f.unit): f.value for f in FOUND.claim.figures}
    assert figures["Windows 7 (IIS 7.5)", "requests/s"] == 3025.73
    assert figures["Windows 7 (self-host)", "requests/s"] == 4624.44
    assert figures["Windows 8 (IIS 8)", "requests/s"] == 4778.23
    assert figures["Windows 8 (self-host)", "requests/s"] == 5612.23
    for label in {label for label, _ in figures}:  # ab's own rule: 100 connections at once
        both = figures[label, "requests/s"] * figures[label, "ms"] / 1000
        assert both == pytest.approx(100, rel=1e-3)
    method = FOUND.claim.method
    assert (method.tool, method.requests, method.connections) == ("ab", 100_000, 100)
    assert (method.runs, method.take, method.keep_alive) == (3, "best", False)
