"""The benchmarks of a `%%benchmark` cell, which BenchmarkDotNet times."""

from benchbook.model.kinds.kind import Kind
from benchbook.model.plan import Plan

OPERATIONS = "operations/s"
BENCHMARK_DOT_NET = "BenchmarkDotNet"  # what measured


class Benchmarks(Kind):
    """Methods with [Benchmark] of a class in a cell: no experiment declares them."""

    name = "benchmarks"
    unit = OPERATIONS
    thing = "operation"

    @classmethod
    def wrote(cls, unit: str | None, tool: str) -> bool:
        return tool == BENCHMARK_DOT_NET

    @classmethod
    def takes_turns(cls, plan: Plan) -> bool:
        """As BenchmarkDotNet does it, launches do."""
        return True
