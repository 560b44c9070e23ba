"""Runs one class as a `%%benchmark` cell and in an ordinary project, in turn, and writes both.

`python docs/make_benchmark_table.py` makes docs/benchmark-cell.md; it takes about six minutes.
"""

import json
import re
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from benchbook import micro, results, runners  # noqa: E402
from make_csharp_table import Kernel  # noqa: E402

TURNS = 3
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
    run = results.latest("cell-benchmarks")
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
    code, output = runners.run([*command, "--exporters", "fulljson"], folder)
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
    central = (ROOT / micro.CENTRAL).read_text(encoding="utf-8")
    version = re.search(r'Include="BenchmarkDotNet" Version="([^"]+)"', central)[1]
    files = {
        "global.json": "{}",
        "Directory.Packages.props": "<Project />",
        "Joins.cs": "using BenchmarkDotNet.Attributes;\n" + CLASS,
        "Program.cs": PROGRAM,
        "Ordinary.csproj": PROJECT.format(target=micro.target(), version=version),
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def main() -> None:
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
    rows = []
    for name in cells[0]:
        ours, theirs = ([each[name][0] for each in turns] for turns in (cells, projects))
        ratio = statistics.median(a / b for a, b in zip(ours, theirs))
        times = [", ".join(f"{value:,.1f}" for value in values) for values in (ours, theirs)]
        allocated = [f"{turns[-1][name][1]:,.0f} B" for turns in (cells, projects)]
        rows.append([f"`{name}`", *times, f"{ratio:.2f}", *allocated])
    heads = ["", "cell, ns", "project, ns", "ratio", "allocated, cell", "allocated, project"]
    table = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    table += [f"| {' | '.join(row)} |" for row in rows]
    text = (
        "# A benchmark in a cell and in a project\n\n"
        "Made by `docs/make_benchmark_table.py`: one class, run by `%%benchmark` (quick) in\n"
        "the notebook's kernel and by BenchmarkDotNet's short job in an ordinary project,\n"
        f"{TURNS} times in turn. Times are medians over iterations, one for each turn; the\n"
        "ratio is the median of the turns' ratios. Where one side's own turns are as far apart as\n"
        "the two sides are, as may be with operations of few nanoseconds, the ratio says nothing.\n\n"
        + "\n".join(table)
        + "\n"
    )
    (ROOT / "docs" / "benchmark-cell.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
