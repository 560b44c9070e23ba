"""Which boundaries a race that is looked at after each launch should have: those of Pocock (Δ = ½),
of O'Brien and Fleming (Δ = 0), and between the two (Wang & Tsiatis 1987). Simulates a difference
measured by launches with normal noise, known; sizes are in standard errors of a whole race. Prints
how often each finds it, after how many launches of six, and in what share of races it stops after
two; the same with a t of few degrees of freedom, as after two launches. Takes a few seconds:

    .venv/bin/python studies/looks.py
"""

import numpy as np
from scipy import special

from benchbook.analysis.statistics import looks
from benchbook.analysis.statistics.looks import FIRST, Interim

SHAPES = {"Pocock": 0.5, "between (ours)": looks.SHAPE, "O'Brien and Fleming": 0.0}
LAUNCHES, RACES = 6, 100_000
EFFECTS = (0.0, 2.0, 3.0, 4.0, 6.0, 10.0)  # standard errors of a whole race
FREEDOM_A_LAUNCH = 3.0  # of a moderated t over launches, about


def errors(shape: float) -> list[float]:
    """The nominal level of each look."""
    looks.SHAPE = shape
    looks.boundary.cache_clear()
    return [Interim(launches, LAUNCHES).error for launches in range(FIRST, LAUNCHES + 1)]


def ended(effect: float, levels: list[float]) -> tuple[float, float, float]:
    """(share found, launches in the mean, share that stops after two)."""
    draw = np.random.default_rng(1)
    launch = draw.normal(effect / np.sqrt(LAUNCHES), 1, (RACES, LAUNCHES))
    left, found, taken = np.ones(RACES, bool), np.zeros(RACES, bool), np.full(RACES, LAUNCHES)
    early = 0.0
    for number, level in zip(range(FIRST, LAUNCHES + 1), levels, strict=True):
        freedom = FREEDOM_A_LAUNCH * number
        spread = np.sqrt(draw.chisquare(freedom, RACES) / freedom)
        seen = launch[:, :number].sum(1) / np.sqrt(number) / spread
        crossed = left & (2 * special.stdtr(freedom, -np.abs(seen)) < level)
        taken[crossed], found[crossed], left[crossed] = number, True, False
        if number == FIRST:
            early = float(crossed.mean())
    return float(found.mean()), float(taken.mean()), early


def main() -> None:
    print("| boundaries | levels of the looks | difference | found | launches | ends after 2 |")
    print("|---|---|---|---|---|---|")
    for name, shape in SHAPES.items():
        levels = errors(shape)
        told = " ".join(f"{100 * level:.2g}" for level in levels)
        for effect in EFFECTS:
            found, launches, early = ended(effect, levels)
            figures = f"{effect:g} | {found:.1%} | {launches:.1f} | {early:.0%}"
            print(f"| {name} | {told} % | {figures} |")


if __name__ == "__main__":
    main()
