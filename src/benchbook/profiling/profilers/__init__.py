"""Profilers, a file for each runtime: `profiler.py` beside this folder says what each can."""
