"""Load generators: one file for each tool."""
