"""What becomes of a comparison's answer: a gate's exit code, and files for other tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.compare import words
from benchbook.compare.command_options import FORMATS, NO_FILES, Exports, exports
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError

if TYPE_CHECKING:  # help needs none of it
    from benchbook.analysis.judging.judge import Results
    from benchbook.compare.gate import Gated
    from benchbook.model.runs import Run
    from benchbook.show.exporting import Export

GATE = "--fail-if-slower"
HYPERFINE = "hyperfine="
STDOUT = "-"  # as a file
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
        help="Write a file that another tool reads (- shows it): action, bdn, bencher, hyperfine, "
        "junit, markdown, mitata.",
    ),
]


@dataclass(frozen=True)
class Consequences:
    """What is wanted. limit: the gate's, as a share, None without a gate; undecided_ok: does the
    gate let through what it can't tell? page: where the answer is written as a page; exports and
    of_commands: files for other tools, the latter hyperfine's."""

    limit: float | None
    undecided_ok: bool
    page: Path | None
    exports: tuple[Export, ...]
    of_commands: Exports

    def gate(self, run: Run, results: Results) -> Gated | None:
        """What the gate says, which is printed; None without one."""
        from benchbook.compare.gate import gate  # here: help needs none of it
        from benchbook.show import gated as told

        if not self.limit:
            return None
        gated = gate(run, results, self.limit, self.undecided_ok)
        for line in told.lines(run, gated):
            click.echo(line)
        return gated

    def write(self, run: Run, results: Results, gated: Gated | None) -> list[str]:
        """Write all files, and tell their names, after that of the run; what could not be."""
        from benchbook.compare import hyperfine_files  # here: help needs none of it
        from benchbook.show import compare_page
        from benchbook_kernels.base.files import write_atomically

        failed: list[str] = []
        if self.page:
            with collected(failed, self.page):
                write_atomically(self.page, compare_page.render(run, results))
                click.echo(f"\npage: {self.page}")
        if run.path:
            click.echo(f"run file: {paths.relative(run.path)}")
        for form, file in self.of_commands.files.items():
            with collected(failed, file):
                hyperfine_files.write(run, replace(self.of_commands, files={form: file}))
        for export in self.exports:
            with collected(failed, export.path):
                export.write(run, results, gated)
                if str(export.path) != STDOUT:
                    click.echo(f"{export.format}: {paths.relative(export.path)}")
        return failed


@contextmanager
def collected(failed: list[str], file: Path | str) -> Iterator[None]:
    """What goes wrong with a file is kept, so that the others are written all the same."""
    try:
        yield
    except OSError as error:
        failed.append(f"can't write {file}: {error.strerror or error}")
    except BenchError as error:
        failed.append(str(error))


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


def wanted(values: Mapping[str, Any], page: Path | None) -> Consequences:
    """What was asked for, from values as `by_one_name` makes them. Raises InputError."""
    from benchbook.show import exporting  # here: help needs none of it

    given, undecided = values["fail_if_slower"], values["undecided"]
    if undecided and not given:
        raise InputError("--undecided", "", f"needs {GATE}", f"add {GATE} 5%")
    limit = words.share(given, GATE) if given else None
    for flag, path in (("--html", page), ("--json", values["path_"])):
        if str(path) == STDOUT:
            remedy = "name a file, or show a format with --export FORMAT=-"
            raise InputError(flag, "", "needs a file: the answer is on standard output", remedy)
    others = exporting.parse(values["exports"])
    check_different(
        [
            *(("--html", page), ("--json", values["path_"]), ("--input", values["input"])),
            *(("--output", values["output"]), *(("--export", each.path) for each in others)),
            *((f"--export-{form}", values[f"export_{form}"]) for form in FORMATS),
        ]
    )
    return Consequences(limit, undecided == "ok", page, others, exports(values))


def check_different(named: Sequence[tuple[str, Path | str | None]]) -> None:
    """Raises InputError where two options name one file. Standard output (-), pipes and devices can
    be named more than once."""
    used: dict[Path, str] = {}
    for flag, name in named:
        if not name or str(name) in (STDOUT, *NO_FILES):
            continue
        path = Path(name).resolve()
        if path.exists() and not path.is_file():
            continue
        if other := used.get(path):
            problem = f"'{name}' is {other}'s, too, so one would be lost"
            raise InputError(flag, "", problem, "give each its own file")
        used[path] = flag
