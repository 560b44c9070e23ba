"""Tables with a sentence or two: what was claimed, raced, replayed and found."""
