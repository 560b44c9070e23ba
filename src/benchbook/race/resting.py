"""What programs do after a warm-up while nothing is asked: they compile in the background."""

import time
from collections.abc import Sequence

from benchbook.race.witness import Watch

SETTLE_SECONDS = 10.0  # at most, after a warm-up
LOOK_SECONDS = 0.25  # longer than .NET waits before it compiles in the background
RESTING = 0.1  # of a CPU, all programs together
MUCH = 0.03  # CPU seconds a program


def rest(members: Sequence[int]) -> float:
    """Wait until processes have nothing to do, but not for long; the CPU time that they spent.

    .NET compiles what was called 30 times on a thread of its own, first with probes, and once more
    with what these have found when it was called as often again. Beside requests that takes many
    times as long, and disturbs whatever is measured meanwhile.
    https://github.com/dotnet/runtime/blob/main/docs/design/features/tiered-compilation.md
    """
    used, end = 0.0, time.monotonic() + SETTLE_SECONDS
    while members and time.monotonic() < end:
        watch = Watch(members)
        time.sleep(LOOK_SECONDS)
        spent = watch.evidence(0.0).server_cpu_seconds
        used += spent
        if not spent >= RESTING * LOOK_SECONDS:
            break
    return used


def compiled_more(members: Sequence[int], count: int, least: int = 1) -> bool:
    """After a warm-up: wait until processes that compile in the background rest (see there).

    Is another warm-up due? The first `least` (count 0 and on) are not enough: what is compiled with
    probes is compiled again.
    """
    used = rest(members)
    return bool(members) and (count < least or used > MUCH * len(members))
