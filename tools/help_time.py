"""How long `./bench --help` takes beside `python3 -c "import click"`, in turns and in random order:
medians, and their ratio, which is to be at most 2.5; and what other commands take that measure
nothing. Takes ten seconds:

    .venv/bin/python tools/help_time.py [ROUNDS]
"""

import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BENCH = [sys.executable, "-P", str(ROOT / "src/benchbook/setup/bootstrap.py"), "--launch"]
if sys.platform != "win32":
    BENCH = [str(ROOT / "bench")]
CLICK = "import click"
CALLS = ("--help", "rnu", "race --help", "run --help", "list", "doctor --help", "check --help")
COMMANDS = {CLICK: ["python3", "-c", CLICK]}
COMMANDS |= {f"./bench {call}": [*BENCH, *call.split()] for call in CALLS}
MOST_TIMES, MOST_SECONDS = 2.5, 0.3


def seconds(command: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - begun


if subprocess.run(COMMANDS[CLICK], stderr=subprocess.DEVNULL, check=False).returncode:
    COMMANDS[CLICK][0] = sys.executable  # the Python on PATH has no click
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
for number in range(rounds + 1):
    for name in random.sample(list(COMMANDS), len(COMMANDS)):
        found = seconds(COMMANDS[name])
        if number:  # the first round fills the caches
            taken[name].append(found)
base = statistics.median(taken[CLICK])
print(f"{'median':>8} {'least':>8} {'times':>6}")
for name, each in taken.items():
    middle = statistics.median(each)
    print(f"{middle:6.3f} s {min(each):6.3f} s {middle / base:6.1f}  {name}")
helped = statistics.median(taken["./bench --help"])
sys.exit(helped > MOST_TIMES * base or helped > MOST_SECONDS)
