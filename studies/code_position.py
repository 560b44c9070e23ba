"""What a loop of C# costs by where its machine code comes to lie.

The runtime puts the code of a method with a loop at a multiple of 32 bytes. Whether that is a
multiple of 64, too, where a line of the CPU's cache begins, is chance, and differs from process to
process. Starts one method in so many processes as a race of functions does, and prints the
position and the nanoseconds of a call (the median of 30 slices of 2 ms), sorted. The figures of
"Functions" in method.md; Linux only, where the runtime writes down the positions.

    python studies/code_position.py [--times 16]
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from benchbook.programs import given_environment
from benchbook.race.kinds.functions.files import dotnet_build, dotnet_files
from benchbook.race.kinds.functions.files.dotnet_build import MethodsFile

CODE = """public class Work
{
    public long Do()
    {
        long sum = 0;
        for (long i = 0; i < 1000; i++) sum += i * i % 7;
        return sum;
    }
}
"""
MARK = "// benchbook "
SLICE_SECONDS, WARM, COUNTED = 0.002, 30, 30


def cost(file: MethodsFile, map_folder: Path) -> tuple[int, float]:
    """Where the method's final code lies, modulo 64, and the nanoseconds of a call."""
    told = {"DOTNET_PerfMapEnabled": "1", "DOTNET_PerfMapJitDumpPath": str(map_folder)}
    env = {
        **os.environ,
        **given_environment.environment(),
        **dotnet_files.environment(file),
        **told,
    }
    command = dotnet_files.command(file, ["slices", "Work.Do"])
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=env, text=True, **pipes) as process:
        lines = iter(process.stdout.readline, "")
        next(line for line in lines if line.startswith(MARK))
        times = []
        for _ in range(WARM + COUNTED):
            process.stdin.write(f"{SLICE_SECONDS}\n")
            process.stdin.flush()
            found = json.loads(next(lines).removeprefix(MARK))
            times.append(1e9 * found["seconds"] / found["operations"])
    written = map_folder / f"perf-{process.pid}.map"
    rows = written.read_text(encoding="utf-8").splitlines()
    last = [row for row in rows if re.search(r"Work::Do\(\).*OptimizedTier1\]", row)][-1]
    return int(last.split()[0], 16) % 64, statistics.median(times[WARM:])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--times", type=int, default=16)
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "work.cs"
        path.write_text(CODE, encoding="utf-8")
        file = MethodsFile(path)
        dotnet_build.build([file], print)
        found = sorted(cost(file, Path(name)) for _ in range(times))
    print(f"{time.strftime('%Y-%m-%d')}, {times} processes\n\n| at | ns a call |\n|---|---|")
    for place, nanoseconds in found:
        print(f"| {place} | {nanoseconds:.0f} |")


if __name__ == "__main__":
    main()
