"""Experiment 01: every way to write gives the same answer."""

from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

import pytest

from benchbook.load import registry
from benchbook.model import experiments
from benchbook.programs import readiness
from benchbook.race.kinds.http import executor
from benchbook.system.pinning import Pinning
from benchbook_kernels.base.processes import Keeper
from made import on_mono

pytestmark = pytest.mark.slow("builds and starts every variant")

EXPERIMENT = experiments.find("01")


@pytest.fixture(scope="module")
def launched():
    """(the executor with all variants running, the errors of their launch)."""
    reasons = readiness.make_ready(EXPERIMENT.variants, lambda text: None)
    lacking = {name for name, reason in reasons.items() if reason}
    assert lacking <= on_mono(EXPERIMENT), reasons
    with Keeper() as keeper:
        variants = {v.name: v for v in EXPERIMENT.variants if v.name not in lacking}
        free = Pinning(None, None, "for a test")
        made = executor.HttpExecutor(
            EXPERIMENT, variants, registry.choose(), free, 2, keeper=keeper
        )
        yield made, made.launch(list(variants))
        made.close()


def test_all_variants_run_and_answer_alike(launched):
    made, errors = launched
    assert errors == {}
    assert len(made.running) >= len(EXPERIMENT.variants) - len(on_mono(EXPERIMENT))
    assert list(made.running) == list(made.variants)


def test_the_answer_is_as_large_as_the_variant_says(launched):
    made, _ = launched
    sizes = {name: len(answer.body) for name, answer in made.answers.items()}
    wanted = {v.name: int(v.env["SIZE"]) for v in EXPERIMENT.variants if "SIZE" in v.env}
    assert sizes == {name: 65536 if "64k" in name else 17 for name in sizes} | wanted
    assert made.answers["kestrel-sync"].body == b'{"hello":"world"}'


def test_asynchronous_handlers_leave_threads_for_their_writes(launched):
    made, _ = launched
    if not on_mono(EXPERIMENT) <= set(made.running):
        pytest.skip("Mono is not installed")
    # each holds a thread in Mono, and its WriteAsync needs another one: with the pool's it stalls
    addresses = {
        name: f"http://127.0.0.1:{made.running[name].port}/" for name in on_mono(EXPERIMENT)
    }
    for name, address in addresses.items():
        with ThreadPoolExecutor(50) as clients:
            answers = clients.map(lambda _, to=address: urlopen(to, timeout=60).read(), range(500))
            assert set(answers) == {b'{"hello":"world"}'}, name


def test_write_and_write_async_differ_by_that_line_alone():
    for server in ("http-listener-{}.cs", "http-listener-{}-64k.cs"):
        sync, also = (
            (EXPERIMENT.folder / server.format(how)).read_text().splitlines()
            for how in ("sync", "async")
        )
        differing = [(a, b) for a, b in zip(sync, also, strict=True) if a != b]
        assert len(differing) == 2, "the method's head, and the write"
        assert ".Write(" in differing[1][0] and ".WriteAsync(" in differing[1][1]
