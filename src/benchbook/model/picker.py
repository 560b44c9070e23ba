"""Which run counts: of all races of an experiment, the one that speaks for it.

One rule for the scoreboard, %verdict and %plot, `bench run`, `bench share` and the comparison with
an article's own method:

1. Eligible are races that are complete and whose programs took turns (rounds were interleaved or,
   under BenchmarkDotNet, launches). Never a replay of the article's method, never one program after
   the other: drift of the machine would look like a difference between programs.
2. Of these the newest speaks that raced all variants of its mode as they are in the repository,
   with the usual connections and a warm-up, and that has at least half the samples of the longest
   such race of its mode: notebooks also race briefly, in an exercise or to show how a benchmark
   goes wrong.
3. Where there is none, the fullest eligible race speaks: unedited before edited, then the one of
   most variants, then the newest.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from benchbook.model import results
from benchbook.model.experiments import Experiment
from benchbook.model.runs import FORMAT, Run
from benchbook.system import paths, untrusted
from benchbook.system.errors import InputError

LOOKED_AT = 20  # of the newest runs of an experiment


def own_run(experiment: Experiment, unedited: bool = False) -> Run | None:
    """The run that speaks for an experiment, of the newest ones on disk; None where there is none.

    unedited: only runs of code that no reader has edited. Files that can't be read, or are of
    another version, don't count.
    """
    runs = readable(list(results.saved(experiment.kept_as))[:LOOKED_AT])
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
    whole = [r for r in eligible if is_whole(r, experiment) and is_usual(r, experiment)]
    for run in whole:
        alike = [len(r.samples) for r in whole if r.plan.mode == run.plan.mode]
        if 2 * len(run.samples) >= max(alike):
            return run
    return fullest(eligible)


def pick_or_partial(runs: Sequence[Run], experiment: Experiment) -> Run | None:
    """As pick; where no run is eligible, the fullest race that was cut short, if there is one."""
    partial = [run for run in runs if run.takes_turns and not run.replay]
    return pick(runs, experiment) or fullest(partial)


def fullest(runs: Sequence[Run]) -> Run | None:
    """The run that says the most; None of none."""
    return max(runs, key=fullness) if runs else None


def is_eligible(run: Run) -> bool:
    """Is it a complete race whose programs took turns?"""
    return run.complete and not run.replay and run.takes_turns


def is_whole(run: Run, experiment: Experiment) -> bool:
    """Did all variants of its mode take part, unedited? One that is unavailable here took part."""
    mode = experiment.modes.get(run.plan.mode)
    wanted = set(mode.variants if mode else ()) or {v.name for v in experiment.variants}
    return {entry.name for entry in run.entries if not entry.edited} >= wanted


def is_usual(run: Run, experiment: Experiment) -> bool:
    """Was it raced under the conditions that are usual for its kind and mode?"""
    return experiment.kind.is_usual(run.plan, experiment.modes.get(run.plan.mode))


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
