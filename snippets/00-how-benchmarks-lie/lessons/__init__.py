"""What a careless reader would have seen (notebook 00)."""

from .figures import best_of_three as best_of_3
from .figures import launches
from .figures import recorded_interleaving as interleaving
from .figures import stall
from .kernel_cost import lesson as kernel

__all__ = ["interleaving", "launches", "best_of_3", "stall", "kernel"]
