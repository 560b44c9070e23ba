"""Which run counts: of all races of an experiment, the one that speaks for it.

One rule for the scoreboard, %verdict and %plot, `bench run`, `bench share`, `bench report` and the
comparison with an article's own method. A race that was made worse on purpose never speaks where
there is a plain one: notebooks also race briefly, in an exercise or to show how a benchmark goes
wrong.

1. Eligible are races that are complete and whose programs took turns (rounds were interleaved or,
   under BenchmarkDotNet, launches). Never a replay of the article's method, never one program after
   the other (--one-after-another): drift of the machine would look like a difference of programs.
2. Of these, as far as there are any, those that raced all variants of their mode as they are in the
   repository; without one, unedited ones before edited ones, then those of most variants.
3. Of these, those with the fewest departures from what is usual: --in-turns where programs are
   loaded together, --no-pin, --anyway beside another race, a shorter --warmup, other --connections,
   another --tool (than the experiment's or, where it names none, the best one of these races).
4. Of these, as far as there are any, those of at least the usual launches, blocks and length of a
   sample (--launches, --blocks, --seconds, and the limits in BENCHBOOK_RACE, may ask for less).
5. Of these the newest that has at least half the samples of the longest in its mode.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchbook import loadtools
from benchbook.model import plan, results
from benchbook.model.experiments import Experiment
from benchbook.model.runs import FORMAT, Run
from benchbook.system import paths
from benchbook.system.pinning import UNPINNED
from benchbook_kernels.base import untrusted
from benchbook_kernels.base.errors import InputError

LOOKED_AT = 20  # of the newest runs of an experiment


def own_run(experiment: Experiment, unedited: bool = False) -> Run | None:
    """The run that speaks for an experiment, of the newest ones on disk; None where there is none.

    unedited: only runs of code that no reader has edited. Files that can't be read, or are of
    another version, don't count.
    """
    runs = readable(list(results.saved(experiment.saved_as))[:LOOKED_AT])
    return pick([run for run in runs if not (unedited and is_edited(run))], experiment)


def readable(files: Iterable[Path]) -> list[Run]:
    """The runs in files, without those that can't be read."""
    found: list[Run] = []
    for path in files:
        try:
            found.append(results.load(path))
        except InputError:
            continue
    return found


def pick(runs: Sequence[Run], experiment: Experiment) -> Run | None:
    """Of some runs, the newest first, the one that speaks; None where none is eligible."""
    eligible = [run for run in runs if is_eligible(run)]
    if not eligible:
        return None
    left = [run for run in eligible if is_whole(run, experiment)]
    left = left or highest(eligible, lambda run: fullness(run)[1:3])
    tool = best_tool(left)
    left = highest(left, lambda run: -len(departures(run, experiment, tool)))
    left = [run for run in left if is_full(run, experiment)] or left
    longest = Counter[str]()
    for run in left:
        longest[run.plan.mode] = max(longest[run.plan.mode], length(run))
    return next(run for run in left if 2 * length(run) >= longest[run.plan.mode])


def length(run: Run) -> int:
    """How many samples it has; would have, where it ended earlier because all was decided."""
    most = run.plan.looks
    return most * run.plan.blocks * len(run.plan.entries) if most else len(run.samples)


def highest(runs: Sequence[Run], key: Callable[[Run], Any]) -> list[Run]:
    """Those of which the key is highest."""
    most = max(map(key, runs))
    return [run for run in runs if key(run) == most]


def pick_or_partial(runs: Sequence[Run], experiment: Experiment) -> Run | None:
    """As pick; where no run is eligible, the fullest race that was cut short, if there is one."""
    partial = [run for run in runs if run.kind.takes_turns(run.plan) and not run.replay]
    return pick(runs, experiment) or fullest(partial)


def fullest(runs: Sequence[Run]) -> Run | None:
    """The run that says the most; None of none."""
    return max(runs, key=fullness) if runs else None


def is_eligible(run: Run) -> bool:
    """Is it a complete race whose programs took turns?"""
    return run.complete and not run.replay and run.kind.takes_turns(run.plan)


def is_whole(run: Run, experiment: Experiment) -> bool:
    """Did all variants of its mode take part, unedited? One that is unavailable here took part."""
    mode = experiment.modes.get(run.plan.mode)
    wanted = set(mode.variants if mode else ()) or {v.name for v in experiment.variants}
    return {entry.name for entry in run.entries if not entry.edited} >= wanted


def departures(run: Run, experiment: Experiment, tool: str = "") -> list[str]:
    """What was not as usual in a race, and worse: the options that do it.

    tool: the load generator that is usual where the experiment names none.
    """
    mode = experiment.modes.get(run.plan.mode)
    found = experiment.kind.departures(run.plan, mode, tool)
    if run.tool.load_from and "--in-turns" in found:
        found.remove("--in-turns")  # the way of two machines
    if run.pinning.reason == UNPINNED:
        found.append("--no-pin")
    if run.plan.beside:
        found.append("--anyway")
    return found


def best_tool(runs: Sequence[Run]) -> str:
    """The load generator of these races that would be chosen; '' where all have none."""
    used = {run.plan.tool for run in runs}
    return next((name for name in loadtools.declared() if name in used), "")


def is_full(run: Run, experiment: Experiment) -> bool:
    """Was it raced at the usual length at least?"""
    mode = experiment.modes.get(run.plan.mode)
    return mode is None or plan.is_full(run.plan, mode)


def is_edited(run: Run) -> bool:
    """Did a reader's edit take part?"""
    return any(entry.edited for entry in run.entries)


def fullness(run: Run) -> tuple[bool, bool, int, str]:
    """To find the run that says the most: complete, of unedited code, of many variants, new."""
    raced = sum(entry.status == "raced" for entry in run.entries)
    return (run.complete, not is_edited(run), raced, run.started)


def reference_runs() -> dict[str, Run]:
    """The recorded races of data/runs by experiment, of several the fullest.

    Raises InputError for a run file that does not fit the schema.
    """
    files = sorted(path for path in paths.references().rglob("*.json") if path.is_file())
    about = [path.stat() for path in files]
    states = tuple((path, a.st_mtime_ns, a.st_size) for path, a in zip(files, about, strict=True))
    return dict(fullest_of(states))


@lru_cache(maxsize=1)
def fullest_of(files: tuple[tuple[Path, int, int], ...]) -> dict[str, Run]:
    """Of each experiment the fullest run in some files, with the time and size of each as it was
    written last: to read all takes seconds, and a notebook asks several times."""
    found: dict[str, Run] = {}
    for path, *_ in files:
        run = run_in(path)
        if run and is_eligible(run):
            name = run.experiment.name
            found[name] = max(run, found.get(name, run), key=fullness)
    return found


def run_in(path: Path) -> Run | None:
    """The run in a JSON file; None where it is none, as other recordings in data/runs are.

    Raises InputError as reference_runs does.
    """
    try:
        document = untrusted.read_json(path, paths.relative(path))
    except InputError:
        return None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return None
    return results.checked(document, path)
