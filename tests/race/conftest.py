"""Experiments whose claim file says how its article measured, and programs that run."""

import pytest

from benchbook.load import registry
from benchbook.model import experiments
from benchbook.race.kinds.http import executor
from benchbook.system.pinning import Pinning
from made import CLAIM, SERVER
from replays import LOOP_CLAIM, LOOP_FIGURES

FREE = Pinning(None, None, "for a test")


@pytest.fixture
def published(make_experiment, checkout):
    """published(WRK) -> the experiment of two equal servers, with this method in its claim."""

    def make(table: str, codes: dict[str, str] | None = None, extra: dict[str, str] = {}, **more):
        more = {"name": "snippets/77-made", **more}
        folder = make_experiment(codes or {"a": SERVER, "b": SERVER}, extra, **more)
        (folder / "claim.toml").write_text(CLAIM + table)
        return experiments.load(folder)

    return make


@pytest.fixture
def loop(make_experiment, checkout):
    """loop("console.log(…)") -> the experiment whose claim is LOOP_CLAIM, with this script."""

    def make(code: str):
        folder = make_experiment({"a": SERVER, "b": SERVER}, name="snippets/77-made")
        (folder / "claim.toml").write_text(LOOP_CLAIM + LOOP_FIGURES)
        (folder / "loop.mjs").write_text(code)
        return experiments.load(folder)

    return make


@pytest.fixture
def started(make_experiment, keeper):
    """started({"a": code, "b": code}) -> (executor, errors of the launch)."""

    def start(codes, extra={}, **more):
        found = experiments.load(make_experiment({"a": SERVER, "b": SERVER, **codes}, extra))
        variants = {v.name: v for v in found.variants}
        fields = {"tool": registry.choose(), "pinning": FREE, "connections": 8, "keeper": keeper}
        made = executor.HttpExecutor(found, variants, **{**fields, **more})
        return made, made.launch(list(variants))

    return start
