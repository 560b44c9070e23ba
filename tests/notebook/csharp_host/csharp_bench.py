"""What the tests of the C# session share."""

from recorders import Bench

STARTED = "started"


def told(csharp: Bench, code: str) -> str:
    """What a reader sees of the error of a cell, which must fail."""
    return "\n".join(csharp.error(code).traceback)
