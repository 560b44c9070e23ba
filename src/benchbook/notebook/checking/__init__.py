"""What `./bench check` finds in an experiment; the project's own tests ask the same functions."""
