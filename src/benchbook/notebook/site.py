"""A static site of the scoreboard, the executed notebooks and their runs.

It opens from disk with no network: pages ask for nothing but plotly.js, which lies beside them
once. Nothing is executed here: notebooks come from the last `./bench run`.
"""

import gzip
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from benchbook.analysis import scoreboard
from benchbook.analysis.scoreboard import Board
from benchbook.model import experiments
from benchbook.model.experiments import Experiment
from benchbook.model.naming import short
from benchbook.model.profiles import versions_files
from benchbook.model.runs import Run
from benchbook.notebook import wrong_kernel
from benchbook.notebook.headless import choosing, execute
from benchbook.show import embed, markup, page
from benchbook.show.cards import scoreboard_cards as board_cards
from benchbook.show.executed import Executed
from benchbook.show.figures.scoreboard import scoreboard_figure
from benchbook.show.versions import shown
from benchbook.show.why import files as profile_files
from benchbook.system import machine, paths
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.files import check_folder, write_atomically

MARK = '<meta name="generator" content="Benchbook site">'  # by which a site of ours is known
INDEX = "index.html"
FOLDERS = {"assets", "notebooks", "runs"}
PLOTLY = "assets/plotly.js"
FRESH = ".new-site-"  # how the folder of a site that is being written begins
LARGE_BYTES = 200_000  # a run file from there on is gzipped
MOST_BYTES = 10_000_000  # what a site should not exceed


@dataclass(frozen=True)
class Listed:
    """A notebook in the list: `page` is '' where it was not executed."""

    name: str
    page: str
    state: str
    failed: bool = False


@dataclass(frozen=True)
class RunFile:
    file: str
    told: str


def write(out: Path, executed_in: Path) -> None:
    """Write the site to `out`, from the notebooks that `./bench run` executed into `executed_in`.

    Raises InputError where `out` is not empty and no earlier site, or a claim is malformed; an
    earlier site is then as it was.
    """
    check(out)
    is_new = not out.exists()
    try:
        with replacing(out) as fresh:  # first: what can't be written is told before all is judged
            board = scoreboard.board()
            names = {path.stem for path in choosing.known()}
            files = (path for path in sorted(executed_in.glob("*.ipynb")))
            chosen = (path for path in files if path.stem in names or not paths.only())
            executed = {path.stem: read(path) for path in chosen}
            fill(fresh, board, executed)
    except InputError:
        if is_new:
            out.rmdir()
        raise
    tell(board, out)


def fill(out: Path, board: Board, executed: dict[str, Executed]) -> None:
    """Write the pages and files of a site into an empty folder."""
    write_atomically(out / PLOTLY, embed.library_script())
    for each in executed.values():
        write_atomically(out / "notebooks" / f"{each.name}.html", notebook_page(each))
    files = [
        *write_runs(board.own, out, "runs/own"),
        *write_runs(board.references, out, "runs/reference"),
        *write_profiles(out, "runs/profiles"),
    ]
    manifest = machine.manifest()
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    write_atomically(out / "machine.json", f"{text}\n")
    write_atomically(out / "scoreboard.html", scoreboard_page(board, set(executed)))
    names = sorted({path.stem for path in choosing.known()} | set(executed))
    index = page.render_site(
        title="Benchbook",
        date=f"{datetime.now(UTC).astimezone():%d %B %Y, %H:%M %Z}",
        machine=page.machine_lines(manifest),
        summary=board_cards.summary(board),
        notebooks=[listed(name, executed.get(name)) for name in names],
        runs=files,
    )
    write_atomically(out / INDEX, index)


def check(out: Path) -> None:
    """Raise InputError where there is something else than an earlier site, or the half of one."""
    if not out.exists():
        return
    if not out.is_dir():
        raise InputError(str(out), "", "is a file", "name a folder")
    index = out / INDEX
    if index.is_file() and MARK in index.read_text(encoding="utf-8", errors="replace"):
        return
    if any(not path.name.startswith(FRESH) for path in out.iterdir()):
        raise InputError(str(out), "", "is not empty", "name a new folder, or one of bench report")


@contextmanager
def replacing(out: Path) -> Iterator[Path]:
    """A folder to write a site to, which then takes the place of the one in `out`.

    It lies in there, because `out` may be all that can be written. Of an interrupted report the
    next one finds a site by its index, or what begins with FRESH and nothing else. Raises OSError
    where nothing can be written there.
    """
    check_folder(out)
    for left in out.glob(f"{FRESH}*"):
        shutil.rmtree(left)
    fresh = Path(tempfile.mkdtemp(prefix=FRESH, dir=out))
    try:
        yield fresh
        names = os.listdir(fresh)
        for name in sorted(names, key=lambda name: name != INDEX):
            if (out / name).is_dir():
                shutil.rmtree(out / name)
            os.replace(fresh / name, out / name)
        for name in FOLDERS - set(names):  # what this site has none of
            shutil.rmtree(out / name, ignore_errors=True)
    finally:
        shutil.rmtree(fresh)


def tell(board: Board, out: Path) -> None:
    """What was written, and how large it is."""
    sizes = {path: path.stat().st_size for path in out.rglob("*") if path.is_file()}
    total = sum(sizes.values())
    click.echo(board_cards.summary(board))
    click.echo(f"site: {paths.relative(out / 'index.html')} ({total / 1e6:.1f} MB)")
    if total > MOST_BYTES:
        largest = max(sizes, key=lambda path: sizes[path])
        told = f"{largest.relative_to(out)} has {sizes[largest] / 1e6:.1f} MB"
        click.echo(f"bench: the site is larger than {MOST_BYTES / 1e6:g} MB: {told}", err=True)


# ── Notebooks ────────────────────────────────────────────────────────────────────────────────────


def read(path: Path) -> Executed:
    """An executed notebook with how its execution went, as batch.write_notebook noted it."""
    notebook = execute.read(path)
    told = notebook.metadata.get("benchbook", {})
    error, seconds = str(told.get("error", "")), float(told.get("seconds", 0.0))
    return Executed(path, notebook, error, seconds, int(told.get("done", 0)))


def listed(name: str, executed: Executed | None) -> Listed:
    if executed is None:
        return Listed(name, "", f"not executed: ./bench run {short(name)}")
    file = f"notebooks/{name}.html"
    if executed.error:
        return Listed(name, file, "✘ not finished", failed=True)
    return Listed(name, file, f"✔ executed in {executed.seconds:.0f} s")


def notebook_page(executed: Executed) -> str:
    body = page.body(wrong_kernel.for_page(executed)) + versions_part(executed)
    return page.render_site(title=executed.name, up="../", error=executed.error, body=body)


def versions_part(executed: Executed) -> str:
    """Is that still so? What was recorded of a notebook's experiments by version, as HTML."""
    names = {each.name for each in experiments.of_notebook(executed.path)}
    return "".join(
        markup.heading(shown.title(each)).html + shown.versions_figure(each).html()
        for each in versions_files.recorded()
        if each.experiment in names
    )


# ── The scoreboard and its runs ──────────────────────────────────────────────────────────────────


def scoreboard_page(board: Board, executed: set[str]) -> str:
    def link(experiment: Experiment) -> str:
        name = experiment.notebook.stem
        return f"notebooks/{name}.html" if name in executed else ""

    table = board_cards.table(board, link).html
    plot = scoreboard_figure(board).html()
    return page.render_site(title="Scoreboard", parts=[table, plot])


def write_runs(runs: dict[str, Run], out: Path, folder: str) -> Sequence[RunFile]:
    """Each run as JSON, a long one gzipped; an experiment's part has its own file."""
    files = []
    for name, run in runs.items():
        text = run.to_text()
        file = f"{folder}/{scoreboard.slug(name)}.json"
        if len(text) > LARGE_BYTES:
            file += ".gz"
            (out / file).parent.mkdir(parents=True, exist_ok=True)
            (out / file).write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
        else:
            write_atomically(out / file, text)
        told = f"{run.experiment.title}, {run.plan.mode}, {run.started}"
        files.append(RunFile(file, told))
    return files


def write_profiles(out: Path, folder: str) -> Sequence[RunFile]:
    """The newest profile of each of this checkout's experiments, for speedscope."""
    files = []
    for name, comparison in profile_files.newest().items():
        file = f"{folder}/{scoreboard.slug(name)}.speedscope.json"
        text = json.dumps(profile_files.speedscope(comparison), ensure_ascii=False)
        write_atomically(out / file, text)
        what = " against ".join(reversed(comparison.programs))
        told = f"profile of {what}, for speedscope.app, {comparison.started}"
        files.append(RunFile(file, told))
    return files
