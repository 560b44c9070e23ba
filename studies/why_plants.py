"""Does a "why" find plants of 2 and 5 µs in a server, and nothing between equal programs?

    python studies/why_plants.py FOLDER [--runtime node|dotnet] [--plants 10 --equals 20]

In Node.js three servers have the same plant: in a function that V8 inlines, behind one more
function, and in a package; in .NET two: in a function, and behind one more, both of which the
compiler puts into the handler. What it takes is measured just before each comparison, by CPU time,
in processes that do nothing else: alone, and two on each CPU, which is nearer to a server's lot.
FOLDER keeps what was profiled; results.jsonl in it has a line for each comparison, and the last
lines printed are about all of them, also of earlier calls.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchbook.commands.measure.terminal import Terminal
from benchbook.model import experiments
from benchbook.profiling import differences, service
from benchbook.profiling.options import WhyOptions
from benchbook.show.why import cards
from benchbook_kernels.base import builds
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
DOTNET_SERVER = """#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

using System.Globalization;
using System.Runtime.CompilerServices;

var loops = int.Parse(Environment.GetEnvironmentVariable("PLANT_LOOPS") ?? "0");
if (Environment.GetEnvironmentVariable("CALIBRATE") is not null)
{
    for (var i = 0; i < 200; i++) Plant.Turn(loops, 1000); // until it is compiled for good
    var before = Environment.CpuUsage.TotalTime;
    Plant.Turn(loops, 100_000);
    var spent = Environment.CpuUsage.TotalTime - before;
    Console.WriteLine((spent.TotalMicroseconds / 100_000).ToString(CultureInfo.InvariantCulture));
    return;
}
var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
var app = builder.Build();
app.MapGet("/", () =>
{
    Plant.Sink ^= CALL;
    return "hello, world";
});
app.Run();

static class Plant
{
    public static int Sink;

    DECLARED
    public static int Slow(int loops)
    {
        var x = 12345;
        for (var i = 0; i < loops; i++) x = unchecked(x * 1664525 + 1013904223);
        return x;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Middle(int loops) => Slow(loops) + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Turn(int loops, int turns)
    {
        for (var i = 0; i < turns; i++) Sink ^= CALL;
    }
}
"""
SHAPES = {
    "inlined": ("", PLANT, "slow(loops)"),
    "behind one level": ("", PLANT + "const middle = (n) => slow(n) + 1;\n", "middle(loops)"),
    "in a package": ("import planted from 'planted';", "", "planted.slow(loops)"),
}
INLINED = "[MethodImpl(MethodImplOptions.AggressiveInlining)]"
DOTNET_SHAPES = {
    "called": ("", "", "Plant.Slow(loops)"),
    "behind one level, both inlined": ("", INLINED, "Plant.Middle(loops)"),
}


@dataclass(frozen=True)
class PlantedRuntime:
    """Servers of one runtime. shapes: what is imported, declared and called, by name."""

    name: str
    file: str
    server: str
    shapes: Mapping[str, tuple[str, str, str]]

    def command(self, folder: Path) -> list[str]:
        """How the server of a folder is started by hand."""
        path = folder / self.file
        if self.file.endswith(".mjs"):
            return ["node", str(path)]
        built = builds.build_folder(path)
        builds.build(path, "build", built, lambda: None)
        return ["dotnet", str(built / "out" / f"{path.stem}.dll")]


RUNTIMES = {
    "node": PlantedRuntime("Node.js", "server.mjs", SERVER, SHAPES),
    "dotnet": PlantedRuntime(".NET", "server.cs", DOTNET_SERVER, DOTNET_SHAPES),
}


def make(folder: Path, runtime: PlantedRuntime, shape: str, loops: int) -> Path:
    """An experiment with two servers of one code, of which b has a plant of so many loops."""
    folder.mkdir(parents=True, exist_ok=True)
    imported, declared, call = runtime.shapes[shape]
    code = runtime.server.replace("IMPORT", imported).replace("DECLARED", declared)
    (folder / runtime.file).write_text(code.replace("CALL", call))
    package = folder / "node_modules" / "planted"
    package.mkdir(parents=True, exist_ok=True)
    (package / "package.json").write_text('{"name": "planted", "version": "1.0.0"}')
    (package / "index.js").write_text("\n" * 60 + PLANT + "exports.slow = slow;\n")
    lines = [
        'title = "plants"\nquestion = "is it found?"\nbaseline = "a"\n[http]\npath = "/"',
        "connections = 50\n[race.quick]\nbudget_seconds = 30\nsample_seconds = 1",
        "[race.full]\nbudget_seconds = 60\nsample_seconds = 1",
    ]
    needs = 'needs = ["npm:planted"]\n' if shape == "in a package" else ""
    for name, turns in (("a", 0), ("b", loops)):
        lines.append(f'[[variants]]\nname = "{name}"\ntitle = "{name}"\nfile = "{runtime.file}"')
        lines.append(f'{needs}env = {{ PLANT_LOOPS = "{turns}" }}')
    (folder / "experiment.toml").write_text("\n".join(lines) + "\n")
    return folder


def calibrated(command: Sequence[str], loops: int, copies: int) -> float:
    """What the plant takes, in µs of CPU time, in so many processes at once: their median."""
    env = {**os.environ, "CALIBRATE": "1", "PLANT_LOOPS": str(loops)}
    cpus = sorted(os.sched_getaffinity(0))
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
    return "i = 0; i < loops" in row.text


def once(folder: Path, runtime: PlantedRuntime, shape: str, size: float) -> dict[str, object]:
    """One comparison, as a line of results."""
    loops = LOOPS.get(size, 0)
    name = re.sub(r"\W+", "-", f"{runtime.name} {shape} {size:g}").strip("-")
    made = make(folder / name, runtime, shape, loops)
    command = runtime.command(made)
    alone, truth = (calibrated(command, loops, n) if loops else 0.0 for n in (1, 4))
    begun = time.monotonic()
    comparison = service.profiled(experiments.load(made), ("a", "b"), WhyOptions(), Terminal())
    why = differences.why(comparison)
    print(cards.headline(why), flush=True)
    first = why.rows[0] if why.rows else None
    planted = next((row for row in why.rows if is_plant(row, shape)), None)
    return {
        "runtime": runtime.name,
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


def report(runtime: PlantedRuntime, every: list[dict]) -> None:  # type: ignore[type-arg]
    """What all comparisons of a runtime say."""
    results = [each for each in every if each["runtime"] == runtime.name]
    for size in LOOPS:
        for shape in runtime.shapes:
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
    busy = [count for r in results for count in r["busy"].values()]
    slower = [share for r in results for share in r["overhead"].values()]
    agree = sum(r["agree"] for r in results)
    print(f"seconds: median {statistics.median(times):.0f}, most {max(times):.0f}")
    print(f"samples at work: median {statistics.median(busy):.0f}, least {min(busy)}")
    print(f"overhead: median {statistics.median(slower):+.1%}, most {max(slower):+.1%}")
    print(f"the check agreed in {agree} of {len(results)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runtime", choices=list(RUNTIMES), default="node")
    parser.add_argument("--plants", type=int, default=10, help="of each shape and size")
    parser.add_argument("--equals", type=int, default=20)
    args = parser.parse_args()
    folder = args.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "results.jsonl"
    runtime = RUNTIMES[args.runtime]
    shapes = list(runtime.shapes)
    asked = [(shape, size) for _ in range(args.plants) for shape in shapes for size in LOOPS]
    asked += [(shapes[0], 0.0)] * args.equals
    for shape, size in asked:
        result = once(folder, runtime, shape, size)
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
    lines = kept.read_text(encoding="utf-8").splitlines()
    report(runtime, [json.loads(line) for line in lines])


if __name__ == "__main__":
    main()
