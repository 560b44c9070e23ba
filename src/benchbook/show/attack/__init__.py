"""An attack on a claim, shown."""
