"""What was found, for others to see."""
