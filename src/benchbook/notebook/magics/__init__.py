"""The `%` and `%%` lines of notebooks."""
