"""Runs load generators, which loadtools declares, here or on another host."""
