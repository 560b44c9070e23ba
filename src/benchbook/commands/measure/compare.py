"""`bench compare`: your own question, two things and one line."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.commands.measure import outcome
from benchbook.commands.measure.outcome import OUTCOME_OPTIONS, Consequences
from benchbook.commands.options import GroupedCommand
from benchbook.compare.asking import COMPARE_OPTIONS, GROUPS, request_of
from benchbook.race.options import Options
from benchbook_kernels.base.errors import BenchError, InputError, code_after
from benchbook_kernels.commands.options import NamedPlace

if TYPE_CHECKING:  # help needs none of it
    from benchbook.commands.measure.terminal import Terminal
    from benchbook.compare.service import ComparisonRequest
    from benchbook.model.runs import Run


@click.command(
    "compare", GroupedCommand, params=[*COMPARE_OPTIONS, *OUTCOME_OPTIONS], groups=GROUPS
)
@click.argument("things", nargs=-1, metavar="A B [C …]")
@click.option("--html", type=NamedPlace("file"), help="Write the answer and its plots to a page.")
@click.option("--json", "path_", type=NamedPlace("file"), help="Write the run to this file.")
@click.option("--details/--no-details", default=True, help="Tell each entry's figures, too.")
@click.option("--why", is_flag=True, help="Then profile both: which functions cost what?")
def command(
    things: tuple[str, ...], html: Path | None, details: bool, why: bool, **values: Any
) -> None:
    """Compare two things of your own: servers, functions, commands.

    It says which is faster, by how much, and how sure that is.

    A and B are programs that listen on the port in PORT (servers), JavaScript modules or C# files
    (functions), or commands in quotes. The first is what the others are compared with; its copy
    races, too. Without a difference, or with one, the exit code is 0, unless --fail-if-slower makes
    it a gate.
    """
    from benchbook.commands.measure.terminal import Terminal  # here: help needs none of it
    from benchbook.compare import gate, service
    from benchbook.compare.question import judged

    values = outcome.by_one_name(values)
    wanted = request_of(things, values, Path.cwd(), values["path_"])
    check_why(things, why)
    after, terminal = outcome.wanted(values, html), Terminal(judged)
    if after.limit:
        wanted = replace(wanted, undecided=gate.undecided(after.limit))
    with second_interrupt_ends():
        try:
            answer = service.compare(wanted, terminal)
            run = answer.run
        except KeyboardInterrupt as interrupt:
            if terminal.run is None or not terminal.run.samples:
                raise
            try:
                tell(terminal.run, details, after)
            except BenchError as error:
                click.echo(f"error: {error}", err=True)
            raise SystemExit(code_after(interrupt)) from None
    code = tell(run, details, after)
    if why:
        explain(wanted, terminal)
    if code:
        raise SystemExit(code)


def check_why(things: tuple[str, ...], why: bool) -> None:
    """Raises InputError where there are not two things whose difference could be explained."""
    if why and len(things) > 2:
        raise InputError("--why", "", f"takes two things, and is given {len(things)}", "name two")


def explain(wanted: ComparisonRequest, terminal: Terminal) -> None:
    """Profile the first two things that were compared. Raises BenchError where they can't be; what
    the race said is told by then."""
    from benchbook.commands.measure.why import why
    from benchbook.compare import service
    from benchbook.profiling.options import why_options

    with service.asked(wanted, terminal) as (question, _):
        experiment = question.experiment()
        names = tuple(variant.name for variant in experiment.variants[:2])
        usual = why_options({"anyway": wanted.anyway})
        race = replace(race_of(wanted), most=usual.race.most)
        why(experiment, names, replace(usual, race=race))


def race_of(wanted: ComparisonRequest) -> Options:
    """Options of the race that make its load, and not its length."""
    asked = wanted.options
    return Options(connections=asked.connections, tool=asked.tool, pin=asked.pin, port=asked.port)


def tell(run: Run, details: bool, after: Consequences) -> int:
    """Print the answer, and write it where that is wanted; the exit code. Raises BenchError in the
    end where one of the things failed, or a file could not be written."""
    from benchbook.compare import commands, gate
    from benchbook.compare.question import judged
    from benchbook.show.cards import compare_cards

    results = judged(run)
    shown = (compare_cards.summary if details else compare_cards.answer)(run, results)
    click.echo(shown.text)
    gated = after.gate(run, results)
    failed = [*after.write(run, results, gated), *commands.failed_cleanups(run)]
    code = gated.code if gated else 0
    if broken := [entry for entry in run.entries if entry.status != "raced"]:
        told = f"not all could be compared: {broken[0].name} {broken[0].fate}"
        failed += [told] if code != gate.SLOWER else []
    if failed and code != gate.SLOWER:  # what is sure, is said with that code all the same
        raise BenchError("\n".join(failed))
    for each in failed:
        click.echo(f"error: {each}", err=True)
    return code


@contextmanager
def second_interrupt_ends() -> Iterator[None]:
    """Ctrl-C ends what runs and tells the answer so far; a second one ends at once: the guard then
    ends what was started."""
    usual = signal.getsignal(signal.SIGINT)

    def first(number: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
        raise KeyboardInterrupt(number)

    signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
