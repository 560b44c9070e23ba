"""Servers, each with its own client, which measures."""
