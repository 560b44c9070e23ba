"""What becomes of a comparison's answer: a gate's exit code, and files for other tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.compare import words
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError

if TYPE_CHECKING:  # help needs none of it
    from benchbook.analysis.judging.judge import Results
    from benchbook.model.runs import Run
    from benchbook.show.exporting import Export

GATE = "--fail-if-slower"
HYPERFINE = "hyperfine="
OUTCOME_OPTIONS: list[click.Parameter] = [
    click.Option(
        [GATE],
        metavar="5%",
        help="A gate: exit code 3 if surely slower by more, 0 if surely not, 4 if it can't tell.",
    ),
    click.Option(
        ["--undecided"],
        type=click.Choice(("ok", "fail")),
        help="What the gate makes of what it can't tell: 0 or 4 (default: fail).",
    ),
    click.Option(
        ["--export", "exports"],
        multiple=True,
        metavar="FORMAT=FILE",
        help="Write a file that another tool reads: action, bdn, bencher, hyperfine, junit, "
        "markdown, mitata.",
    ),
]


@dataclass(frozen=True)
class Consequences:
    """What is wanted. limit: the gate's, as a share, None without a gate; undecided_ok: does the
    gate let through what it can't tell?"""

    limit: float | None
    undecided_ok: bool
    exports: tuple[Export, ...]

    def tell(self, run: Run, results: Results) -> int:
        """Write the files, print what the gate says; the exit code, 0 without a gate.

        Raises OSError where a file can't be written.
        """
        from benchbook.compare.gate import gate  # here: help needs none of it
        from benchbook.show import gated as told

        gated = self.limit and gate(run, results, self.limit, self.undecided_ok)
        for line in told.lines(run, gated) if gated else ():
            click.echo(line)
        for export in self.exports:
            export.write(run, results, gated or None)
            click.echo(f"{export.format}: {paths.relative(export.path)}")
        return gated.code if gated else 0


def by_one_name(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values, with `--export hyperfine=FILE` as what hyperfine calls it, which is checked with
    the other options of commands. Raises InputError where both are given."""
    own = [words for words in values["exports"] if words.startswith(HYPERFINE)]
    if not own:
        return dict(values)
    if len(own) > 1 or values["export_json"]:
        problem = "hyperfine's JSON is asked for twice"
        raise InputError("--export", "", problem, "leave one of them out")
    file = own[0].removeprefix(HYPERFINE)
    if not file:
        raise InputError("--export", "", f"'{own[0]}' is not FORMAT=FILE")
    rest = tuple(words for words in values["exports"] if words not in own)
    return {**values, "export_json": file, "exports": rest}


def wanted(values: Mapping[str, Any], taken: Sequence[Path | None]) -> Consequences:
    """What was asked for, from values as `by_one_name` makes them. taken: the other files that are
    written. Raises InputError."""
    from benchbook.show import exporting  # here: help needs none of it

    given, undecided = values["fail_if_slower"], values["undecided"]
    if undecided and not given:
        raise InputError("--undecided", "", f"needs {GATE}", f"add {GATE} 5%")
    limit = words.share(given, GATE) if given else None
    return Consequences(limit, undecided == "ok", exporting.parse(values["exports"], taken))
