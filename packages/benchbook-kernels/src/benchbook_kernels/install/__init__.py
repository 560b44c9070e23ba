"""Which kernels there are, what they need, and how Jupyter finds them; standard library only."""
