"""Questions and claims of one's own."""
