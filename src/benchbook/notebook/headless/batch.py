"""Execute several notebooks, print the scoreboard, and write them with one page of it all."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from benchbook.analysis.judging import judge
from benchbook.model import experiments, picker, results
from benchbook.model.experiments import Experiment
from benchbook.model.runs import Run
from benchbook.notebook import predictions, wrong_kernel
from benchbook.notebook.headless import choosing, execute, pace
from benchbook.notebook.headless.execute import RunInterrupted
from benchbook.notebook.headless.pace import Pace
from benchbook.race import limits
from benchbook.show import markup, page
from benchbook.show.cards import race_cards
from benchbook.show.executed import Executed
from benchbook.show.page import Score
from benchbook.system import machine, paths
from benchbook_kernels.base.errors import BenchError, InputError, printable
from benchbook_kernels.base.files import check_folder, write_atomically
from benchbook_kernels.base.words import counted

ROUNDING_SECONDS = 60


def run(names: tuple[str, ...], mode: str, out: Path, minutes: float | None = None) -> int:
    """Execute the notebooks of these experiments (all notebooks where none is named).

    minutes: shorten quick races so that all of it takes at most about this long; where no notebook
    is named, pace.USUAL_MINUTES unless more is given.

    Returns the exit code: 0, 1 where a notebook failed (the others still run), 128 + signal where
    one ended it. Raises InputError for a name that means no notebook, OSError where
    `out` can't be written.
    """
    chosen = choosing.choose(names)
    check_folder(out)  # before an hour of races, not after it
    if minutes is None and not names:
        minutes = pace.USUAL_MINUTES
    speed = Pace((None,) * len(chosen))
    if mode == "quick":
        speed = pace.make([(path.stem, execute.ids(path)) for path in chosen], minutes)
    if mode == "quick" and (len(chosen) > 1 or minutes):
        click.echo(outlook(speed, minutes), err=True)
    environment = {limits.MODE: mode, predictions.VARIABLE: "off"}
    if speed.share < 1:
        shared = f"{os.environ.get(limits.VARIABLE, '')} share={speed.share}"
        environment[limits.VARIABLE] = shared.strip()
    started = datetime.now(UTC)
    done: list[Executed] = []
    code = 0
    for i, path in enumerate(chosen, 1):
        place = f"[{i}/{len(chosen)}]"
        left = partial(speed.left, i - 1) if speed.known else None
        progress = execute.NotebookProgress(path.stem, place, left)
        try:
            executed = execute.execute(path, environment, progress)
        except RunInterrupted as interrupt:
            executed, code = interrupt.executed, 128 + interrupt.number
        except InputError as error:
            executed = Executed(path, execute.untyped.v4.new_notebook(), str(error))
        done.append(executed)
        write_notebook(executed, out, speed.share)
        progress.end(message(executed, progress))
        if code:
            break
    scores = scoreboard(done, started)
    length = f"{mode} mode"
    if speed.share < 1:
        length += f", races with {speed.share:.0%} of their samples"
    write_page(done, scores, length, started, out)
    for score in scores:
        click.echo(f"{printable(score.title)}\n\n{score.output.text}\n")
    click.echo(f"page: {formatted_path(out / 'index.html')}")
    return code or int(any(executed.error for executed in done))


def outlook(speed: Pace, minutes: float | None = None) -> str:
    """What a run of several notebooks will take, before it begins."""
    count = counted(len(speed.cells), "notebook")
    if not speed.known:
        return f"{count}; how long some of them take is not known"
    text = f"{count}, {pace.in_words(speed.seconds())}"
    if speed.share < 1:
        whole = pace.in_words(Pace(speed.cells).seconds())
        text += f"; races have {speed.share:.0%} of their samples (whole: {whole}, with --minutes)"
    if minutes and speed.seconds() > 60 * minutes + ROUNDING_SECONDS:
        text += f"; {minutes:g} min are too few: builds and other cells can't be shortened"
    return text


def message(executed: Executed, progress: execute.NotebookProgress) -> str:
    """How a notebook ended, in a line and the error below it."""
    where = f"{progress.place} {executed.name}"
    if executed.error:
        return f"{where}: FAILED after {executed.seconds:.0f} s\n  {executed.error}"
    return f"{where}: {counted(executed.done, 'cell')} in {executed.seconds:.0f} s"


def formatted_path(path: Path) -> str:
    return paths.relative(path)


# ── The scoreboard ───────────────────────────────────────────────────────────────────────────────


def scoreboard(done: Sequence[Executed], started: datetime) -> list[Score]:
    """The verdicts of each executed notebook's experiment, from the run that it made."""
    return [
        score(experiment, started)
        for executed in done
        for experiment in experiments.of_notebook(executed.path)
    ]


def score(experiment: Experiment, started: datetime) -> Score:
    title = f"{experiment.number} · {experiment.title}"
    run = chosen_run(experiment, started)
    if run is None:
        return Score(title, markup.paragraph("Not measured: the notebook made no run."))
    found = judge.judge(run, experiment.claim)
    parts = [
        race_cards.race_description(run),
        race_cards.verdicts(found),
        race_cards.control(found),
    ]
    return Score(title, markup.total(parts))


def chosen_run(experiment: Experiment, started: datetime) -> Run | None:
    """The run that speaks for a notebook, of those made since it started; one that was cut short
    only where there is no other."""
    since = started.isoformat(timespec="seconds")
    found: list[Run] = []
    for path in results.saved(experiment.saved_as):
        if path.stat().st_mtime < started.timestamp() - 1:
            continue  # older: not even read, it may be of another version
        try:
            run = results.load(path)
        except BenchError as error:
            click.echo(f"bench: left out: {error}", err=True)
            continue
        if run.started >= since:
            found.append(run)
    return picker.pick_or_partial(found, experiment)


# ── What is written ──────────────────────────────────────────────────────────────────────────────


def write_notebook(executed: Executed, out: Path, share: float = 1.0) -> None:
    """The executed notebook; its metadata tell how that went, for `./bench report`."""
    executed.notebook.metadata["benchbook"] = {
        "error": executed.error,
        "seconds": executed.seconds,
        "done": executed.done,
        "share": share,
    }
    text = str(execute.untyped.writes(executed.notebook)) + "\n"
    write_atomically(out / f"{executed.name}.ipynb", text)


def write_page(
    done: Sequence[Executed], scores: Sequence[Score], length: str, started: datetime, out: Path
) -> None:
    title = "Benchbook: " + (scores[0].title if scores and len(done) == 1 else "executed notebooks")
    date = f"{started.astimezone():%d %B %Y, %H:%M %Z}, {length}"
    told = page.machine_lines(machine.manifest())
    markup = page.render(title, date, told, scores, [wrong_kernel.for_page(each) for each in done])
    write_atomically(out / "index.html", markup)
