"""Benchbook's comparison of commands beside hyperfine's: do both measure the same, what becomes of
each when a busy loop starts midway, and what a run costs beside the command.

    .venv/bin/python studies/hyperfine_beside.py [TURNS]

It writes the table of docs/hyperfine.md anew, takes about nine minutes, and needs hyperfine and a
machine that does nothing else.
"""

import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import benchbook
from benchbook.analysis.statistics.stats import LEVEL, t_quantile
from benchbook_kernels.base.processes import Keeper

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "hyperfine.md"
BEGIN, END = "<!-- made by studies/hyperfine_beside.py -->", "<!-- to here -->"
LENGTHS = {5: 200, 50: 40, 500: 8}  # milliseconds: runs in a turn
BUSY_MS, BUSY_RUNS, LOOPS = 50, 60, 2
FEW, MANY = 100, 700  # runs, between which a run more is timed
SETTLE_SECONDS = 1.0


def busy(loops: int) -> str:
    """A command that is busy for as long as so many loops of awk take."""
    return "awk 'BEGIN{for(i=0;i<%d;i++)x+=i}'" % loops


def loops_for(milliseconds: float) -> int:
    """How many loops take so long here, with the start of awk."""

    def taken(loops: int) -> float:
        def once() -> float:
            began = time.perf_counter()
            subprocess.run(["awk", "BEGIN{for(i=0;i<%d;i++)x+=i}" % loops], check=True)
            return 1e3 * (time.perf_counter() - began)

        return min(once() for _ in range(10))

    start, many = taken(1), 2_000_000
    return max(1, round((milliseconds - start) * many / (taken(many) - start)))


@dataclass(frozen=True)
class Did:
    """What a tool measured: seconds of each run, by command, and how long it took itself."""

    times: list[list[float]]
    seconds: float
    run: Path | None = None


def hyperfine(folder: Path, *words: str) -> Did:
    """hyperfine on these words."""
    return did(folder, ["hyperfine", "--style", "basic", *words])


def ours(folder: Path, *words: str) -> Did:
    """Benchbook's compare on the same words."""
    run = folder / "run.json"
    command = [sys.executable, "-m", "benchbook", "compare", "--json", str(run)]
    return did(folder, [*command, *words], run)


def did(folder: Path, command: Sequence[str], run: Path | None = None) -> Did:
    out = folder / "out.json"
    began = time.perf_counter()
    subprocess.run(
        [*command, "--export-json", str(out)], check=True, capture_output=True, cwd=folder
    )
    seconds = time.perf_counter() - began
    found = json.loads(out.read_text(encoding="utf-8"))["results"]
    return Did([each["times"] for each in found], seconds, run)


TOOLS = {"hyperfine": hyperfine, "Benchbook": ours}


# ── Do both measure the same? ────────────────────────────────────────────────────────────────────


def means(folder: Path, turns: int) -> list[str]:
    """Rows of the table: the mean of each length by each tool, over turns in alternation."""
    rows = []
    for milliseconds, runs in LENGTHS.items():
        command = busy(loops_for(milliseconds))
        found: dict[str, list[float]] = {name: [] for name in TOOLS}
        for _ in range(turns):
            for name, tool in TOOLS.items():
                times = tool(folder, "-N", "--runs", str(runs), command).times[0]
                found[name].append(1e3 * statistics.fmean(times))
        told = [interval(values) for values in found.values()]
        difference = [math.log(b / a) for a, b in zip(*found.values(), strict=True)]
        ratio, reach = centre(difference)
        apart = f"{100 * math.expm1(ratio):+.1f} % ± {100 * reach:.1f}"
        rows.append(f"| {milliseconds} ms | {' | '.join(told)} | {apart} |")
    return rows


def centre(values: Sequence[float]) -> tuple[float, float]:
    """The mean, and how far its 95 % interval reaches."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, math.nan
    error = statistics.stdev(values) / math.sqrt(len(values))
    return mean, t_quantile(LEVEL, len(values) - 1) * error


def interval(values: Sequence[float]) -> str:
    mean, reach = centre(values)
    return f"{mean:.2f} ± {reach:.2f} ms"


# ── A busy loop that starts midway ───────────────────────────────────────────────────────────────


def disturbed(folder: Path, turns: int) -> list[str]:
    """Rows: the ratio of two equal commands by each tool, over turns in alternation, undisturbed,
    and when from the middle on every CPU has other work: two loops each, because one did not slow
    a short command down (Linux 6.18: median of 20 runs 54 ms alone, 57 ms beside, 116 beside two).
    """
    command = busy(loops_for(BUSY_MS))
    words = ("-N", "--runs", str(BUSY_RUNS), command, command)
    calm: dict[str, list[Ratio]] = {name: [] for name in TOOLS}
    beside: dict[str, list[Ratio]] = {name: [] for name in TOOLS}
    for _ in range(turns):
        for name, tool in TOOLS.items():
            found = tool(folder, *words)
            calm[name].append(ratio_of(found))
            with Keeper() as keeper:
                over = threading.Event()
                later = threading.Thread(target=occupy, args=(keeper, found.seconds / 2, over))
                later.start()
                beside[name].append(ratio_of(tool(folder, *words)))
                over.set()
                later.join()
            time.sleep(SETTLE_SECONDS)
    return [f"| {name} | {told(calm[name])} | {told(beside[name])} |" for name in TOOLS]


def occupy(keeper: Keeper, wait: float, over: threading.Event) -> None:
    """Busy loops for each CPU after so many seconds, until it is over: what a thread starts ends
    with the thread."""
    if over.wait(wait):
        return
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    for _ in range(LOOPS * cpus):
        keeper.start([sys.executable, "-c", "while True: pass"])
    over.wait()


@dataclass(frozen=True)
class Ratio:
    """How many times as long the second takes as the first, and the interval that a tool gives."""

    ratio: float
    low: float
    high: float


def ratio_of(found: Did) -> Ratio:
    """The ratio as the tool itself says it."""
    if found.run:
        results = benchbook.judge(benchbook.load_run(found.run))
        speed = results.judgements[0].tests[0].interval
        return Ratio(1 / speed.ratio, 1 / speed.high, 1 / speed.low)
    first, second = found.times
    a, b = statistics.fmean(first), statistics.fmean(second)
    spread = math.hypot(statistics.stdev(first) / a, statistics.stdev(second) / b) * b / a
    return Ratio(b / a, b / a - spread, b / a + spread)


def told(found: Sequence[Ratio]) -> str:
    """The ratios, the middle one with its interval, and how many intervals hold 1."""
    ordered = sorted(found, key=lambda each: each.ratio)
    middle = ordered[len(ordered) // 2]
    held = sum(each.low <= 1 <= each.high for each in found)
    return (
        f"{ordered[0].ratio:.2f} to {ordered[-1].ratio:.2f}, as {middle.ratio:.2f} "
        f"[{middle.low:.2f}, {middle.high:.2f}]; 1 is inside in {held} of {len(found)}"
    )


# ── What a run costs beside the command ──────────────────────────────────────────────────────────


def overheads(folder: Path, turns: int) -> list[str]:
    """Rows: how long a run of 5 ms takes in all, by each tool, without and with a shell."""
    command = busy(loops_for(5))
    rows = []
    for label, option in (("without a shell", ["-N"]), ("with a shell", [])):
        found: dict[str, list[float]] = {name: [] for name in TOOLS}
        for _ in range(turns):
            for name, tool in TOOLS.items():
                few, many = (
                    tool(folder, *option, "--runs", str(runs), command).seconds
                    for runs in (FEW, MANY)
                )
                entries = 2 if name == "Benchbook" else 1  # the copy runs, too
                found[name].append(1e3 * (many - few) / (entries * (MANY - FEW)))
        told = [interval(values) for values in found.values()]
        theirs, mine = (statistics.fmean(values) for values in found.values())
        rows.append(f"| {label} | {' | '.join(told)} | {mine / theirs:.2f} |")
    return rows


def tables(turns: int) -> str:
    """The tables of the page."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = [
            BEGIN,
            "",
            "| a command of | hyperfine | Benchbook | difference |",
            "| --- | --- | --- | --- |",
            *means(folder, turns),
            "",
            "| two equal commands | undisturbed | two busy loops for each CPU from the middle on |",
            "| --- | --- | --- |",
            *disturbed(folder, turns),
            "",
            "| a run of 5 ms takes in all | hyperfine | Benchbook | ratio |",
            "| --- | --- | --- | --- |",
            *overheads(folder, turns),
            "",
        ]
    return "\n".join(lines)


def main() -> None:
    if not shutil.which("hyperfine"):
        raise SystemExit("hyperfine is not installed: https://github.com/sharkdp/hyperfine")
    made = tables(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
    print(made)
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{made}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
