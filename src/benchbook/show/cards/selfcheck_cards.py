"""The tables of `./bench selfcheck`: simulated races, known effects, Benchbook's own speed."""

import math
import statistics

from benchbook.analysis.judging.verdicts import NO_DIFFERENCE, OPPOSITE, REPRODUCED, TOO_CLOSE
from benchbook.analysis.simulation import IN_TURNS, TOGETHER
from benchbook.race.checks import modes
from benchbook.race.checks.known_effects import ORDERS, SLOWER, TWIN, RaceOutcome
from benchbook.race.checks.modes import CHECKS, MODES, PLANTS, UNITS, ModeRace
from benchbook.race.checks.selfcheck import MODES as COMPARED
from benchbook.race.checks.selfcheck import (
    PLANTED,
    SIMULATION,
    SPEED,
    SelfcheckReport,
    SimulatedRow,
    Speed,
)
from benchbook.show import markup
from benchbook.show.markup import Output


def table(report: SelfcheckReport, part: str) -> Output | None:
    """The table of a part of the report; None where there is none of that name."""
    if part == SIMULATION:
        return simulation_table(report.simulation)
    if part == PLANTED:
        return known_effects_table(report.planted)
    if part == COMPARED:
        return markup.total([modes_table(report.modes), bias_table(report.modes)])
    return speed_table(report.speed) if part == SPEED and report.speed else None


def simulation_table(rows: list[SimulatedRow]) -> Output:
    """The study's table, as `./bench selfcheck` prints it."""
    shapes = list(rows[0].coverage)
    columns = ["noise", *(f"covered, {shape}" for shape in shapes), "false claims, at worst"]
    columns += [f"10 % found, {shape}" for shape in shapes]
    lines = [
        [
            row.model,
            *(f"{row.coverage[shape]:.1%}" for shape in shapes),
            f"{max(row.false.values()):.1%}",
            *(f"{row.power[shape]:.0%}" for shape in shapes),
        ]
        for row in rows
    ]
    return markup.table(columns, lines, right=range(1, len(columns)))


def known_effects_table(told: list[RaceOutcome]) -> Output:
    """How often the truth was told: together, in turns, and one after the other."""
    rows = []
    for order in ORDERS:
        some = [t for t in told if t.order == order]
        if not some:
            continue
        twins = [t.ratios[TWIN][0] for t in some]
        wrong = sum(t.verdicts[TWIN] in (REPRODUCED, OPPOSITE) for t in some)
        found = sum(t.verdicts[SLOWER] == OPPOSITE for t in some)
        rows.append(
            [
                order,
                f"{len(some)}",
                f"{wrong}",
                f"{sum(t.verdicts[TWIN] == NO_DIFFERENCE for t in some)}",
                f"{sum(t.verdicts[TWIN] == TOO_CLOSE for t in some)}",
                f"{statistics.stdev(twins):.1%}" if len(twins) > 1 else "—",
                f"{found} of {len(some)}",
                f"±{statistics.median(t.control for t in some):.1%}",
            ]
        )
    columns = [
        "programs raced",
        "races",
        "twins told apart",
        "no difference",
        "too close",
        "sd of the twins' ratio",
        "10 % found",
        "control, median",
    ]
    return markup.table(columns, rows, right=range(1, len(columns)))


def modes_table(told: list[ModeRace]) -> Output:
    """How narrow both modes are, and how often they err, where the effect is known."""
    rows = []
    for mode in MODES:
        races = modes.of(told, PLANTS, mode)
        if not races:
            continue
        wrong = sum(not low <= 1 <= high for _, low, high in (each.copy for each in races))
        widths = [math.log(high / low) / 2 for _, low, high in (each.copy for each in races)]
        plus_five = [each.costs["plus-5"] for each in races]
        rows.append(
            [
                mode,
                f"{len(races)}",
                f"{statistics.median(each.seconds for each in races):.0f} s",
                f"{statistics.median(each.error for each in races):.2%}",
                f"±{statistics.median(widths):.1%}",
                f"{wrong}",
                f"{sum(low > 1 for _, low, _ in plus_five)} of {len(races)}",
                f"{statistics.median(each.stolen for each in races):.1%}",
                f"{statistics.median(each.load for each in races):.1f}",
            ]
        )
    columns = [
        "programs raced",
        "races",
        "each takes",
        "standard error of A/A",
        "its interval",
        "A/A told apart",
        "5 units found",
        "CPU stolen",
        "load",
    ]
    return markup.table(columns, rows, right=range(1, len(columns)))


def bias_table(told: list[ModeRace]) -> Output:
    """What each entry cost, as a ratio to the baseline, in both modes."""
    rows = []
    for check in CHECKS:
        both = {mode: modes.of(told, check, mode) for mode in MODES}
        if not all(both.values()):
            continue
        for name in both[TOGETHER][0].costs:
            if any(name not in each.costs for races in both.values() for each in races):
                continue
            told_by = {mode: modes.mean(races, name) for mode, races in both.items()}
            apart = told_by[TOGETHER][0] - told_by[IN_TURNS][0]
            cpu = [math.log(each.cpu[name]) for each in both[IN_TURNS]]
            rows.append(
                [
                    f"{check}: {name}",
                    *(measured(*told_by[mode]) for mode in MODES),
                    f"{math.expm1(statistics.fmean(cpu)):+.1%}",
                    f"{math.expm1(apart):+.1%}",
                    *(known_effect_of(both[mode], name) for mode in MODES),
                ]
            )
    columns = ["costs more than the baseline", *MODES, "in turns, CPU time", "together − in turns"]
    columns += [f"known, {mode}" for mode in MODES]
    return markup.table(columns, rows, right=range(1, len(columns)))


def measured(log: float, error: float) -> str:
    """+4.7 % ± 0.3 %, from a logarithm and its standard error."""
    spread = "" if math.isnan(error) else f" ± {error:.1%}"
    return f"{math.expm1(log):+.1%}{spread}"


def known_effect_of(races: list[ModeRace], name: str) -> str:
    """What known work must cost by the largest one; '' for what is none."""
    return f"{math.expm1(modes.known_cost(races, name)):+.1%}" if name in UNITS else ""


def speed_table(speed: Speed) -> Output:
    """Benchbook's own speed."""
    rows = [
        ["kernel ready", f"{speed.kernel_start:.2f} s"],
        ["first cell after that", f"{speed.first_cell * 1000:.0f} ms"],
        ["later cells (1 + 1)", f"{speed.later_cell * 1000:.1f} ms"],
        ["time of a quick race outside of samples and warm-up", f"{speed.overhead:.1%}"],
        ["requests/s of a race, to the load generator by hand", f"{speed.agreement:.3f}"],
    ]
    return markup.table(["Benchbook's own speed", "here"], rows, right=[1])
