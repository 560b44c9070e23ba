"""The memory of the C# session: little after its start, not much more after many cells."""

import psutil
import pytest

pytestmark = pytest.mark.slow("runs many cells")

MOST_MB = 250  # what docs/csharp-session.md has is below
CELLS = 100


def private_mb(csharp) -> float:
    """Memory that no other program shares."""
    return psutil.Process(csharp.session.pid).memory_full_info().uss / 1e6


def test_memory_is_bounded(own_csharp):
    own_csharp.value("1 + 1")
    assert private_mb(own_csharp) < MOST_MB, "after the first cell"
    for i in range(CELLS):
        own_csharp.run(f"var v{i % 7} = {i};" if i % 2 == 0 else f"{i} + 1")
    assert private_mb(own_csharp) < MOST_MB, "after many cells, half of which declare something"
    own_csharp.run(
        "for (var i = 0; i < 10_000_000; i++) _ = new object().GetHashCode().ToString();"
    )
    assert private_mb(own_csharp) < MOST_MB, "after a cell that leaves much garbage"
