"""Servers under a load generator."""
