"""Benchbook for Python programs: the names of `benchbook.__all__`, short ways to what does it."""

from contextlib import closing
from pathlib import Path
from typing import Any

from benchbook.analysis.judging import judge as judging
from benchbook.analysis.judging.judge import Results
from benchbook.compare import asking, question
from benchbook.compare import service as comparing
from benchbook.model import experiments, results
from benchbook.model.runs import Run
from benchbook.race import service, turn
from benchbook.race.options import Options, RaceRequest
from benchbook.race.record import RaceProgress
from benchbook.race.service import Raceable
from benchbook.show.comparison import Comparison
from benchbook_kernels.base.errors import InputError

__all__ = ["Comparison", "Results", "Run", "compare", "judge", "load_run", "race"]


def load_run(path: str | Path) -> Run:
    """The run in a run file. Raises InputError, which names the field, where it is none."""
    return results.load(Path(path))


def judge(run: Run, experiment: str | Path = "") -> Results:
    """What a run says: ratios to the baseline with their intervals, a verdict for each statement.

    experiment: whose claim is judged, by number, name or folder; '' for that which was raced, which
    is looked for in the checkout; a comparison's question is in its run. Nothing is measured.
    Raises InputError where there is no such experiment, where the run is of another one, or is a
    replay, which has no verdicts.
    """
    if run.experiment.delta is not None and not experiment and run.replay is None:
        return question.judged(run)
    found = experiments.find(str(experiment or run.experiment.name))
    if run.experiment.name != found.name:
        raise InputError("run", "experiment", f"is of {run.experiment.name}, not of {found.name}")
    if run.replay is not None:
        raise InputError("run", "", "is a replay, which has no verdicts", "give a race's run")
    return judging.judge(run, found.claim)


def race(experiment: str | Path, mode: str = "quick", **options: Any) -> tuple[Run, Results]:
    """Race an experiment as `bench race` does, say nothing meanwhile, and save the run.

    experiment: a number, a name or the folder of one; mode: "quick" or "full"; options: launches,
    blocks, seconds (of a sample), warmup (seconds), connections, tool, variants (a tuple of names),
    seed, path (of the run file). A race of another process is waited for. Raises InputError for
    what makes no sense, BenchError where a program or a tool that is needed is missing or fails.
    """
    known = Options.__dataclass_fields__
    if wrong := [name for name in options if name not in known or name == "remote"]:
        raise InputError("race", wrong[0], "is no option of a race")
    if mode not in ("quick", "full"):
        raise InputError("race", "mode", f"is '{mode}'", 'give "quick" or "full"')
    found = experiments.find(str(experiment))
    return service.race(found, RaceRequest(), Options(mode=mode, **options), NoAudience())


def compare(
    *things: str | Path,
    seconds: float | None = None,
    delta: float = question.DELTA,
    kind: str = "",
    **options: Any,
) -> Comparison:
    """Compare things of your own as `bench compare` does, say nothing meanwhile, save the run.

    things: files, addresses or command lines; the first is what the others are compared with;
    seconds: how long to race, None for as long as is usual; delta: the smallest difference that
    matters, as a share; kind:
    "servers", "functions", "methods" or "commands", '' for what they seem to be. options: path and
    answers (of servers), inputs (a module of values for functions), folder (where their paths
    and those of inputs, input and output begin);
    git, npm, nuget, node, dotnet, env and setup: what programs are given, as the command's;
    launches, blocks, connections, tool, warmup, seed, until, pin, port, together: of the race;
    run_path: of the run file; anyway: beside another race; of commands what
    compare.commands.CommandOptions has, but warmup_runs for its warmup. A race of another process
    is waited for.

    Raises InputError for what can't be compared, BenchError where a program or a tool that is
    needed is missing or fails.
    """
    if seconds is not None:
        options["seconds"] = seconds
    wanted = asking.request_by_keywords(things, delta=delta, kind=kind, **options)
    found = comparing.compare(wanted, NoAudience())
    return Comparison(found.run, found.results)


class NoAudience:
    """An audience that is shown nothing."""

    def say(self, text: str) -> None:
        pass

    def wait(self, text: str) -> None:
        pass

    def follow(self, race: Raceable) -> None:
        """Run the race to its end. Raises what its events raise."""
        with closing(race.events()) as events:
            for event in events:
                if isinstance(event, RaceProgress):  # for those who wait for this race
                    turn.expect(event.seconds_left)
