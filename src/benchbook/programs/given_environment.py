"""The environment that every variant finds, beside PORT."""

import os
import sys
from pathlib import Path

from benchbook.system import paths
from benchbook_kernels.base.running import COLOUR_VARIABLES, NUGET_LOCKS

CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
OUTER = "BENCHBOOK_OUTER_"  # what the launcher found, by their names
BY_LAUNCHER = ("PYTHONNOUSERSITE", "JUPYTER_PREFER_ENV_PATH")
CLEARED = ("PYTHONPATH", "PYTHONHOME")  # by the launcher
BY_KEEPER = ("TMPDIR", NUGET_LOCKS, *COLOUR_VARIABLES)
COUNTING_DELAY = "DOTNET_TC_CallCountingDelayMs"
GEN0_BYTES = 4 << 20  # about what .NET takes where a CPU has 8 MB of cache


def tiers() -> dict[str, str]:
    """Have .NET count calls from the first one on, not only when nothing new was called for 0.1 s.

    What it compiles in the end is the same, but begins in the warm-up and not after it: without
    this, programs still compiled for 15 s while the first blocks were timed. The reader's own value
    counts. https://github.com/dotnet/runtime/blob/main/src/coreclr/inc/clrconfignames.h
    """
    return {COUNTING_DELAY: os.environ.get(COUNTING_DELAY, "0")}


def tiers_late() -> dict[str, str]:
    """Have .NET count calls when nothing new was called for 32 ms, which it writes 20; ten times as
    long where a program has one CPU (measured with a tenth of that there: no race became shorter).

    For programs whose warm-up has rests. With calls counted from the first one on, what a program
    calls at its start only is compiled as well, twice: thirteen web applications took 13 s of CPU
    time to start instead of 5. Without rests the time would never come: something new is called
    all the time. The reader's own value counts.
    """
    return {COUNTING_DELAY: os.environ.get(COUNTING_DELAY, "20")}


def gen0() -> dict[str, str]:
    """How much .NET may allocate between two garbage collections, where Linux does not tell it how
    large the CPU's caches are, as in some virtual machines: there it finds 2 MB or less right.

    A new page of memory is dear in such a machine, too. Equal servers, eight at once, took four
    times as many pages with 2 MB as with 4, cost a fifth more, and differed more among themselves
    (studies/gen0_size.py). The reader's own value counts.
    https://learn.microsoft.com/dotnet/core/runtime-config/garbage-collector#gen0-size
    https://github.com/dotnet/runtime/pull/108492
    """
    name = "DOTNET_GCgen0size"
    if name in os.environ or not sys.platform.startswith("linux") or tells_caches():
        return {}
    return {name: f"{GEN0_BYTES:x}"}


def tells_caches() -> bool:
    """Does Linux say how large the caches of the first CPU are?"""
    return any(CACHES.glob("index*/size"))


def environment() -> dict[str, str]:
    """What every variant finds in its environment, beside PORT."""
    return {
        **tiers(),
        **gen0(),
        "NODE_ENV": "production",
        "DOTNET_ROLL_FORWARD": "Major",
        "ASPNETCORE_ENVIRONMENT": "Production",
        "DENO_DIR": str(paths.state() / "deno"),
        "DENO_NO_UPDATE_CHECK": "1",
        "BUN_RUNTIME_TRANSPILER_CACHE_PATH": "0",  # else it keeps files in the reader's home
        "NO_COLOR": "1",
    }


def as_typed() -> dict[str, str | None]:
    """What commands find that somebody types, where it differs from what else we start finds: what
    the launcher (bench) and Keeper.start change is as it was; None for what is not there."""
    found = {name: os.environ.get(name) for name in BY_KEEPER}
    path = os.environ.get(f"{OUTER}PATH")
    if path is None:  # it was not the launcher that started us
        return found
    found |= dict.fromkeys((f"{OUTER}PATH", *(f"{OUTER}{name}" for name in CLEARED), *BY_LAUNCHER))
    was = {name: os.environ.get(f"{OUTER}{name}") or None for name in CLEARED}
    return {**found, **was, "PATH": path}
