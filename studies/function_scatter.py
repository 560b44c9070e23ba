"""How much equal functions scatter in a race of a few seconds, and whether small plants are found:
of each language a function that computes and one that allocates, compared with a twin, and with one
that does 3 % more work. With --beside, each race is held by another checkout's build, too, next to
this one's in an order that is drawn, so that both meet the same machine; with --slices, each race
is held in slices of each of these lengths. Prints, for each build,
function and plant: the median standard error of the log ratio of the baseline's two copies; how
many of those ratios, and of the twin's, lie within 2 %; how many plants were found; the seconds a
race took, and the share of them that is neither a sample nor warm-up; and the load of the machine.
The figures of "Functions" in method.md. Takes 40 seconds for each repetition and language:

    .venv/bin/python studies/function_scatter.py [NAME …] [--times 10] [--beside CHECKOUT]
"""

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

ADD = "for (let i = 0; i < {work}; i++) sum += (i * i) % 7;"
TEXT = "for (let i = 0; i < {work}; i++) sum += JSON.stringify({{ name: sum, i }}).length;"
PARSE = "for (let i = 0; i < {work}; i++) sum += JSON.parse('{{\"a\": [1, 2, 3]}}').a.length;"
MODULE = "export default () => {{\n  let sum = 0;\n  %s\n  return sum;\n}};\n"
CLASS = """using System.Text.Json;
public class Work
{{
    public record Shape(string Name, int Number);
    public long Do()
    {{
        long sum = 0;
        %s
        return sum;
    }}
}}
"""
SUM = "for (long i = 0; i < {work}; i++) sum += i * i % 7;"
BYTES = (
    "for (var i = 0; i < {work}; i++) "
    'sum += JsonSerializer.SerializeToUtf8Bytes(new Shape("name", i)).Length;'
)
JOINED = (
    "for (var i = 0; i < {work}; i++) "
    'sum += string.Concat(i.ToString(), "-", sum.ToString()).Length;'
)
FUNCTIONS = {  # name: (ending, text, work: so much that 3 % of it is a whole number)
    "js-computes": ("mjs", MODULE % ADD, 1000),
    "js-stringify": ("mjs", MODULE % TEXT, 100),
    "js-parse": ("mjs", MODULE % PARSE, 100),
    "cs-computes": ("cs", CLASS % SUM, 1000),
    "cs-serializes": ("cs", CLASS % BYTES, 100),
    "cs-concat": ("cs", CLASS % JOINED, 100),
}
PLANT, NARROW = 0.03, 0.02
RACE = """
import contextlib, io, json, sys
from pathlib import Path
from benchbook.commands.measure.terminal import Terminal
from benchbook.compare import service
from benchbook.compare.service import ComparisonRequest
from benchbook.race.kinds.functions import executor
from benchbook.race.options import Options

first, second, folder, seconds, slice_ms, whole = sys.argv[1:]
if slice_ms:
    executor.SLICE_SECONDS = float(slice_ms) / 1000
options = Options(fixed=True) if whole and hasattr(Options, "fixed") else Options()
asked = ComparisonRequest(
    (first, second), folder=Path(folder), seconds=float(seconds), answers="any", anyway=True,
    options=options,
)
with contextlib.redirect_stderr(io.StringIO()):
    found = service.compare(asked, Terminal())
[judgement], timing = found.results.judgements, found.run.timing
told = {
    name: {key: getattr(each, key) for key in ("ratio", "low", "high", "error", "launches")}
    for name, each in (("other", judgement.tests[0].interval), ("control", found.results.control))
}
print(json.dumps({**told, "timing": timing, "path": str(found.run.path)}))
"""


def raced(
    checkout: Path, folder: Path, ending: str, seconds: float, slice_ms: str, whole: bool
) -> dict[str, Any]:
    """What a race of a.* and b.* by this checkout's build said; whole: it does not end earlier,
    when it is decided that they are equal."""
    places = [checkout / "src", checkout / "packages" / "benchbook-kernels" / "src"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}
    words = [f"a.{ending}", f"b.{ending}", str(folder), str(seconds), slice_ms]
    words += ["whole" if whole else ""]
    command = [sys.executable, "-c", RACE, *words]
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"a race of {folder} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def written(folder: Path, name: str, plant: float) -> str:
    """Write two functions of this name, the second of which does so much more; their ending."""
    ending, text, work = FUNCTIONS[name]
    for letter, amount in (("a", work), ("b", round(work * (1 + plant)))):
        (folder / f"{letter}.{ending}").write_text(text.format(work=amount))
    return ending


def told(build: str, name: str, plant: float, found: list[dict[str, Any]]) -> str:
    """A row of the table."""
    errors = [100 * each["control"]["error"] for each in found]
    ratios = [each["control"]["ratio"] for each in found]
    if plant:
        hits = sum(each["other"]["high"] < 1 for each in found)
    else:
        ratios += [each["other"]["ratio"] for each in found]
        hits = sum(not each["other"]["low"] <= 1 <= each["other"]["high"] for each in found)
    inside = sum(abs(math.log(ratio)) <= NARROW for ratio in ratios)
    wall = statistics.median(each["timing"]["total_seconds"] for each in found)
    beside = statistics.median(
        1
        - (each["timing"]["sample_seconds"] + each["timing"]["warmup_seconds"])
        / each["timing"]["total_seconds"]
        for each in found
    )
    launches = statistics.median(each["control"]["launches"] for each in found)
    return (
        f"| {build} | {name} | {plant:+.0%} | {statistics.median(errors):.2f} | {inside} of "
        f"{len(ratios)} | {hits} of {len(found)} | {launches:g} | {wall:.1f} | {beside:.0%} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=list(FUNCTIONS))
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=10.0, help="of a race of equal ones")
    parser.add_argument("--plant-seconds", type=float, default=15.0)
    parser.add_argument("--beside", type=Path, help="another checkout, whose build races, too")
    parser.add_argument("--slices", nargs="*", metavar="MS", help="of so many milliseconds")
    parser.add_argument("--json", type=Path, help="a file for all that was found")
    given = parser.parse_args()
    builds = {"this": (Path(__file__).resolve().parents[1], "")}
    if given.beside:
        builds["other"] = (given.beside.resolve(), "")
    if given.slices:
        builds = {
            f"{name}, {ms} ms": (path, ms)
            for name, (path, _) in builds.items()
            for ms in given.slices
        }
    found: dict[tuple[str, str, float], list[dict[str, Any]]] = defaultdict(list)
    loads = []
    lengths = {0.0: given.seconds, PLANT: given.plant_seconds}
    for _ in range(given.times):
        for name in given.names:
            for plant, seconds in lengths.items():
                if not seconds:
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    ending = written(Path(folder), name, plant)
                    for build in random.sample(list(builds), len(builds)):
                        path, slice_ms = builds[build]
                        race = raced(path, Path(folder), ending, seconds, slice_ms, not plant)
                        found[build, name, plant].append(race)
                loads.append(os.getloadavg()[0])
        if given.json:
            given.json.write_text(json.dumps([[*key, each] for key, each in found.items()]))
    print("| build | functions | plant | error, % | within 2 % | found | launches | s | beside |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (build, name, plant), each in found.items():
        print(told(build, name, plant, each))
    print(f"load {min(loads):.1f} to {max(loads):.1f}, median {statistics.median(loads):.1f}")


if __name__ == "__main__":
    main()
