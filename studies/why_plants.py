"""Does a "why" find plants of 2 and 5 µs in a Node.js server, and nothing between equal programs?

    python studies/why_plants.py FOLDER [--plants 10 --equals 20]

Three servers have the same plant: in a function that V8 inlines, behind one more function, and in a
package. What it takes is measured just before each comparison, by CPU time, in processes that do
nothing else: alone, and two on each CPU, which is nearer to a server's lot. FOLDER keeps what was
profiled; results.jsonl in it has a line for each comparison, and the last lines printed are about
all of them, also of earlier calls.
"""

import argparse
import json
import os
import statistics
import subprocess
import time
from pathlib import Path

from benchbook.commands.measure.terminal import Terminal
from benchbook.model import experiments
from benchbook.profiling import differences, service
from benchbook.profiling.options import WhyOptions
from benchbook.show.why import cards
from benchbook_kernels.base.processes import Keeper

LOOPS = {2.0: 1800, 5.0: 4500}  # turns that took so many µs on the machine where this was written
WITHIN = 0.25
PLANT = """function slow(loops) {
  let x = 12345;
  for (let i = 0; i < loops; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return x;
}
"""
SERVER = """import http from 'node:http';
IMPORT
const loops = Number(process.env.PLANT_LOOPS ?? 0);
let sink = 0;
DECLARED
if (process.env.CALIBRATE) {
  const turn = (n) => {
    for (let i = 0; i < n; i++) sink ^= CALL;
  };
  turn(20000);
  const before = process.cpuUsage();
  turn(100000);
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / 100000);
} else
  http
    .createServer((request, response) => {
      sink ^= CALL;
      response.end('{"hello":"world"}');
    })
    .listen(process.env.PORT, '127.0.0.1');
"""
SHAPES = {
    "inlined": ("", PLANT, "slow(loops)"),
    "behind one level": ("", PLANT + "const middle = (n) => slow(n) + 1;\n", "middle(loops)"),
    "in a package": ("import planted from 'planted';", "", "planted.slow(loops)"),
}


def make(folder: Path, shape: str, loops: int) -> Path:
    """An experiment with two servers of one code, of which b has a plant of so many loops."""
    folder.mkdir(parents=True, exist_ok=True)
    imported, declared, call = SHAPES[shape]
    code = SERVER.replace("IMPORT", imported).replace("DECLARED", declared).replace("CALL", call)
    (folder / "server.mjs").write_text(code)
    package = folder / "node_modules" / "planted"
    package.mkdir(parents=True, exist_ok=True)
    (package / "package.json").write_text('{"name": "planted", "version": "1.0.0"}')
    (package / "index.js").write_text("\n" * 60 + PLANT + "exports.slow = slow;\n")
    lines = [
        'title = "plants"\nquestion = "is it found?"\nbaseline = "a"\n[http]\npath = "/"',
        "connections = 50\n[race.quick]\nbudget_seconds = 30\nsample_seconds = 1",
        "[race.full]\nbudget_seconds = 60\nsample_seconds = 1",
    ]
    for name, turns in (("a", 0), ("b", loops)):
        lines.append(f'[[variants]]\nname = "{name}"\ntitle = "{name}"\nfile = "server.mjs"')
        lines.append(f'needs = ["npm:planted"]\nenv = {{ PLANT_LOOPS = "{turns}" }}')
    (folder / "experiment.toml").write_text("\n".join(lines) + "\n")
    return folder


def calibrated(folder: Path, loops: int, copies: int) -> float:
    """What the plant takes, in µs of CPU time, in so many processes at once: their median."""
    env = {**os.environ, "CALIBRATE": "1", "PLANT_LOOPS": str(loops)}
    command, cpus = ["node", str(folder / "server.mjs")], sorted(os.sched_getaffinity(0))
    with Keeper() as keeper:
        started = [
            keeper.start(command, env=env, stdout=subprocess.PIPE, cpus=[cpus[i % len(cpus)]])
            for i in range(copies)
        ]
        return statistics.median(float(process.communicate()[0]) for process in started)


def is_plant(row: differences.Row, shape: str) -> bool:
    """Is a row the plant: of its package, or of the line with its loop?"""
    if shape == "in a package":
        return row.key.layer == "planted" and row.key.function == "slow"
    return "for (let i = 0; i < loops" in row.text


def once(folder: Path, shape: str, size: float) -> dict[str, object]:
    """One comparison, as a line of results."""
    loops = LOOPS.get(size, 0)
    made = make(folder / f"{shape.replace(' ', '-')}-{size:g}", shape, loops)
    alone = calibrated(made, loops, 1) if loops else 0.0
    truth = calibrated(made, loops, 4) if loops else 0.0
    begun = time.monotonic()
    comparison = service.profiled(experiments.load(made), ("a", "b"), WhyOptions(), Terminal())
    why = differences.why(comparison)
    print(cards.headline(why), flush=True)
    first = why.rows[0] if why.rows else None
    planted = next((row for row in why.rows if is_plant(row, shape)), None)
    return {
        "shape": shape,
        "size": size,
        "alone": alone,
        "truth": truth,
        "seconds": time.monotonic() - begun,
        "first": bool(first and is_plant(first, shape) and first.more.differs),
        "row": first.key.function if first else why.problem,
        "found": planted.more.mean if planted else 0.0,
        "differing": [row.key.function for row in why.found],
        "overhead": dict(why.check.overhead),
        "plain": why.check.plain.mean,
        "scaled": why.check.scaled.mean,
        "agree": why.check.agree,
        "busy": dict(why.busy),
    }


def report(results: list[dict]) -> None:  # type: ignore[type-arg]
    """What all comparisons say."""
    for size in LOOPS:
        for shape in SHAPES:
            some = [r for r in results if (r["size"], r["shape"]) == (size, shape)]
            if some:
                sizes = [r["found"] / r["truth"] for r in some]
                near = sum(abs(ratio - 1) <= WITHIN for ratio in sizes)
                first = sum(r["first"] for r in some)
                print(
                    f"{size:g} µs {shape}: first row {first} of {len(some)}, within "
                    f"{WITHIN:.0%} {near} of {len(some)}, size / truth: "
                    + " ".join(f"{ratio:.2f}" for ratio in sizes)
                )
    equal = [r for r in results if not r["size"]]
    if equal:
        none = sum(not r["differing"] for r in equal)
        print(f"equal: no function different {none} of {len(equal)}")
    times = [r["seconds"] for r in results]
    slower = [share for r in results for share in r["overhead"].values()]
    agree = sum(r["agree"] for r in results)
    print(f"seconds: median {statistics.median(times):.0f}, most {max(times):.0f}")
    print(f"overhead: median {statistics.median(slower):+.1%}, most {max(slower):+.1%}")
    print(f"the check agreed in {agree} of {len(results)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--plants", type=int, default=10, help="of each shape and size")
    parser.add_argument("--equals", type=int, default=20)
    args = parser.parse_args()
    folder = args.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "results.jsonl"
    asked = [(shape, size) for _ in range(args.plants) for shape in SHAPES for size in LOOPS]
    asked += [("inlined", 0.0)] * args.equals
    for shape, size in asked:
        result = once(folder, shape, size)
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
    report([json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()])


if __name__ == "__main__":
    main()
