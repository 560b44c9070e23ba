"""Profiles of programs, the difference of two of them, and attacks: read, checked and written."""
