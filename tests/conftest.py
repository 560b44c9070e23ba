"""What the tests share: small experiments made for the purpose, and synthetic runs."""

import os
from pathlib import Path

import numpy as np
import pytest

from benchbook.model import experiments, picker, results
from benchbook.model.kinds.http import Http
from benchbook.model.plan import Plan
from benchbook.model.runs import CONTROL, Entry, RacedExperiment, Run
from benchbook.model.samples import UsedTool
from benchbook.race import turn
from benchbook.system import paths
from benchbook.system.pinning import Pinning
from benchbook_kernels.base import kept_builds
from benchbook_kernels.base.processes import Keeper
from made import SERVER, sample, with_a_share, write_experiment

pytest_plugins = ["leftovers", "lengths", "prebuilt"]
for name in (paths.PATH, paths.ONLY):  # tests are about Benchbook's own experiments
    os.environ.pop(name, None)


@pytest.fixture(scope="session", autouse=True)
def own_turn(tmp_path_factory):
    """Tests that run side by side don't wait for each other's races, nor for a reader's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(turn.VARIABLE, str(tmp_path_factory.mktemp("turn") / "race.lock"))
        yield


@pytest.fixture(scope="session", autouse=True)
def no_kept_builds():
    """What tests build is not for the reader's clones, nor do they get anything from those."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(kept_builds.VARIABLE, "")
        yield


@pytest.fixture(scope="session")
def recorded_runs():
    """The recorded races of data/runs by experiment: 25 MB, which one worker reads (lengths.py)."""
    return picker.reference_runs()


@pytest.fixture
def keeper():
    with Keeper() as kept:
        yield kept


@pytest.fixture
def make_experiment(tmp_path):
    """make_experiment({"a": code, "b": code}, extra={"b": "headers = …"}) -> its folder."""

    def make(codes: dict[str, str], extra: dict[str, str] = {}, name: str = "77-made") -> Path:
        return write_experiment(tmp_path / name, codes, extra)

    return make


@pytest.fixture
def two_servers(make_experiment):
    """The folder of an experiment with two equal variants, a and b."""
    return make_experiment({"a": SERVER, "b": SERVER})


@pytest.fixture
def experiment(two_servers):
    return experiments.load(two_servers)


@pytest.fixture
def make_run():
    """make_run({"a": 1000, "b": 1100}, noise=0.01) -> a whole run of entries a, a#2 and b.

    together: all loaded at once, so that they differ in the CPU time of a request, not in requests.
    """

    def make(
        speeds: dict[str, float], noise=0.01, launches=5, blocks=4, seed=1, together=False
    ) -> Run:
        draw = np.random.default_rng(seed)
        first = next(iter(speeds))
        speeds = {first: speeds[first], f"{first}#2": speeds[first], **speeds}
        roles = {first: "baseline", f"{first}#2": CONTROL}
        entries = [Entry(n, n, roles.get(n, "variant"), f"{n}.mjs", "0" * 64) for n in speeds]
        run = Run(
            experiment=RacedExperiment("77-made", "made", "claim", "/"),
            kind=Http,
            plan=Plan(
                mode="quick",
                entries=tuple(speeds),
                launches=launches,
                blocks=blocks,
                sample_seconds=1.0,
                warmup_seconds=0.1,
                connections=8,
                tool="wrk",
                seed=seed,
                order=((tuple(speeds),) * blocks,) * launches,
                together=together,
            ),
            tool=UsedTool("wrk", "4"),
            pinning=Pinning((0,), (1,)),
            machine={},
            entries=entries,
            benchbook="0",
            started="2026-01-01T00:00:00+00:00",
            status="complete",
            reason="",
        )
        for launch in range(launches):
            for block in range(blocks):
                drift = 1 + 0.2 * draw.random()
                for name, speed in speeds.items():
                    noisy = speed * drift * float(np.exp(noise * draw.standard_normal()))
                    one = sample(name, launch, block, noisy)
                    run.samples.append(with_a_share(one, len(speeds)) if together else one)
        return run

    return make


@pytest.fixture
def recorded(make_run, tmp_path):
    """A run as it comes back from disk."""
    run = make_run({"a": 1000.0, "b": 1100.0})
    run.path = tmp_path / "run.json"
    run.save()
    return results.load(run.path)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout of its own for what a test writes: .benchbook and snippets under tmp_path."""
    monkeypatch.setenv("BENCHBOOK_ROOT", str(tmp_path))
    return tmp_path
