"""Looking at a race after each launch, and ending it where all is decided, keeps its promises.

Who looks five times, each time at the 5 % level, finds a difference between equal programs in more
than one race in ten. So each look takes a smaller level: boundaries between Pocock's and those of
O'Brien and Fleming (Wang & Tsiatis 1987, doi:10.2307/2531959, with Δ = 1/4), with which the chance
that any look errs is 5 %. Pocock's cost a race that goes on to its end a quarter of its width,
O'Brien and Fleming's never end one after two launches: studies/looks.py shows all three. Levels are
those of normal statistics; a t with its own freedom is compared by its p-value (Jennison & Turnbull
2000, Group Sequential Methods, section 4.4).
"""

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

LEVEL = 0.95  # of all looks together
FIRST = 2  # launches: with one it is not known how they differ
SHAPE = 0.25  # Wang and Tsiatis' Δ: 0 are the boundaries of O'Brien and Fleming, ½ those of Pocock
HIGHEST_LEVEL = 0.98  # of a printed interval: decided early it would otherwise hold too often
NODES = 80  # of the integration
SMALL = 1e-9  # a p-value so small needs no integral
FARTHEST = 8.0  # standard errors


@dataclass(frozen=True)
class Interim:
    """An interim analysis: a look at a race after so many launches, of at most so many."""

    launches: int
    most: int

    @property
    def error(self) -> float:
        """The nominal two-sided level of a test here."""
        return float(2 * special.ndtr(-boundary(self.most) * self.scale))

    @property
    def level(self) -> float:
        """The level of an interval that is printed, and of what is judged by its ends."""
        return min(1 - self.error, HIGHEST_LEVEL)

    @property
    def scale(self) -> float:
        """How much farther the boundary is here than at the end."""
        return float((self.launches / self.most) ** (SHAPE - 0.5))

    def adjusted(self, p: float) -> float:
        """The chance that equal programs show as telling a two-sided p-value at any look."""
        looks = self.most - FIRST + 1
        if looks <= 1 or p >= 1 or p * looks < SMALL:
            return min(1.0, p * max(1, looks))
        seen = -float(special.ndtri(p / 2))
        return min(1.0, max(p, crossing(seen / self.scale, self.most)))


@functools.cache
def boundary(most: int) -> float:
    """How many standard errors the last look of a race of so many launches asks for."""
    low, high = 0.0, FARTHEST  # more are crossed less often
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if crossing(middle, most) > 1 - LEVEL else (low, middle)
    return high


def crossing(last: float, most: int) -> float:
    """The chance that a mean over launches is beyond the boundary at any look, where the last look
    asks for so many standard errors (Armitage, McPherson & Rowe 1969, doi:10.2307/2343787)."""
    points, weights = nodes()
    sums, inside = np.zeros(1), np.ones(1)
    before = 0
    for launches in range(min(FIRST, most), most + 1):
        edge = last * Interim(launches, most).scale * math.sqrt(launches)
        later = points * edge
        density = normal(later[:, None] - sums, launches - before)
        sums, inside, before = later, (density @ inside) * weights * edge, launches
    return float(1 - inside.sum())


def normal(values: NDArray[np.float64], variance: float) -> NDArray[np.float64]:
    """The normal density, with mean 0."""
    density: NDArray[np.float64] = np.exp(-(values**2) / (2 * variance))
    return density / math.sqrt(2 * math.pi * variance)


@functools.cache
def nodes() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points and weights of Gauss and Legendre on [-1, 1]."""
    points, weights = np.polynomial.legendre.leggauss(NODES)  # type: ignore[no-untyped-call]
    return points, weights
