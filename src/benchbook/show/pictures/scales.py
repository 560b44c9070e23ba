"""An axis of a static picture: from values to pixels, and where its labels stand.

What plotly.js does for figures that it draws, for those that are drawn without it (picture.py).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

MARGIN = 0.06  # of an axis beyond the outermost values
TICK_PX = {"x": 60, "y": 40}  # no two labels are nearer to each other than that
PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}

Ticks = list[tuple[float, str]]  # (pixels, label)


def scale(axis: Mapping[str, Any], values: Sequence[Any], from_zero: bool) -> "Scale":
    """The scale of an axis. values: what is drawn along it; from_zero: are there bars on it?"""
    kind = {"log": Logarithmic, "category": Categories}.get(axis.get("type", ""), Linear)
    return kind(axis, values, from_zero or axis.get("rangemode") == "tozero")


class Scale(ABC):
    """A scale between two ends, which are values as the axis' range has them."""

    def __init__(self, axis: Mapping[str, Any], values: Sequence[Any], from_zero: bool):
        self.axis = axis
        self.values = values
        low, high = axis.get("range") or self.ends(from_zero)
        self.low, self.high = float(low), float(high)
        if axis.get("autorange") == "reversed":
            self.low, self.high = self.high, self.low

        self.start, self.end = 0.0, 1.0

    def put(self, start: float, end: float) -> None:
        """Say at which pixels the axis begins and ends."""
        self.start, self.end = start, end

    def at(self, value: Any) -> float:
        """Where a value is, in pixels."""
        part = (self.along(value) - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self) -> Ticks:
        """The labels that lie on the axis."""
        given = self.axis.get("tickvals")
        if given is not None:
            wanted = list(zip(given, self.axis["ticktext"]))
        else:
            wanted = [(value, self.label(value)) for value in self.chosen()]
        low, high = sorted((self.low, self.high))
        slack = 1e-9 * (high - low)
        return [
            (self.at(value), text)
            for value, text in wanted
            if low - slack <= self.along(value) <= high + slack
        ]

    def most(self) -> int:
        """For how many labels there is room."""
        apart = TICK_PX["x" if self.end > self.start else "y"]
        room = max(2, int(abs(self.end - self.start) / apart))
        return min(room, int(self.axis.get("nticks", room)))

    def label(self, value: Any) -> str:
        """A value as text, in the way that the axis asks for."""
        suffix = self.axis.get("ticksuffix", "")
        if self.axis.get("exponentformat") == "SI" and value:
            power = min(max(3 * math.floor(math.log10(abs(value)) / 3 + 1e-9), -9), 9)
            return f"{value / 10**power:.6g} {PREFIXES[power]}{suffix}"
        return f"{value:,.10g}{suffix}".replace("-", "−")

    @abstractmethod
    def along(self, value: Any) -> float:
        """A value in units of the range."""

    @abstractmethod
    def ends(self, from_zero: bool) -> tuple[float, float]:
        """The range, where the axis does not say it."""

    @abstractmethod
    def chosen(self) -> Sequence[Any]:
        """The values to be labelled, where the axis does not say them."""


class Linear(Scale):
    def along(self, value: float) -> float:
        return value

    def ends(self, from_zero: bool) -> tuple[float, float]:
        found = [self.along(value) for value in self.values] or [0.0, 1.0]
        low, high = min(found), max(found)
        margin = MARGIN * (high - low) or 0.5
        if from_zero:
            return min(0.0, low), max(high, 0.0) + margin
        return low - margin, high + margin

    def chosen(self) -> Sequence[float]:
        low, high = sorted((self.low, self.high))
        step = round_step((high - low) / self.most())
        first = math.ceil(low / step - 1e-9)
        return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def round_step(least: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


class Logarithmic(Linear):
    """The range is in powers of ten."""

    def along(self, value: float) -> float:
        return math.log10(value) if value > 0 else min(self.low, self.high)

    def ends(self, from_zero: bool) -> tuple[float, float]:
        self.values = [value for value in self.values if value > 0]
        return super().ends(False)

    def chosen(self) -> Sequence[float]:
        low, high = sorted((self.low, self.high))
        factors = (1, 2, 5) if self.axis.get("dtick") == "D2" else (1,)
        powers = range(math.floor(low), math.ceil(high) + 1)
        return [float(f"{factor}e{power}") for power in powers for factor in factors]


class Categories(Scale):
    """Names in the order in which they occur."""

    def __init__(self, axis: Mapping[str, Any], values: Sequence[Any], from_zero: bool):
        self.names = list(dict.fromkeys(values))
        super().__init__(axis, values, from_zero)

    def along(self, value: str) -> float:
        return float(self.names.index(value))

    def ends(self, from_zero: bool) -> tuple[float, float]:
        return -0.5, len(self.names) - 0.5

    def chosen(self) -> Sequence[str]:
        return self.names

    def label(self, value: str) -> str:
        return value
