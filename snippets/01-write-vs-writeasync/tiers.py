"""How long .NET takes to compile servers under load well, with its usual delay and without.

Run it in the environment of Benchbook: python snippets/01-write-vs-writeasync/tiers.py
"""

import re
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / path) for path in ("src", "packages/benchbook-kernels/src")]

from benchbook.load import loading, registry  # noqa: E402
from benchbook.model import experiments  # noqa: E402
from benchbook.programs import programs, readiness  # noqa: E402
from benchbook_kernels.base.processes import Keeper  # noqa: E402

# DOTNET_TC_CallCountingDelayMs, in hexadecimal
DELAYS = {"0": "without the delay:", "64": "with 100 ms:"}


def compiled_well(delay: str, seconds: int = 15, servers: int = 4) -> tuple[list[int], list[str]]:
    """Methods in tier 1, in all servers together, after each second; how ASP.NET Core's began."""
    variant = experiments.find("01").variant("kestrel-async")
    readiness.make_ready([variant], print)
    with ExitStack() as stack:
        keeper = stack.enter_context(Keeper())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        started = []
        for told in [folder / f"{i}.txt" for i in range(servers)]:
            env = {"DOTNET_TC_CallCountingDelayMs": delay}
            env |= {"DOTNET_JitDisasmSummary": "1", "DOTNET_JitStdOutFile": str(told)}
            started.append(programs.start(variant, keeper, env=env))
            stack.callback(started[-1].end, keeper)
        for program in started:
            programs.await_ready(program, "/")
        for program in started:
            url = f"http://127.0.0.1:{program.port}/"
            stack.enter_context(loading.started(registry.choose(), url, 2 * seconds, 20, keeper))
        counts = []
        for _ in range(seconds):
            time.sleep(1)
            texts = [told.read_text(errors="replace") for told in folder.glob("*.txt")]
            counts.append(sum(text.count("[Tier1") for text in texts))
    first: dict[tuple[int, str], str] = {}
    for server, text in enumerate(texts):
        for method, tier in re.findall(r"JIT compiled (Microsoft.AspNetCore.+) \[([^,\]]+)", text):
            first.setdefault((server, method), tier)
    return counts, list(first.values())


def main() -> None:
    """Print the methods in tier 1, second by second, with either delay."""
    for delay, name in DELAYS.items():
        tier_1, began = compiled_well(delay)
        in_tier_0 = sum("Tier0" in tier for tier in began)
        told = f"{in_tier_0} of ASP.NET Core's {len(began)} began in tier 0"
        print(name, *tier_1, f"({told}, the others precompiled)")


if __name__ == "__main__":
    main()
