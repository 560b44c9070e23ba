"""Claims, experiments, plans and runs: read, checked and written."""
