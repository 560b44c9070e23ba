"""Notebooks executed without a front end: in which order, and how long it takes."""
