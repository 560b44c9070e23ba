"""Runs one class alternately as a `%%benchmark` cell and in an ordinary project, and compares them.

`python tools/make_benchmark_table.py` makes docs/benchmark-cell.md; it takes about six minutes.
"""

import argparse
import json
import re
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / path) for path in ("src", "packages/benchbook-kernels/src")]

from make_csharp_table import Kernel  # noqa: E402

from benchbook.model import results  # noqa: E402
from benchbook.race.kinds.benchmarks import cell_project  # noqa: E402
from benchbook.race.kinds.functions import dotnet_project  # noqa: E402
from benchbook_kernels.base import builds  # noqa: E402

TURNS = 3
HEAD = f"""\
# A benchmark in a cell and in a project

Made by `tools/make_benchmark_table.py`: one class, run alternately by `%%benchmark` (quick) in
the notebook's kernel and by BenchmarkDotNet's short job in an ordinary project,
{TURNS} times each. Times are medians over iterations, one for each turn; the
ratio is the median of the turns' ratios. If one side's own turns are as far apart as
the two sides are, which happens with operations of a few nanoseconds, the ratio says nothing.

"""
CLASS = """\
[MemoryDiagnoser]
public class Joins
{
    [Params(10, 1000)]
    public int N;

    [Benchmark(Baseline = true)]
    public string Builder()
    {
        var text = new System.Text.StringBuilder();
        for (var i = 0; i < N; i++) text.Append(i);
        return text.ToString();
    }

    [Benchmark]
    public string Join() => string.Concat(Enumerable.Range(0, N));

    [Benchmark]
    public int Count()
    {
        var digits = 0;
        for (var i = 0; i < N; i++) digits += i < 10 ? 1 : i < 100 ? 2 : 3;
        return digits;
    }
}
"""
PROGRAM = (
    "BenchmarkDotNet.Running.BenchmarkSwitcher.FromAssembly(typeof(Joins).Assembly).Run(args);"
)
PROJECT = """\
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net{target}</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
  </PropertyGroup>
  <ItemGroup><PackageReference Include="BenchmarkDotNet" Version="{version}" /></ItemGroup>
</Project>
"""

# Nanoseconds an operation and bytes allocated by it, by benchmark.
Measured = dict[str, tuple[float, float]]


def in_a_cell(kernel: Kernel) -> Measured:
    """As `%%benchmark` measures it: the median iteration of the run that it saved."""
    kernel.run("%%benchmark\n" + CLASS)
    run = results.load(next(iter(results.saved("cell-benchmarks"))))
    speeds: dict[str, list[float]] = {}
    for sample in run.samples:
        speeds.setdefault(sample.variant, []).append(sample.requests_per_second)
    return {
        name: (1e9 / statistics.median(found), run.allocated_bytes[name])
        for name, found in speeds.items()
        if "#" not in name
    }


def in_a_project(folder: Path) -> Measured:
    """As BenchmarkDotNet's short job measures it in a project that knows nothing of Benchbook."""
    command = ["dotnet", "run", "-c", "Release", "--", "--filter", "*", "--job", "short"]
    code, output = builds.run([*command, "--exporters", "fulljson"], folder)
    if code:
        raise RuntimeError(output[-2000:])
    (report,) = (folder / "BenchmarkDotNet.Artifacts" / "results").glob("*.json")
    return {
        f"Joins.{each['Method']} [{each['Parameters']}]": (
            each["Statistics"]["Median"],
            each["Memory"]["BytesAllocatedPerOperation"],
        )
        for each in json.loads(report.read_text(encoding="utf-8"))["Benchmarks"]
    }


def make_project(folder: Path) -> None:
    central = (ROOT / dotnet_project.CENTRAL).read_text(encoding="utf-8")
    version = re.search(r'Include="BenchmarkDotNet" Version="([^"]+)"', central)[1]
    files = {
        "global.json": "{}",
        "Directory.Packages.props": "<Project />",
        "Joins.cs": "using BenchmarkDotNet.Attributes;\n" + CLASS,
        "Program.cs": PROGRAM,
        "Ordinary.csproj": PROJECT.format(target=cell_project.target(), version=version),
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def measure() -> tuple[list[Measured], list[Measured]]:
    """The cell's and the project's figures, one of each for every turn."""
    cells: list[Measured] = []
    projects: list[Measured] = []
    kernel = Kernel()
    try:
        with tempfile.TemporaryDirectory() as folder:
            make_project(Path(folder))
            for turn in range(TURNS):
                cells.append(in_a_cell(kernel))
                projects.append(in_a_project(Path(folder)))
                print(f"turn {turn + 1} of {TURNS} done")
    finally:
        kernel.close()
    return cells, projects


def row(name: str, cells: list[Measured], projects: list[Measured]) -> list[str]:
    ours, theirs = ([each[name][0] for each in turns] for turns in (cells, projects))
    ratio = statistics.median(a / b for a, b in zip(ours, theirs))
    times = [", ".join(f"{value:,.1f}" for value in values) for values in (ours, theirs)]
    allocated = [f"{turns[-1][name][1]:,.0f} B" for turns in (cells, projects)]
    return [f"`{name}`", *times, f"{ratio:.2f}", *allocated]


def main() -> None:
    cells, projects = measure()
    heads = ["", "cell, ns", "project, ns", "ratio", "allocated, cell", "allocated, project"]
    table = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    table += [f"| {' | '.join(row(name, cells, projects))} |" for name in cells[0]]
    text = HEAD + "\n".join(table) + "\n"
    (ROOT / "docs" / "benchmark-cell.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    main()
