"""The kernels: from a cell to its language and back to its output."""
