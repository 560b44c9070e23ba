"""Measures: one kind of race a file."""
