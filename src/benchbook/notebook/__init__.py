"""Magics and exercises, and how notebooks are executed; the kernels are another package."""
