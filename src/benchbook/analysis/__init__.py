"""From samples to verdicts: statistics without side effects."""
