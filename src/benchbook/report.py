"""`./bench run`: execute notebooks, print the scoreboard, write them and one page of it all."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import nbformat

from benchbook import cards, execute, experiments, judge, machine, page, paths, results
from benchbook.errors import BenchError, InputError
from benchbook.execute import Executed, Interrupted
from benchbook.experiments import Experiment
from benchbook.page import Score
from benchbook.results import Run


def run(names: tuple[str, ...], mode: str, out: Path) -> int:
    """Execute the notebooks of these experiments (all notebooks where none is named).

    Returns the exit code: 0, 1 where a notebook failed (the others still run), 128 + signal where
    one ended it. Raises InputError for a name that means no notebook.
    """
    chosen = choose(names)
    started = datetime.now(UTC)
    done: list[Executed] = []
    code = 0
    for i, path in enumerate(chosen, 1):
        progress = execute.Progress(path.stem, f"[{i}/{len(chosen)}]")
        try:
            executed = execute.execute(path, {"BENCHBOOK_MODE": mode}, progress)
        except Interrupted as interrupt:
            executed, code = interrupt.executed, 128 + interrupt.number
        except InputError as error:
            executed = Executed(path, nbformat.v4.new_notebook(), str(error))
        done.append(executed)
        write_notebook(executed, out)
        progress.end(told(executed, progress))
        if code:
            break
    scores = scoreboard(done, started)
    write_page(done, scores, mode, started, out)
    for score in scores:
        click.echo(f"{score.title}\n\n{score.output.text}\n")
    click.echo(f"page: {shown(out / 'index.html')}")
    return code or int(any(executed.error for executed in done))


def told(executed: Executed, progress: execute.Progress) -> str:
    """How a notebook ended, in a line and the error below it."""
    where = f"{progress.place} {executed.name}"
    if executed.error:
        return f"{where}: FAILED after {executed.seconds:.0f} s\n  {executed.error}"
    return f"{where}: {executed.done} cells in {executed.seconds:.0f} s"


def shown(path: Path) -> str:
    return paths.relative(path)


# ── Which notebooks ──────────────────────────────────────────────────────────────────────────────


def choose(names: Sequence[str]) -> list[Path]:
    """The notebooks to execute, in order. Raises InputError where there is none for a name."""
    every = sorted(paths.notebooks().glob("*.ipynb"))
    if names:
        return list(dict.fromkeys(find(name, every) for name in names))
    if not every:
        raise InputError(paths.relative(paths.notebooks()), "", "holds no notebook")
    return every


def find(name: str, every: Sequence[Path]) -> Path:
    """The notebook called `name`, with that number, or of that experiment."""
    number = name.zfill(2) if name.isdigit() else name
    matches = [path for path in every if path.stem == name or path.stem.startswith(f"{number}-")]
    if len(matches) == 1:
        return matches[0]
    if len(matches) > 1:
        several = ", ".join(path.stem for path in matches)
        raise InputError(f"notebook {name}", "", f"is not one but several: {several}", "name one")
    try:
        notebook = experiments.find(name).notebook
    except InputError:
        known = [path.stem for path in every]
        raise InputError(
            f"notebook {name}", "", experiments.unknown("notebook", name, known)
        ) from None
    if not notebook.is_file():
        raise InputError(f"experiment {notebook.stem}", "", f"has no {paths.relative(notebook)}")
    return notebook


# ── The scoreboard ───────────────────────────────────────────────────────────────────────────────


def scoreboard(done: Sequence[Executed], started: datetime) -> list[Score]:
    """The verdicts of each executed notebook's experiment, from the run that it made."""
    every = {folder.name: folder for folder in experiments.folders()}
    scores = []
    for executed in done:
        if executed.name in every:
            scores.append(score(experiments.load(every[executed.name]), started))
    return scores


def score(experiment: Experiment, started: datetime) -> Score:
    title = f"{experiment.number} · {experiment.title}"
    run = chosen_run(experiment.name, started)
    if run is None:
        return Score(title, cards.paragraph("Not measured: the notebook made no run."))
    found = judge.judge(run, experiment.claim)
    parts = [cards.headline(run), cards.floor(found), cards.verdicts(found)]
    return Score(title, cards.total(parts))


def chosen_run(experiment: str, started: datetime) -> Run | None:
    """The run that speaks for a notebook: of those made since it started, the fullest.

    A notebook may race again in an exercise, with edited or with fewer variants; the newest
    complete run with all variants as they are in the repository is the one that counts.
    """
    since = started.isoformat(timespec="seconds")
    found: list[Run] = []
    for path in results.saved(experiment):
        if path.stat().st_mtime < started.timestamp() - 1:
            continue  # older: not even read, it may be of another version
        try:
            run = results.load(path)
        except BenchError as error:
            click.echo(f"bench: left out: {error}", err=True)
            continue
        if run.started >= since:
            found.append(run)
    return max(found, key=fullness, default=None)


def fullness(run: Run) -> tuple[Any, ...]:
    raced = sum(entry.status == "raced" for entry in run.entries)
    original = not any(entry.edited for entry in run.entries)
    return (run.complete, original, raced, run.started)


# ── What is written ──────────────────────────────────────────────────────────────────────────────


def write_notebook(executed: Executed, out: Path) -> None:
    text = nbformat.writes(executed.notebook) + "\n"
    results.write_atomically(out / f"{executed.name}.ipynb", text)


def write_page(
    done: Sequence[Executed], scores: Sequence[Score], mode: str, started: datetime, out: Path
) -> None:
    title = "Benchbook: " + (scores[0].title if scores and len(done) == 1 else "executed notebooks")
    date = f"{started.astimezone():%d %B %Y, %H:%M %Z}, {mode} mode"
    markup = page.render(title, date, machine_lines(machine.manifest()), scores, done)
    results.write_atomically(out / "index.html", markup)


def machine_lines(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    """A machine manifest in a few lines, for people."""
    cpu, versions = manifest["cpu"], manifest["versions"]
    clock = cpu["max_mhz"] or cpu["current_mhz"]
    cores = f"{cpu['usable_cores']} of {cpu['logical_cores']} logical cores"
    guest = manifest["container"] or ("virtual machine" if manifest["virtual_machine"] else "")
    memory = manifest["memory"]["total_mib"]
    system = manifest["os"]
    tools = [f"{name} {versions[name]}" for name in ("node", "wrk", "ab") if versions.get(name)]
    if versions.get("dotnet-sdk"):
        tools.append(f".NET SDK {versions['dotnet-sdk']}")
    lines = [
        ("CPU", ", ".join([cpu["model"], cores, *([f"{clock / 1000:.1f} GHz"] if clock else [])])),
        ("Memory", f"{memory / 1024:.0f} GiB" if memory else ""),
        ("System", ", ".join(filter(None, [system["distribution"], system["kernel"], guest]))),
        ("Software", ", ".join([*tools, f"Python {versions['python']}"])),
    ]
    return [(name, value) for name, value in lines if value]
