"""CPU time of a request or a call, in a unit that suits all of a table."""

import math
import re
from dataclasses import dataclass

from benchbook_kernels.base.words import one

# of .NET: namespaces and outer types, before the type and its method
NAMESPACE = re.compile(r"(?:[A-Z]\w*\.)+(?=[A-Z]\w*\.[^.]+$)")
NANO_BELOW = 2.0  # µs: what costs less than this is told in nanoseconds


@dataclass(frozen=True)
class Unit:
    """name: µs, ns; factor: of a microsecond; digits: behind the point; thing: request."""

    name: str
    factor: float
    digits: int
    thing: str

    @classmethod
    def of(cls, most_us: float, thing: str) -> "Unit":
        """The one for a table whose largest amount is this."""
        nano = most_us < NANO_BELOW
        return cls("ns", 1000.0, 0, thing) if nano else cls("µs", 1.0, 2, thing)

    @property
    def each(self) -> str:
        """ "a request", "an operation"."""
        return one(self.thing)

    def scaled(self, us: float) -> float:
        return us * self.factor

    def number(self, us: float) -> str:
        return f"{self.scaled(us):.{self.digits}f}"

    def text(self, us: float) -> str:
        return f"{self.number(us)} {self.name}"

    def signed(self, us: float) -> str:
        """With a sign, and no minus zero: +1.52, −0.04."""
        value = round(self.scaled(us), self.digits) + 0.0
        return f"{value:+.{self.digits}f}".replace("-", "−")

    def range(self, mean: float, low: float, high: float) -> str:
        """A mean with its interval: "+1.52 [+1.31, +1.73]"."""
        if math.isinf(low) or math.isinf(high):
            return f"{self.signed(mean)} [unknown: one launch]"
        return f"{self.signed(mean)} [{self.signed(low)}, {self.signed(high)}]"


def shown_name(function: str) -> str:
    """The name of a function as tables have it: of .NET's the type and the method, for the layer
    beside it says which library that is."""
    parts = NAMESPACE.match(function)
    return function[parts.end() :] if parts else function
