"""Does Benchbook keep its promises? Simulated races, races with known effects, its own speed."""

import functools
import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from benchbook.analysis import simulation
from benchbook.load import loading, registry
from benchbook.model import experiments, results, samples
from benchbook.model.experiments import Experiment
from benchbook.programs import programs
from benchbook.race import prepare, turn
from benchbook.race.checks import modes
from benchbook.race.checks.known_effects import EXPERIMENT, ORDERS, RaceOutcome, raced
from benchbook.race.checks.modes import ModeRace
from benchbook.race.options import Options
from benchbook.system import kernels
from benchbook_kernels.base.processes import Keeper

SHAPES = ((3, 4), (4, 6), (10, 10))  # launches × blocks
UNTIL, PILOT = 0.1, (5, 6)
LOOKED_AT = (6, 7)  # at most
PLANT = 1.1  # the true ratio of the variant that differs
SIMULATION, PLANTED, SPEED, MODES = "simulation", "planted", "speed", "modes"
SELFCHECK = "what Benchbook promises"

Say = Callable[[str], None]


@dataclass(frozen=True)
class SimulatedRow:
    """One noise model: shares of simulated races, by launches × blocks, with --until, and of those
    that end when all is decided.

    coverage: of the 95 % interval around true 10 %; false: of races of equal programs in which any
    verdict is "a difference"; power: true 10 % found.
    """

    model: str
    races: int
    coverage: dict[str, float]
    false: dict[str, float]
    power: dict[str, float]


def simulate(races: int, say: Say, seed: int = 1) -> list[SimulatedRow]:
    """The simulation study: every noise model, `races` races a cell, seeded."""
    rows = []
    for name, noise in simulation.MODELS.items():
        say(f"simulating {races:,} races a cell: {name}")
        coverage, false, power = {}, {}, {}
        for shape, given in shapes().items():
            study = functools.partial(simulation.study, noise, races=races, **given)
            differs, equal = study(PLANT, seed=seed), study(1.0, seed=seed + 1)
            coverage[shape], power[shape] = differs.covered, differs.found
            false[shape] = equal.false
        rows.append(SimulatedRow(name, races, coverage, false, power))
    return rows


def shapes() -> dict[str, dict[str, Any]]:
    """The sizes of simulated races, as simulation.study takes them: launches, blocks, the width
    that intervals shall have, and whether the race ends when all is decided."""
    fixed = {f"{size[0]} × {size[1]}": sized(size) for size in SHAPES}
    return {
        **fixed,
        "--until": {**sized(PILOT), "until": UNTIL},
        "until decided": {**sized(LOOKED_AT), "looked_at": True},
    }


def sized(size: tuple[int, int]) -> dict[str, Any]:
    return {"launches": size[0], "blocks": size[1]}


def kept(rows: list[SimulatedRow]) -> list[str]:
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
        for shape, share in row.false.items():
            if share > 0.06 + slack:
                broken.append(
                    f"{row.model}, {shape}: {share:.1%} of equal races claim a difference"
                )
        longest = "{} × {}".format(*SHAPES[-1])
        if row.power[longest] < 0.95 - slack:
            share = row.power[longest]
            broken.append(f"{row.model}: 10 % is found in {share:.0%} of {longest} races only")
    return broken


@dataclass(frozen=True)
class Speed:
    """Benchbook's own speed on this machine. Times in seconds, medians where there are several.

    overhead: share of a race that is neither samples nor warm-up; agreement: requests/s that a race
    records, as a ratio to wrk run bare beside it.
    """

    kernel_start: float
    first_cell: float
    later_cell: float
    overhead: float
    agreement: float


def kernel_speed() -> dict[str, float]:
    """Start the benchbook-node kernel and run cells in it. Raises RuntimeError if it fails."""
    begun = time.monotonic()
    with kernels.started("benchbook-node", 60) as (_, client):
        started = time.monotonic() - begun
        times = []
        for _ in range(21):
            begun = time.monotonic()
            reply = client.execute_interactive("1 + 1", timeout=60, output_hook=lambda _: None)
            if reply["content"]["status"] != "ok":
                raise RuntimeError(f"the kernel failed at 1 + 1: {reply['content']}")
            times.append(time.monotonic() - begun)
    return {
        "kernel_start": started,
        "first_cell": times[0],
        "later_cell": statistics.median(times[1:]),
    }


def race_speed(experiment: Experiment) -> dict[str, float]:
    """A quick race of the baseline and its copy, then wrk by hand beside the same program."""
    path = results.folder("selfcheck") / f"{results.stamp()}.json"
    options = Options(variants=(experiment.baseline,), path=path)
    prepared = prepare.prepare(experiment, options)
    for _ in prepared.events():
        pass
    run = prepared.run
    recorded: dict[tuple[int, int], float] = {}
    for sample in run.samples:
        if run.plan.together or sample.variant == run.baseline:
            place = sample.launch, sample.block
            recorded[place] = recorded.get(place, 0.0) + sample.requests_per_second
    timing = run.timing
    measured = timing["sample_seconds"] + timing["warmup_seconds"]
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
        "overhead": 1 - measured / timing["total_seconds"],
        "agreement": statistics.median(recorded.values()) / by_hand,
    }


@dataclass
class SelfcheckReport:
    """All that a selfcheck found."""

    simulation: list[SimulatedRow] = field(default_factory=list)
    planted: list[RaceOutcome] = field(default_factory=list)
    modes: list[ModeRace] = field(default_factory=list)
    speed: Speed | None = None
    broken: list[str] = field(default_factory=list)

    def to_json(self) -> str:
        return json.dumps(samples.plain(asdict(self)), indent=1, ensure_ascii=False) + "\n"


def check(report: SelfcheckReport, races: int, simulated: int, say: Say) -> Iterator[str]:
    """Run the parts one by one and fill in the report; yields a part's name when it is done, and
    '' where a part got further.

    races: real races with known effects in each order (0: none); simulated: races a cell.
    """
    report.simulation = simulate(simulated, say)
    report.broken = kept(report.simulation)
    yield SIMULATION
    experiment = experiments.find(EXPERIMENT)
    with turn.taken(SELFCHECK, turn.calmly(say)):
        for i in range(races):
            for order in ORDERS:  # in turn, so that all meet the same machine
                say(f"racing known effects, {order}: {i + 1} of {races}")
                report.planted.append(raced(experiment, order))
            yield ""
        if races:
            yield PLANTED
        say("measuring Benchbook itself")
        report.speed = Speed(**kernel_speed(), **race_speed(experiment))
    yield SPEED


def compare_modes(report: SelfcheckReport, pairs: int, say: Say) -> Iterator[str]:
    """Race in both modes and fill in the report; yields as check() does."""
    with turn.taken(SELFCHECK, turn.calmly(say)):
        for race_ in modes.compare(pairs):
            report.modes.append(race_)
            say(f"{race_.check}, {race_.mode}: {race_.seconds:.0f} s")
            yield ""
    yield MODES
