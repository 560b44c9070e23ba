"""What goes wrong with load generators."""

from benchbook_kernels.base.errors import BenchError


class LoadError(BenchError):
    """A load generator that is missing, or failed."""
