"""The command line, `./bench COMMAND`: exit code 0 done, 1 the work failed, 2 a wrong call."""

import importlib
import math
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

import benchbook
from benchbook import paths
from benchbook.errors import BenchError

if TYPE_CHECKING:
    from benchbook.experiments import Experiment

MODES = {"quick": "about a minute", "full": "about ten minutes"}


# Commands in modules of their own (each has a `command`), imported only when they are called.
ELSEWHERE = {
    "bundle": "benchbook.bundle",
    "export-crank": "benchbook.crank",
    "export": "benchbook.export",
}


class Commands(click.Group):
    """Turns our errors into a message and an exit code, and Ctrl-C into 130's plain sense."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted([*super().list_commands(context), *ELSEWHERE])

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name in ELSEWHERE:
            return importlib.import_module(ELSEWHERE[name]).command
        return super().get_command(context, name)

    def invoke(self, context: click.Context):
        try:
            return super().invoke(context)
        except BenchError as error:
            click.echo(f"bench: {error}", err=True)
            context.exit(error.exit_code)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            context.exit(1)
        except OSError as error:
            if not error.filename:
                raise
            click.echo(f"bench: {error.filename}: {error.strerror}", err=True)
            context.exit(1)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(benchbook.__version__, prog_name="bench")
def main() -> None:
    """Benchbook: take a benchmark finding from a blog, run its code, get an honest verdict."""
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), interrupt)


def interrupt(_number: int, _frame: object) -> None:
    """Being asked to end is treated as Ctrl-C: what is there is kept, what runs is ended."""
    raise KeyboardInterrupt


@main.command("list")
def list_experiments() -> None:
    """The experiments: number, question, and whether their variants can run here.

    Exits with 2 where one of them is wrong; the others are listed all the same.
    """
    from benchbook import experiments, programs

    wrong = []
    for folder in experiments.folders():
        try:
            experiment = experiments.load(folder)
        except BenchError as error:
            wrong.append(error)
            continue
        reasons = [reason for v in experiment.variants if (reason := programs.unavailable(v))]
        count = len(experiment.variants)
        ready = f"{count - len(reasons)} of {count} variants ready"
        click.echo(f"{experiment.number}  {experiment.title} ({ready})")
        click.echo(f"    {experiment.question}")
    if not any(experiments.folders()):
        click.echo(f"no experiments in {paths.snippets()}")
    for error in wrong:
        click.echo(f"bench: {error}", err=True)
    if wrong:
        sys.exit(wrong[0].exit_code)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--csharp", is_flag=True, help="Count what C# needs as required, too.")
def doctor(as_json: bool, csharp: bool) -> None:
    """What is there, what is missing and how to get it, what disturbs measurements.

    Exits with 1 where a workshop would fail; one that uses C# asks with --csharp.
    """
    from benchbook import doctor

    report = doctor.report(csharp=csharp)
    click.echo(report.to_json() if as_json else report.text())
    if not report.ok:
        raise SystemExit(1)


@main.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    add_help_option=False,
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def setup(arguments: tuple[str, ...]) -> None:
    """Install what is missing (the first call of any command does it, too)."""
    from benchbook import bootstrap

    raise SystemExit(bootstrap.main(list(arguments)))


def variant_names(_context, _option, value: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip()) if value else ()


class Finite(click.FloatRange):
    """A number in a range; "nan" and "inf" are in none."""

    def convert(self, value, param, ctx):
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no number to work with.", param, ctx)
        return number


def parse_width(_context, _option, value: str | None) -> float | None:
    from benchbook.workbench import parse_share

    return None if value is None else parse_share(value)


@main.command()
@click.argument("experiment")
@click.option("--quick", "mode", flag_value="quick", default=True, help="About a minute (default).")
@click.option("--full", "mode", flag_value="full", help="About ten minutes, narrower intervals.")
@click.option("--launches", type=click.IntRange(1), help="Starts of every program.")
@click.option("--blocks", type=click.IntRange(1), help="Rounds of all variants in a launch.")
@click.option("--seconds", type=Finite(0.02), help="Length of one sample.")
@click.option("--connections", type=click.IntRange(1), help="Connections kept open at once.")
@click.option("--tool", type=click.Choice(["auto", "wrk", "ab", "autocannon"]), help="Load tool.")
@click.option(
    "--variants", callback=variant_names, help="Only these: name,name (and the baseline)."
)
@click.option("--seed", type=click.IntRange(0), help="Seed of the order; drawn where not given.")
@click.option(
    "--until",
    callback=parse_width,
    metavar="WIDTH",
    help="Race on until every interval is narrower than this: 1%.",
)
@click.option(
    "--minutes",
    type=Finite(0.1),
    default=30.0,
    show_default=True,
    help="At most this long, with --until.",
)
@click.option("--port", type=click.IntRange(1, 65000), default=None, help="First port to use.")
@click.option("--warmup", type=Finite(0), help="Seconds of load before the first sample.")
@click.option(
    "--one-after-another",
    is_flag=True,
    help="Don't interleave the variants: how benchmarks lie (notebook 00).",
)
@click.option(
    "--as-published",
    is_flag=True,
    help="Replay the article's own method instead, and compare it with the last race.",
)
@click.option(
    "--shorten",
    type=click.IntRange(1),
    metavar="N",
    help="With --as-published: divide its durations, requests and iterations by N.",
)
@click.option("--no-pin", is_flag=True, help="Don't give server and load tool CPUs of their own.")
@click.option(
    "--load-from",
    metavar="ssh:HOST",
    help="Run the load tool on another host, through OpenSSH; the programs run here.",
)
@click.option(
    "--listen",
    metavar="ADDRESS",
    help="With --load-from: this machine's IPv4 address for the programs to listen on.",
)
@click.option(
    "--json",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the run to this file (default: a new file in .benchbook/runs).",
)
def race(
    experiment: str,
    mode: str,
    port: int | None,
    no_pin: bool,
    one_after_another: bool,
    as_published: bool,
    shorten: int | None,
    load_from: str | None,
    listen: str | None,
    path: Path | None,
    **chosen,
):
    """Race the variants of EXPERIMENT (a number, a name, or the path of a folder)."""
    from benchbook import cards, experiments, judge, terminal, web_page
    from benchbook.prepare import Options, prepare

    found = experiments.find(experiment)
    if as_published or shorten:
        check_alone(as_published)
        replay_published(found, shorten or 1, path)
        return
    if found.page:
        web_page.ask_for_browser([found.number])
    options = Options(
        mode=mode,
        port=port or 0,
        pin=not no_pin,
        interleaved=not one_after_another,
        path=path,
        remote=open_remote(load_from, listen),
        **chosen,
    )
    prepared = prepare(found, options, say)
    if options.until:
        prepared.needed = lambda run: judge.launches_needed(run, found.claim)
    run = prepared.run
    try:
        terminal.show(prepared)
    except KeyboardInterrupt:
        place = paths.relative(run.path)
        click.echo(f"interrupted: {len(run.samples)} samples kept in {place}", err=True)
        raise SystemExit(1) from None
    found_results = judge.judge(run, found.claim)
    run.results = judge.to_json(found_results)
    run.save()
    click.echo(cards.summary(run, found_results).text)
    click.echo(f"\nrun file: {paths.relative(run.path)}")


@main.command()
@click.option(
    "--full", is_flag=True, help="5,000 simulated races a cell and 20 real ones (40 min)."
)
@click.option("--races", type=click.IntRange(0), help="Real races in each order (default 1).")
@click.option("--simulated", type=click.IntRange(50), help="Simulated races a cell (default 200).")
@click.option(
    "--json", "path", type=click.Path(dir_okay=False, path_type=Path), help="Write it here."
)
def selfcheck(full: bool, races: int | None, simulated: int | None, path: Path | None) -> None:
    """Does Benchbook keep its promises? Simulated races, planted truths, its own speed."""
    from benchbook import results, selfcheck

    counts = (20, 5000) if full else (1, 200)
    races = counts[0] if races is None else races
    report = None
    for report, table in selfcheck.check(races, simulated or counts[1], say):
        if table:
            click.echo(table.text + "\n")
        if path:
            results.write_atomically(path, report.to_json())
    for promise in report.broken:
        click.echo(f"broken: {promise}", err=True)
    raise SystemExit(bool(report.broken))


def say(text: str) -> None:
    """What is going on now, for who waits."""
    click.echo(f"… {text}", err=True)


def open_remote(where: str | None, listen: str | None):
    """The host that the load comes from, None for this one; its connection ends with the command.

    Raises a usage error where only one of --load-from and --listen is given.
    """
    from benchbook import load_from

    if where and not listen:
        addresses = ", ".join(load_from.own_addresses()) or "none but 127.0.0.1"
        raise click.UsageError(
            "--load-from needs --listen ADDRESS: where that host reaches this machine "
            f"(its addresses: {addresses})"
        )
    if listen and not where:
        raise click.UsageError("--listen needs --load-from")
    if not where:
        return None
    return click.get_current_context().with_resource(load_from.connect(where, listen, say))


def check_alone(as_published: bool) -> None:
    """Raises a usage error for options that a replay of an article's method does not have."""
    context = click.get_current_context()
    if not as_published:
        raise click.UsageError("--shorten needs --as-published")
    for option in context.command.params:
        given = context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE
        if given and option.name not in ("experiment", "as_published", "shorten", "path"):
            problem = (
                f"{option.opts[0]} changes the article's method: leave it or --as-published out"
            )
            raise click.UsageError(problem)


def replay_published(found: "Experiment", shorten: int, path: Path | None) -> None:
    """Replay the article's own method and print its table and the comparison."""
    from benchbook import replay, replay_cards, terminal

    prepared = replay.prepare(found, shorten, path, say)
    place = paths.relative(prepared.run.path)
    try:
        terminal.show(prepared)
    except KeyboardInterrupt:
        click.echo(f"interrupted: what was measured is kept in {place}", err=True)
        raise SystemExit(1) from None
    click.echo(replay_cards.summary(prepared.run).text)
    click.echo(f"\nrun file: {place}")


@main.command()
@click.argument("experiments", nargs=-1)
@click.option("--quick", "mode", flag_value="quick", default=True, help="About a minute each.")
@click.option("--full", "mode", flag_value="full", help="About ten minutes each.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Where executed notebooks and the page go (default: .benchbook/report).",
)
@click.option(
    "--minutes",
    type=Finite(1),
    metavar="M",
    help="Shorten quick races so that all takes at most about M minutes; all notebooks: 21.",
)
def run(experiments: tuple[str, ...], mode: str, out: Path | None, minutes: float | None) -> None:
    """Execute the notebooks of EXPERIMENTS (all where none is named) and print the scoreboard."""
    if minutes and mode != "quick":
        raise click.UsageError("--minutes goes with --quick: leave one of the two out")
    from benchbook import report, web_page

    web_page.ask_for_browser(experiments)
    raise SystemExit(report.run(experiments, mode, out or paths.state() / "report", minutes))


@main.command()
@click.argument("experiment")
@click.option("--port", type=click.IntRange(1, 65535), default=None, help="The port to use.")
@click.option("--open", "open_it", is_flag=True, help="Open it in this system's browser.")
def page(experiment: str, port: int | None, open_it: bool) -> None:
    """Serve the web page of EXPERIMENT (07), to be opened by hand, until Ctrl-C."""
    import time
    import webbrowser

    from benchbook import web_page

    try:
        with web_page.served(web_page.find(experiment), say, port or 0) as server:
            click.echo(f"{web_page.address(server)}  (end it with Ctrl-C)")
            if open_it:
                webbrowser.open(web_page.address(server))
            while server.alive:
                time.sleep(0.2)
            raise BenchError(f"the page's server has ended\n{server.last_words()}".rstrip())
    except KeyboardInterrupt:
        click.echo("ended", err=True)


@main.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def lab(arguments: tuple[str, ...]) -> None:
    """Open JupyterLab (or Notebook, where that is what is installed) on the notebooks."""
    from importlib.util import find_spec

    for module, name in (("jupyterlab", "lab"), ("notebook", "notebook")):
        if find_spec(module):
            break
    else:
        raise BenchError("neither JupyterLab nor Notebook is installed", "./bench setup")
    command = [sys.executable, "-m", module, *arguments]
    if not any("notebook-dir" in a or "root-dir" in a or not a.startswith("-") for a in arguments):
        command.append(f"--notebook-dir={paths.root()}")
    click.echo(f"opening {name} on {paths.root()}; end it with Ctrl-C", err=True)
    sys.stderr.flush()
    if sys.platform != "win32":
        os.execv(command[0], command)  # signals then reach Jupyter, which ends its kernels
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Jupyter gets Ctrl-C, too, and asks
    raise SystemExit(subprocess.call(command))


@main.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    add_help_option=False,
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def test(arguments: tuple[str, ...]) -> None:
    """Run the project's own tests; arguments go to pytest. Gets a browser and sshd if need be."""
    from benchbook import bootstrap, machine

    wanted = [] if bootstrap.find_browser() else ["--with-browser"]
    if sys.platform == "linux" and not machine.find_command("sshd"):
        wanted.append("--with-tests")
    if wanted and bootstrap.main(wanted):
        click.echo("bench: tests that need what is missing will fail and say so", err=True)
    command = [sys.executable, "-m", "pytest", *arguments]
    raise SystemExit(subprocess.call(command, cwd=paths.root()))


@main.group()
def room() -> None:
    """Many machines together: attendees' run files on one figure."""


@room.command()
@click.argument(
    "places", nargs=-1, required=True, metavar="DIR|FILE…", type=click.Path(path_type=Path)
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("room.html"),
    show_default=True,
    help="The page with the plots.",
)
def merge(places: tuple[Path, ...], out: Path) -> None:
    """Pool run files (or files of `bench share`): everyone's ratios, and does the room agree?

    Files that can't be used are named and skipped; the exit code is 1 only where none is left.
    """
    from benchbook import room_report

    raise SystemExit(room_report.merge(places, out))


@main.command()
@click.argument("experiment", required=False)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write (default: benchbook-share-CODE.json here).",
)
def share(experiment: str | None, out: Path | None) -> None:
    """Write your newest races (or EXPERIMENT's) to one file without user, host or path names.

    It is what `bench room merge` takes. You are in it as a random code of six digits.
    """
    from benchbook import share

    path, runs = share.write(experiment, out)
    click.echo(f"{path}: you are {share.code()} in it")
    for run in runs:
        click.echo(f"  {run.experiment['name']}, {run.plan['mode']}, {run.started}")
    click.echo("It tells the CPU's and the system's model, versions, and the samples; no names.")


@main.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the site (default: .benchbook/site).",
)
@click.option(
    "--executed",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where `bench run` wrote executed notebooks (default: .benchbook/report).",
)
def report(out: Path | None, executed: Path | None) -> None:
    """Write a static site: the scoreboard, the executed notebooks, the run files, the machine.

    It opens from disk with no network. It executes nothing: `bench run` does that before.
    """
    from benchbook import site

    state = paths.state()
    site.write(out or state / "site", executed or state / "report")
