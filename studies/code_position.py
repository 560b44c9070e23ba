"""What a loop of C# costs by where its machine code comes to lie.

The runtime puts the code of a method with a loop at a multiple of 32 bytes. Whether that is a
multiple of 64, too, where a line of the CPU's cache begins, is chance, and differs from process to
process. Starts one method in so many processes as a race of functions does, and prints the
position and the nanoseconds of a call (the median of 30 slices of 2 ms), sorted. The figures of
"Functions" in method.md; Linux only, where the runtime writes down the positions.

    python studies/code_position.py [--times 16]
"""

import argparse
import re
import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path

from benchbook.model.variants import Variant
from benchbook.race.kinds.functions.executor import SlicedExecutor
from benchbook.race.kinds.functions.files import dotnet_build
from benchbook.race.kinds.functions.files.dotnet_build import MethodsFile
from benchbook.race.kinds.functions.files.dotnet_files import FilesHarness

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
SLICE_SECONDS, WARM, COUNTED = 0.002, 30, 30


def cost(executor: SlicedExecutor, variant: Variant, folder: Path) -> tuple[int, float]:
    """Where the method's final code lies, modulo 64, and the nanoseconds of a call."""
    timer = executor.start(variant)
    timer.first()
    found = [timer.measure(SLICE_SECONDS) for _ in range(WARM + COUNTED)][WARM:]
    timer.dialogue.close(executor.keeper)
    written = folder / f"perf-{timer.dialogue.process.pid}.map"
    rows = written.read_text(encoding="utf-8").splitlines()
    last = [row for row in rows if re.search(r"Work::Do\(\).*OptimizedTier1\]", row)][-1]
    times = [1e9 * each["seconds"] / each["operations"] for each in found]
    return int(last.split()[0], 16) % 64, statistics.median(times)


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
        told = {"DOTNET_PerfMapEnabled": "1", "DOTNET_PerfMapJitDumpPath": name}
        variant = Variant("do", "Do", path, benchmark="Work.Do", env=told)
        dotnet_build.build([MethodsFile.of(variant)], print)
        with closing(SlicedExecutor({"do": variant}, FilesHarness())) as executor:
            found = sorted(cost(executor, variant, Path(name)) for _ in range(times))
    print(f"{time.strftime('%Y-%m-%d')}, {times} processes\n\n| at | ns a call |\n|---|---|")
    for place, nanoseconds in found:
        print(f"| {place} | {nanoseconds:.0f} |")


if __name__ == "__main__":
    main()
