"""Profiles of programs, and what the difference of two of them is: read, checked and written."""
