"""Writes docs/surprises.md, where a good guess is wrong, from the scripts in findings/.

`python tools/make_surprises.py`; with --check it writes nothing and fails where the page is not up
to date. GUARDS says what Benchbook does where one of them would mislead its races.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "surprises.md"
FINDINGS = ROOT / "findings"
HEAD = """# Where a good guess is wrong

Libraries, tools and formats of this field that behave otherwise than a good engineer guesses. Each
was guessed first, in writing, then run. The link is a script that shows it, at the version named,
without Benchbook ([how to run one](../findings/README.md)). Made from these scripts by
`python tools/make_surprises.py`.

## They would mislead a race, so Benchbook guards against them

| What happens | What Benchbook does | Kept by |
|---|---|---|
"""
OTHERS = """
## Others

Whoever compares programs with these, or reads the results of others, should know.

| What happens | |
|---|---|
"""
PARITY = "tests/programs/test_parity.py"
SHAPES = (
    "methods are raced only where they give the same text; values that they write differently are "
    "not among them",
    "tests/snippets/test_05_json_vs_templates.py",
)
ALIKE = ("status, headers and body must be the baseline's, byte for byte", PARITY)
VERSIONS = (
    "programs are asked in HTTP/1.1 too, and one whose connections are closed is told before the "
    "race",
    PARITY,
)
# by finding: what Benchbook does, and the test that keeps it so
GUARDS: dict[str, tuple[str, str]] = {
    "benchmarkdotnet-async-void": (
        "a benchmark that is async void is refused, with the line",
        "tests/race/test_micro_cell_checks.py",
    ),
    "bun-http-1.0-keep-alive": VERSIONS,
    "cpuprofile-counts-lines-twice": (
        "lines of functions and of samples are brought to one count",
        "tests/profiling/test_node_profiles.py",
    ),
    "dotnet-file-app-aot": (
        "a program with these switches gets a remark, with the line that turns them off",
        "tests/programs/test_file_based.py",
    ),
    "dotnet-info-leaves-folders": (
        "what it leaves goes with the command; tests fail that leave a file",
        "tests/leftovers.py",
    ),
    "dotnet-one-cpu-optimises-late": (
        "a warm-up lasts by requests and CPU time, with rests; methods are called until nothing of "
        "them is compiled any more",
        "tests/race/test_warming.py",
    ),
    "dotnet-server-gc-one-cpu": (
        "a race in which servers have one CPU says so",
        "tests/programs/test_runners.py",
    ),
    "fast-json-stringify-dates": SHAPES,
    "fast-json-stringify-nan": SHAPES,
    "fast-json-stringify-null": SHAPES,
    "node-child-has-its-parents-peak": (
        "a peak that may be the parent's is shown as “≤”",
        "tests/race/test_commands.py",
    ),
    "node-http-1.0-length": VERSIONS,
    "restify-quotes-text": ALIKE,
    "wrk-connections-per-thread": (
        "all threads have as many connections",
        "tests/load/test_load.py",
    ),
}


def title(script: Path) -> str:
    """What a script's first comment says: the version and the behaviour."""
    words = []
    for line in script.read_text(encoding="utf-8").splitlines()[1:]:
        if line == "#":
            return " ".join(words)
        words.append(line.removeprefix("# "))
    raise ValueError(f"{script}: its first comment has no end, a line with # only")


def rows(names: list[str]) -> Iterator[str]:
    for name in names:
        cells = [title(FINDINGS / f"{name}.sh").replace("|", "\\|")]
        if name in GUARDS:
            what, test = GUARDS[name]
            cells += [what, f"[{Path(test).name}](../{test})"]
            cells[0] += f" ([script](../findings/{name}.sh))"
        else:
            cells += [f"[script](../findings/{name}.sh)"]
        yield f"| {' | '.join(cells)} |\n"


def page() -> str:
    """The page, from the scripts that are there. Raises ValueError for a guard without one."""
    names = sorted(path.stem for path in FINDINGS.glob("*.sh"))
    if unknown := sorted(GUARDS.keys() - set(names)):
        raise ValueError(f"GUARDS: there is no findings/{unknown[0]}.sh")
    guarded = [name for name in names if name in GUARDS]
    others = [name for name in names if name not in GUARDS]
    return HEAD + "".join(rows(guarded)) + OTHERS + "".join(rows(others))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if it is old")
    asked = parser.parse_args(arguments)
    text = page()
    if not asked.check:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        print(f"{PAGE.name} is not up to date: python tools/make_surprises.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
