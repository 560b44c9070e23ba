"""`./bench list`: the experiments or the variants of one, and whether they can run here."""

import json
import re
import sys
from collections.abc import Iterator

import click

from benchbook.commands.options import in_folder
from benchbook.model import experiments
from benchbook.model.experiments import Experiment
from benchbook.programs import readiness
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, printable

TITLE = re.compile(r"# (?P<number>\d+) · (?P<title>.+)\s+\*\*(?P<asks>.+)\*\*")


@click.command("list")
@click.argument("experiment", required=False)
@in_folder
def command(experiment: str | None) -> None:
    """List the experiments, or the variants of one.

    Of each experiment: number, question, and how many of its variants can run here. Of EXPERIMENT,
    part by part: its variants with their files, and why one of them can't run here.

    Exits with 2 where an experiment is wrong; the others are listed all the same.
    """
    if experiment is not None:
        click.echo("\n\n".join(map(in_full, experiments.find_all(experiment))))
        return
    paths.need_place()
    wrong = list[BenchError]()
    for folder in experiments.folders():
        try:
            click.echo(in_short(experiments.load(folder)))
        except BenchError as problem:
            wrong.append(problem)
    for line in notebooks():
        click.echo(line)
    if not any(experiments.folders()):
        click.echo(f"no experiments in {' or '.join(map(str, paths.places()))}")
    try:
        experiments.check_clashes(experiments.folders())
    except BenchError as problem:
        wrong.append(problem)
    for error in wrong:
        click.echo(f"bench: {error}", err=True)
    if wrong:
        sys.exit(wrong[0].exit_code)


def notebooks() -> Iterator[str]:
    """The checkout's notebooks that are of no experiment: number, title and question."""
    if paths.only() or not paths.checkout():
        return
    known = {experiments.notebook_at(folder).stem for folder in experiments.folders()}
    for path in sorted(paths.notebooks().glob("*.ipynb")):
        if path.stem in known:
            continue
        try:
            first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]
            told = TITLE.match("".join(first))
        except (OSError, ValueError, LookupError, TypeError):  # ./bench run says what is wrong
            told = None
        if told:
            yield printable(f"{told['number']}  {told['title']} (a notebook)\n    {told['asks']}")


def in_short(experiment: Experiment) -> str:
    """Its title, how many variants are ready, its question."""
    ready = [not readiness.unavailable(variant) for variant in experiment.variants]
    count = f"{sum(ready)} of {len(ready)} variants ready"
    title = printable(experiment.title)
    return f"{experiment.number}  {title} ({count})\n    {printable(experiment.question)}"


def in_full(experiment: Experiment) -> str:
    """Its title and question, and a line for each variant; below it why it can't run here."""
    home = experiment.home.resolve()
    names = max(len(variant.name) for variant in experiment.variants)
    files = {v.name: v.path.relative_to(home).as_posix() for v in experiment.variants}
    width = max(map(len, files.values()))
    lines = [in_short(experiment), f"    in {paths.relative(home)}:", ""]
    for variant in experiment.variants:
        reason = readiness.unavailable(variant)
        mark = "✗" if reason else "✓"
        name, file = f"{variant.name:<{names}}", f"{files[variant.name]:<{width}}"
        lines.append(printable(f" {mark} {name}  {file}  {variant.title}"))
        lines += [f"   {' ' * names}  {line}" for line in reason.splitlines()]
    return "\n".join(lines)
