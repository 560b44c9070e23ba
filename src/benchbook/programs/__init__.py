"""Builds, starts and checks the programs that race."""
