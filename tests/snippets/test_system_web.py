"""Mono's System.Web in the small host that 01, 02 and 03 share: what it leaves behind, and how."""

import pytest

from benchbook.model import experiments
from benchbook.programs import mono, parity, programs, readiness
from benchbook.system import paths
from benchbook.system.processes import Keeper

HOSTS = sorted(paths.snippets().glob("*/system-web-host.cs"))
FOUND = experiments.find("01")


def test_all_experiments_have_the_same_host():
    assert [path.parent.name[:2] for path in HOSTS] == ["01", "02", "03"]
    assert len({path.read_text(encoding="utf-8") for path in HOSTS}) == 1


@pytest.mark.skipif(bool(mono.lacks("System.Web")), reason=mono.lacks("System.Web"))
@pytest.mark.slow("compiles and starts a program")
def test_a_site_writes_into_its_own_folder_and_ends_with_it():
    variant = FOUND.variant("system-web-sync")
    assert readiness.make_ready([variant], lambda text: None) == {variant.name: ""}
    with Keeper() as keeper:
        program = programs.start(variant, keeper)
        programs.await_ready(program, FOUND.kind.path)
        assert parity.ask(program, FOUND.kind.path).body == b'{"hello":"world"}'
        assert [path.name for path in program.folder.iterdir()], "System.Web's temporary files"
        program.end(keeper)
        assert not program.folder.exists() and not program.alive
