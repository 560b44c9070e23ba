"""Plotly figures, a file for each kind; what they share is in base.py."""
