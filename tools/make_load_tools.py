"""Writes docs/load-tools.md: `python tools/make_load_tools.py` writes the load generators anew,
from their own files, and keeps the table of races; with `--race` it races first, for half an
hour."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / path) for path in ("src", "packages/benchbook-kernels/src")]

from benchbook import loadtools  # noqa: E402
from benchbook.load import registry  # noqa: E402
from benchbook.model import experiments, results  # noqa: E402
from benchbook_kernels.base import paths  # noqa: E402
from benchbook_kernels.base.words import counted  # noqa: E402

PAGE = ROOT / "docs" / "load-tools.md"
EXPERIMENTS = ("01", "04", "06", "08-routers-and-muxes/http")
OPTIONS = ("--launches", "3", "--blocks", "9")
STANDARD = "wrk"
DECIDED = ("reproduced", "opposite", "no difference")
HEADING = "## Do they say the same?"
ABOUT = f"""
Experiments, each raced with each tool (`./bench race NN --tool TOOL {" ".join(OPTIONS)}`), one race
after the other. A pair is what a statement compares. *Same* counts the pairs that this tool and
{STANDARD} decided, with one direction; *another* those with another one. What a tool can't
compare is not valid, with the reason. `python tools/make_load_tools.py --race` makes the table.
"""


@dataclass(frozen=True)
class Pair:
    """What a race says of a pair: its direction (1, -1 or 0 for none), None where it is undecided,
    or why it is not valid."""

    direction: int | None
    reason: str = ""


def main(words: list[str]) -> int:
    old = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    races = HEADING + old.partition(HEADING)[2]
    if "--race" in words:
        for experiment in EXPERIMENTS:
            for tool in loadtools.declared():
                race(experiment, tool)
    if {"--race", "--read"} & set(words):
        found = {
            (tool, experiment): raced(experiment, tool)
            for experiment in EXPERIMENTS
            for tool in loadtools.declared()
        }
        races = f"{HEADING}\n{ABOUT}\n{table(found)}"
    PAGE.write_text(f"{registry.page()}\n{races}", encoding="utf-8")
    return 0


def race(experiment: str, tool: str) -> None:
    """Race an experiment with a tool. What comes of it is in its run file."""
    words = ["race", experiment, "--tool", tool, *OPTIONS]
    print(" ".join(words), flush=True)
    env = {**os.environ, "PYTHONPATH": paths.pythonpath()}
    subprocess.run([sys.executable, "-m", "benchbook", *words], env=env)


def raced(experiment: str, tool: str) -> dict[str, Pair] | str:
    """Each statement's pair, by the newest whole race with this tool; why there is none."""
    for file in results.saved(experiments.find(experiment).saved_as):
        run = json.loads(file.read_text(encoding="utf-8"))
        plan, lengths = run["plan"], [int(word) for word in OPTIONS[1::2]]
        asked = run["tool"]["name"] == tool and [plan["launches"], plan["blocks"]] == lengths
        if asked and run["status"] == "complete":
            return {each["id"]: pair(each) for each in run["results"]["verdicts"]}
    return "not raced"


def pair(verdict: dict) -> Pair:
    """A verdict without its size."""
    if verdict["verdict"] == "not valid":
        return Pair(None, verdict["why"])
    if verdict["verdict"] not in DECIDED or len(verdict["tests"]) != 1:
        return Pair(None)
    interval = verdict["tests"][0]
    return Pair((interval["low"] > 1) - (interval["high"] < 1))


def table(found: dict[tuple[str, str], dict[str, Pair] | str]) -> str:
    """Tools by experiments, in Markdown."""
    names = [each.replace("-routers-and-muxes", "") for each in EXPERIMENTS]
    lines = [
        "| `--tool` | " + " | ".join(names) + " |",
        "|---" * (1 + len(EXPERIMENTS)) + "|",
    ]
    for tool in loadtools.declared():
        cells = [cell(found[tool, e], found[STANDARD, e], tool) for e in EXPERIMENTS]
        lines.append(f"| `{tool}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def cell(ours: dict[str, Pair] | str, theirs: dict[str, Pair] | str, tool: str) -> str:
    """How many pairs of an experiment have the direction that the standard tool found."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return f"no race: {ours if isinstance(ours, str) else theirs}"
    if tool == STANDARD:
        return f"{counted(sum(p.direction is not None for p in ours.values()), 'pair')} decided"
    both = [
        (each.direction, theirs[name].direction)
        for name, each in ours.items()
        if each.direction is not None and theirs[name].direction is not None
    ]
    other = [(a, b) for a, b in both if a * b < 0]
    parts = [f"{len(both) - len(other)} same"] if both else []
    parts += [f"**{len(other)} another**"] if other else []
    reasons = list(dict.fromkeys(p.reason for p in ours.values() if p.reason and not left_out(p)))
    count = sum(bool(p.reason) and not left_out(p) for p in ours.values())
    if count:
        shown = reasons[0].partition(";")[0]
        more = f" (and {counted(len(reasons) - 1, 'more reason')})" if len(reasons) > 1 else ""
        parts.append(f"{count} not valid: {shown}{more}")
    return "; ".join(parts) or "nothing that both decided"


def left_out(found: Pair) -> bool:
    """Is a pair not valid because the race had not both of its programs?"""
    return "left out of this race" in found.reason or " is unavailable" in found.reason


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
