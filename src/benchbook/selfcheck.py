"""Does Benchbook keep its promises? Simulated races, races with planted truths, its own speed."""

import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchbook import (
    cards,
    experiments,
    judge,
    load,
    paths,
    prepare,
    programs,
    race,
    results,
    simulation,
)
from benchbook.cards import Output
from benchbook.errors import InputError
from benchbook.experiments import Experiment
from benchbook.judge import NO_DIFFERENCE, OPPOSITE, REPRODUCED, TOO_CLOSE
from benchbook.processes import Keeper
from benchbook.prepare import Options

SHAPES = ((3, 4), (5, 4), (10, 10))  # launches × blocks
EXPERIMENT, TWIN, SLOWER = "00", "twin", "plus-ten"
UNTIL, PILOT = 0.03, (5, 3)

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


def simulation_table(rows: list[Row]) -> Output:
    """The study's table, as `./bench selfcheck` prints it."""
    shapes = list(rows[0].coverage)
    columns = ["noise", *(f"covered {s}" for s in shapes), "worst false", "3 % found, 10 × 10"]
    lines = [
        [
            row.model,
            *(f"{row.coverage[shape]:.1%}" for shape in shapes),
            f"{max(row.false_faster.values()):.1%}",
            f"{row.power:.0%}",
        ]
        for row in rows
    ]
    return cards.table(columns, lines, right=range(1, len(columns)))


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
class Told:
    """What one real race said: the ratio of each variant with its interval, and the verdict on
    "a difference to the baseline"."""

    interleaved: bool
    floor: float
    ratios: dict[str, tuple[float, float, float]]
    verdicts: dict[str, str]


def planted(experiment: Experiment, interleaved: bool) -> Told:
    """Race two equal programs and one with 10 % more work, once, in quick mode."""
    path = results.folder("selfcheck") / f"{race.stamp()}.json"
    prepared = prepare.prepare(experiment, Options(interleaved=interleaved, path=path))
    for _ in prepared.events():
        pass
    found = judge.judge(prepared.run, experiment.claim)
    verdicts = {}
    for name in (TWIN, SLOWER):
        interval = found.ratios[name]
        test = judge.Test(name, experiment.baseline, interval, interval.p)
        verdicts[name] = judge.direction(test, found.floor.reach)[0]
    ratios = {n: (r.ratio, r.low, r.high) for n in verdicts for r in [found.ratios[n]]}
    return Told(interleaved, found.floor.reach, ratios, verdicts)


def planted_table(told: list[Told]) -> Output:
    """How often the truth was told, interleaved and one after the other."""
    rows = []
    for interleaved in (True, False):
        some = [t for t in told if t.interleaved == interleaved]
        if not some:
            continue
        twins = [t.ratios[TWIN][0] for t in some]
        wrong = sum(t.verdicts[TWIN] in (REPRODUCED, OPPOSITE) for t in some)
        found = sum(t.verdicts[SLOWER] == OPPOSITE for t in some)
        rows.append(
            [
                "interleaved" if interleaved else "one after the other",
                f"{len(some)}",
                f"{wrong}",
                f"{sum(t.verdicts[TWIN] == NO_DIFFERENCE for t in some)}",
                f"{sum(t.verdicts[TWIN] == TOO_CLOSE for t in some)}",
                f"{statistics.stdev(twins):.1%}" if len(twins) > 1 else "—",
                f"{found} of {len(some)}",
                f"{statistics.median(t.floor for t in some):.1%}",
            ]
        )
    columns = [
        "blocks",
        "races",
        "twins told apart",
        "no difference",
        "too close",
        "sd of the twins' ratio",
        "10 % found",
        "median floor",
    ]
    return cards.table(columns, rows, right=range(1, len(columns)))


@dataclass(frozen=True)
class Speed:
    """Benchbook's own speed on this machine. Times in seconds, medians where there are several.

    overhead: share of a race that is not samples; agreement: requests/s that a race records for a
    variant, as a ratio to wrk run bare beside it.
    """

    kernel_start: float | None = None
    first_cell: float | None = None
    later_cell: float | None = None
    overhead: float | None = None
    agreement: float | None = None


def kernel_speed() -> dict[str, float]:
    """Start the benchbook-node kernel and run cells in it. Raises RuntimeError if it fails."""
    from jupyter_client.manager import start_new_kernel

    begun = time.monotonic()
    manager, client = start_new_kernel(kernel_name="benchbook-node", startup_timeout=60)
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
    tool, path = load.choose(run.plan["tool"]), experiment.http.path
    server, client = run.pinning["server"], run.pinning["client"]
    with Keeper() as keeper:
        program = programs.start(experiment.variant(run.baseline), keeper, server)
        programs.await_ready(program, path)
        url = f"http://{programs.HOST}:{program.port}{path}"
        connections = run.plan["connections"]
        bare = [load.run(tool, url, 1.0, connections, keeper, client) for _ in range(4)][1:]
    by_hand = statistics.median(result.requests_per_second for result in bare)
    return {
        "overhead": 1 - timing["sample_seconds"] / timing["total_seconds"],
        "agreement": statistics.median(recorded) / by_hand,
    }


def speed_table(speed: Speed) -> Output:
    """Benchbook's own speed."""
    rows = [
        ["kernel ready", f"{speed.kernel_start:.2f} s"],
        ["first cell after that", f"{speed.first_cell * 1000:.0f} ms"],
        ["later cells (1 + 1)", f"{speed.later_cell * 1000:.1f} ms"],
        ["time of a quick race outside of its samples", f"{speed.overhead:.1%}"],
        ["requests/s of a race, to the load generator by hand", f"{speed.agreement:.3f}"],
    ]
    return cards.table(["Benchbook's own speed", "here"], rows, right=[1])


@dataclass
class Report:
    """All that a selfcheck found."""

    simulation: list[Row] = field(default_factory=list)
    planted: list[Told] = field(default_factory=list)
    speed: Speed | None = None
    broken: list[str] = field(default_factory=list)

    def to_json(self) -> str:
        return json.dumps(results.plain(asdict(self)), indent=1, ensure_ascii=False) + "\n"


def load_planted(path: Path) -> list[Told]:
    """The races with planted truths of a report on disk, as recorded in data/runs.

    Raises InputError where the file is missing or holds something else.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return [Told(**told) for told in document["planted"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        remedy = f"make it: ./bench selfcheck --full --json {paths.relative(path)}"
        problem = f"is not a selfcheck's report ({error})"
        raise InputError(paths.relative(path), "planted", problem, remedy) from None


def check(races: int, simulated: int, say: Say) -> Iterator[tuple[Report, Output | None]]:
    """Run the parts one by one; yields the report so far, with a part's table when it is done.

    races: real races with planted truths in each order (0: none); simulated: races a cell.
    """
    report = Report()
    report.simulation = simulate(simulated, say)
    report.broken = kept(report.simulation)
    yield report, simulation_table(report.simulation)
    experiment = experiments.find(EXPERIMENT)
    for i in range(races):
        for interleaved in (True, False):  # in turn, so that both meet the same machine
            order = "interleaved" if interleaved else "one after the other"
            say(f"racing planted truths, {order}: {i + 1} of {races}")
            report.planted.append(planted(experiment, interleaved))
        yield report, None
    if races:
        yield report, planted_table(report.planted)
    say("measuring Benchbook itself")
    report.speed = Speed(**kernel_speed(), **race_speed(experiment))
    yield report, speed_table(report.speed)
