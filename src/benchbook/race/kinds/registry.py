"""Which kind of experiment is measured how, and which kind of article's method is replayed how."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchbook.model import kinds
from benchbook.model.experiments import Experiment
from benchbook.model.kinds import Kind
from benchbook.model.published import Published, PublishedClient, PublishedHttp, PublishedLoop
from benchbook.programs.readiness import Say
from benchbook.race.kinds.client.measuring import ClientMeasuring
from benchbook.race.kinds.client.published import PageReplay, ProgramsReplay, prepare_client
from benchbook.race.kinds.functions.dotnet import DotnetMeasuring
from benchbook.race.kinds.functions.node import NodeMeasuring
from benchbook.race.kinds.functions.published import LoopReplay, prepare_loop
from benchbook.race.kinds.http.measuring import HttpMeasuring
from benchbook.race.kinds.http.published import HttpReplay, prepare_http
from benchbook.race.kinds.measuring import Measuring
from benchbook.race.kinds.page.measuring import PageMeasuring
from benchbook.race.replay.replay import Replay

MEASURING: dict[type[Kind], Measuring] = {
    kinds.Http: HttpMeasuring(),
    kinds.DotnetBenchmarks: DotnetMeasuring(),
    kinds.NodeFunctions: NodeMeasuring(),
    kinds.Page: PageMeasuring(),
    kinds.Client: ClientMeasuring(),
}

PREPARED: dict[type[Published], Callable[[dict[str, Any], Path, Say], Replay]] = {
    PublishedHttp: prepare_http,
    PublishedLoop: prepare_loop,
    PublishedClient: prepare_client,
}
EVERY: tuple[type[Replay], ...] = (HttpReplay, LoopReplay, ProgramsReplay, PageReplay)
REPLAYS = {each.kind: each for each in EVERY}  # by the kind that a run file names


def of(experiment: Experiment) -> Measuring:
    """How the variants of an experiment are measured."""
    return MEASURING[type(experiment.kind)]
