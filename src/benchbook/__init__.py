"""Benchbook: a claim goes in, an honest verdict comes out."""

__version__ = "0.1.0"
