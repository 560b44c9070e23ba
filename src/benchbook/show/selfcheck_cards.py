"""The tables of `./bench selfcheck`: simulated races, planted truths, Benchbook's own speed."""

import statistics

from benchbook.analysis.verdicts import NO_DIFFERENCE, OPPOSITE, REPRODUCED, TOO_CLOSE
from benchbook.race.planted import SLOWER, TWIN, RaceOutcome
from benchbook.race.selfcheck import PLANTED, SIMULATION, SPEED, Report, Row, Speed
from benchbook.show import markup
from benchbook.show.markup import Output


def table(report: Report, part: str) -> Output | None:
    """The table of a part of the report; None where there is none of that name."""
    if part == SIMULATION:
        return simulation_table(report.simulation)
    if part == PLANTED:
        return planted_table(report.planted)
    return speed_table(report.speed) if part == SPEED and report.speed else None


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
    return markup.table(columns, lines, right=range(1, len(columns)))


def planted_table(told: list[RaceOutcome]) -> Output:
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
    return markup.table(columns, rows, right=range(1, len(columns)))


def speed_table(speed: Speed) -> Output:
    """Benchbook's own speed."""
    rows = [
        ["kernel ready", f"{speed.kernel_start:.2f} s"],
        ["first cell after that", f"{speed.first_cell * 1000:.0f} ms"],
        ["later cells (1 + 1)", f"{speed.later_cell * 1000:.1f} ms"],
        ["time of a quick race outside of its samples", f"{speed.overhead:.1%}"],
        ["requests/s of a race, to the load generator by hand", f"{speed.agreement:.3f}"],
    ]
    return markup.table(["Benchbook's own speed", "here"], rows, right=[1])
