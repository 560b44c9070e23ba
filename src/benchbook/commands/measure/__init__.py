"""Races, executed notebooks, and what was found."""
