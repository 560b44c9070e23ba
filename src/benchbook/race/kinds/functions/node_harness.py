"""JavaScript functions in Node.js processes that time them: harness.mjs."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchbook.model.variants import Variant
from benchbook.programs import node_versions
from benchbook.race.kinds.functions.executor import Harness
from benchbook.system import paths

HARNESS = paths.PACKAGE / "race" / "kinds" / "functions" / "harness.mjs"


def command(module: Path, variant: Variant) -> list[str]:
    """The command line of the harness for a variant."""
    files = [str(HARNESS), str(module), str(variant.path)]
    node = node_versions.command(variant.needs)
    return [node, "--expose-gc", *files, variant.benchmark, variant.case]


def by_hand(module: Path, variant: Variant) -> str:
    """The command line for a reader, which measures for half a second."""
    node, option, *files, benchmark, case = command(module, variant)
    words = [f"{name}={value}" for name, value in variant.env.items()]
    words += [paths.relative(Path(node)) if os.sep in node else node, option]
    words += [
        *(paths.relative(Path(file)) for file in files),
        benchmark,
        *([shlex.quote(case)] if case else []),
    ]
    return f"echo 0.5 | {' '.join(words)}"


@dataclass(frozen=True)
class NodeHarness(Harness):
    """module: of the experiment, which makes the function that is timed."""

    module: Path

    def command(self, variant: Variant) -> list[str]:
        return command(self.module, variant)

    def explained(self, lines: Sequence[str], variant: Variant) -> Sequence[str]:
        first = next((i for i, line in enumerate(lines) if "Error" in line), 0)
        foreign = ("node:", str(HARNESS), HARNESS.as_uri(), "Node.js v")
        kept = [line.strip() for line in lines[first:] if not any(x in line for x in foreign)]
        return [brief(line, variant.path.parent) for line in kept if line != "^"]


def brief(line: str, folder: Path) -> str:
    """A line of an error with paths as a reader knows them."""
    for place in (folder, paths.root()):
        line = line.replace(f"{place.as_uri()}/", "").replace(f"{place}{os.sep}", "")
    return line
