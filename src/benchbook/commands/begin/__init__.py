"""Setting up, looking around, opening the notebooks."""
