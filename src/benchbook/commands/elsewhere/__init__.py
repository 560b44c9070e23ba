"""Notebooks, kernels and packages, for other places."""
