"""An experiment whose claim file says how its article measured."""

import pytest

from benchbook.model import experiments
from made import CLAIM, SERVER
from replays import LOOP_CLAIM, LOOP_FIGURES


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
