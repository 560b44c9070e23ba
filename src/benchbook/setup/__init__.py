"""Makes the environment that Benchbook runs in; needs only Python's standard library."""
