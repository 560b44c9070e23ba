"""What `compare` finds of planted differences, and of none: programs of each sort, written to a
temporary folder, of which one does 20 % or 5 % more work than the other, or as much. Prints, for
each sort and plant, what comparisons said, the ratios, and how long they took. Half a minute for
each comparison, on a machine that does nothing else:

    .venv/bin/python studies/compare_plants.py [servers|functions|methods|commands …] [--times 10]
"""

import argparse
import contextlib
import io
import tempfile
import time
from pathlib import Path

from benchbook.analysis.judging.verdicts import NO_DIFFERENCE, OPPOSITE, REPRODUCED, TOO_CLOSE
from benchbook.commands.measure.terminal import Terminal
from benchbook.compare import service
from benchbook.compare.service import ComparisonRequest

SERVER = """import {{ createServer }} from 'node:http';
createServer((request, response) => {{
  let sum = 0;
  for (let i = 0; i < {work}; i++) sum += (i * i) % 7;
  response.end(sum ? 'hello' : '');
}}).listen(process.env.PORT, '127.0.0.1');
"""
FUNCTION = """export default () => {{
  let sum = 0;
  for (let i = 0; i < {work}; i++) sum += (i * i) % 7;
  return sum > 0;
}};
"""
METHOD = """public class Work
{{
    public bool Sum()
    {{
        long sum = 0;
        for (long i = 0; i < {work}; i++) sum += i * i % 7;
        return sum > 0;
    }}
}}
"""
COMMAND = """let sum = 0;
for (let i = 0; i < {work}; i++) sum += (i * i) % 7;
console.log(sum > 0);
"""
# sort: (file, its text, work: so much that a plant is nearly as large in the whole as in the work)
SORTS = {
    "servers": ("{}.mjs", SERVER, 100_000),
    "functions": ("{}.mjs", FUNCTION, 1_000),
    "methods": ("{}.cs", METHOD, 1_000),
    "commands": ("{}.mjs", COMMAND, 15_000_000),
}
PLANTS = (0.2, 0.05, 0.0)


def asked(sort: str, plant: float, folder: Path) -> tuple[str, float, float]:
    """The verdict, the ratio and the seconds of one comparison."""
    name, text, work = SORTS[sort]
    for letter, amount in (("a", work), ("b", round(work * (1 + plant)))):
        (folder / name.format(letter)).write_text(text.format(work=amount))
    words = tuple(name.format(letter) for letter in "ab")
    if sort == "commands":
        words = tuple(f"node {word}" for word in words)
    begun = time.monotonic()
    with contextlib.redirect_stderr(io.StringIO()):
        found = service.compare(ComparisonRequest(words, folder=folder), Terminal())
    judgement = found.results.judgements[0]
    ratio = judgement.tests[0].interval.ratio if judgement.tests else float("nan")
    return judgement.verdict, ratio, time.monotonic() - begun


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sorts", nargs="*", default=list(SORTS))
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--plants", type=float, nargs="*", default=list(PLANTS))
    given = parser.parse_args()
    verdicts = (OPPOSITE, REPRODUCED, NO_DIFFERENCE, TOO_CLOSE)
    print(
        f"| sort | plant | {' | '.join(('slower', 'faster', *verdicts[2:]))} | ratios | seconds |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for sort in given.sorts:
        for plant in given.plants:
            with tempfile.TemporaryDirectory() as folder:
                found = [asked(sort, plant, Path(folder)) for _ in range(given.times)]
            counts = [str(sum(each[0] == verdict for each in found)) for verdict in verdicts]
            ratios = sorted(100 * (each[1] - 1) for each in found)
            seconds = sorted(each[2] for each in found)
            print(
                f"| {sort} | {plant:+.0%} | {' | '.join(counts)} "
                f"| {ratios[0]:+.1f} to {ratios[-1]:+.1f} % "
                f"| {seconds[0]:.0f} to {seconds[-1]:.0f} |",
                flush=True,
            )


main()
