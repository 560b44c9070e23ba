"""What many machines say together."""
