"""Does Benchbook keep its promises? Simulated races, races with planted truths, its own speed."""

import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field

from benchbook.analysis import simulation
from benchbook.load import loading, registry
from benchbook.model import experiments, results, runs
from benchbook.model.experiments import Experiment
from benchbook.programs import programs
from benchbook.race import prepare, race
from benchbook.race.options import Options
from benchbook.race.planted import EXPERIMENT, RaceOutcome, planted
from benchbook.system.processes import Keeper

SHAPES = ((3, 4), (5, 4), (10, 10))  # launches × blocks
UNTIL, PILOT = 0.03, (5, 3)
SIMULATION, PLANTED, SPEED = "simulation", "planted", "speed"

Say = Callable[[str], None]


@dataclass(frozen=True)
class Row:
    """One noise model: shares of simulated races.

    coverage: of the 95 % interval, by launches × blocks; false_faster: of A/A races with a verdict
    "a difference", by shape and with --until; power: true 3 % found with 10 × 10.
    """

    model: str
    races: int
    coverage: dict[str, float]
    false_faster: dict[str, float]
    power: float


def simulate(races: int, say: Say, seed: int = 1) -> list[Row]:
    """The simulation study: every noise model, `races` races a cell, seeded."""
    rows = []
    for name, noise in simulation.MODELS.items():
        say(f"simulating {races:,} races a cell: {name}")
        found, false = {}, {}
        for launches, blocks in SHAPES:
            shape = f"{launches} × {blocks}"
            with_effect = simulation.study(noise, 1.03, launches, blocks, races, seed)
            equal = simulation.study(noise, 1.0, launches, blocks, races, seed + 1)
            found[shape], false[shape] = with_effect.covered, equal.faster
        until = simulation.study(noise, 1.0, *PILOT, races, seed + 2, until=UNTIL)
        found["--until"], false["--until"] = until.covered, until.faster
        rows.append(Row(name, races, found, false, with_effect.faster))
    return rows


def kept(rows: list[Row]) -> list[str]:
    """The promises that the simulation breaks; empty where it keeps them all."""
    broken = []
    for row in rows:
        # two standard errors of a share of 95 % in so many races
        slack = 2 * (0.95 * 0.05 / row.races) ** 0.5
        for shape, share in row.coverage.items():
            # the sample size of --until follows the data: only too narrow would be a lie
            highest = 1.0 if shape == "--until" else 0.98 + slack
            if not 0.93 - slack <= share <= highest:
                broken.append(f"{row.model}, {shape}: coverage {share:.1%} is not 93 to 98 %")
        for shape, share in row.false_faster.items():
            if share > 0.05 + slack:
                broken.append(f"{row.model}, {shape}: {share:.1%} of A/A races claim a difference")
        if row.model == "normal" and row.power < 0.9:
            broken.append(f"normal: a true 3 % is found in {row.power:.0%} of 10 × 10 races only")
    return broken


@dataclass(frozen=True)
class Speed:
    """Benchbook's own speed on this machine. Times in seconds, medians where there are several.

    overhead: share of a race that is not samples; agreement: requests/s that a race records for a
    variant, as a ratio to wrk run bare beside it.
    """

    kernel_start: float
    first_cell: float
    later_cell: float
    overhead: float
    agreement: float


def kernel_speed() -> dict[str, float]:
    """Start the benchbook-node kernel and run cells in it. Raises RuntimeError if it fails."""
    from jupyter_client.blocking.client import BlockingKernelClient
    from jupyter_client.manager import start_new_kernel

    begun = time.monotonic()
    manager, client = start_new_kernel(kernel_name="benchbook-node", startup_timeout=60)
    assert isinstance(client, BlockingKernelClient)
    try:
        started = time.monotonic() - begun
        times = []
        for _ in range(21):
            begun = time.monotonic()
            reply = client.execute_interactive("1 + 1", timeout=60, output_hook=lambda _: None)
            if reply["content"]["status"] != "ok":
                raise RuntimeError(f"the kernel failed at 1 + 1: {reply['content']}")
            times.append(time.monotonic() - begun)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return {
        "kernel_start": started,
        "first_cell": times[0],
        "later_cell": statistics.median(times[1:]),
    }


def race_speed(experiment: Experiment) -> dict[str, float]:
    """A quick race of the baseline and its copy, then wrk by hand beside the same program."""
    path = results.folder("selfcheck") / f"{race.stamp()}.json"
    options = Options(variants=(experiment.baseline,), path=path)
    prepared = prepare.prepare(experiment, options)
    for _ in prepared.events():
        pass
    run = prepared.run
    recorded = [s.requests_per_second for s in run.samples if s.variant == run.baseline]
    timing = run.timing
    tool, page = registry.choose(run.plan.tool), experiment.kind.requested
    server, client = run.pinning.server, run.pinning.client
    with Keeper() as keeper:
        program = programs.start(experiment.variant(run.baseline), keeper, server)
        programs.await_ready(program, page)
        url = f"http://{programs.HOST}:{program.port}{page}"
        connections = run.plan.connections
        bare = [loading.run(tool, url, 1.0, connections, keeper, client) for _ in range(4)][1:]
    by_hand = statistics.median(result.requests_per_second for result in bare)
    return {
        "overhead": 1 - timing["sample_seconds"] / timing["total_seconds"],
        "agreement": statistics.median(recorded) / by_hand,
    }


@dataclass
class Report:
    """All that a selfcheck found."""

    simulation: list[Row] = field(default_factory=list)
    planted: list[RaceOutcome] = field(default_factory=list)
    speed: Speed | None = None
    broken: list[str] = field(default_factory=list)

    def to_json(self) -> str:
        return json.dumps(runs.plain(asdict(self)), indent=1, ensure_ascii=False) + "\n"


def check(report: Report, races: int, simulated: int, say: Say) -> Iterator[str]:
    """Run the parts one by one and fill in the report; yields a part's name when it is done, and
    '' where a part got further.

    races: real races with planted truths in each order (0: none); simulated: races a cell.
    """
    report.simulation = simulate(simulated, say)
    report.broken = kept(report.simulation)
    yield SIMULATION
    experiment = experiments.find(EXPERIMENT)
    for i in range(races):
        for interleaved in (True, False):  # in turn, so that both meet the same machine
            order = "interleaved" if interleaved else "one after the other"
            say(f"racing planted truths, {order}: {i + 1} of {races}")
            report.planted.append(planted(experiment, interleaved))
        yield ""
    if races:
        yield PLANTED
    say("measuring Benchbook itself")
    report.speed = Speed(**kernel_speed(), **race_speed(experiment))
    yield SPEED
