"""Whole processes, from their start to their end."""
