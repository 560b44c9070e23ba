"""Servers that are compared: those that run already."""
