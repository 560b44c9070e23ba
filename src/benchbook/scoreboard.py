"""Every statement of every claim, with what was measured of it: here, and in the reference runs."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchbook import experiments, judge, paths, results
from benchbook.claims import Statement
from benchbook.errors import InputError
from benchbook.experiments import Experiment
from benchbook.judge import Judgement
from benchbook.results import Run

NOT_RUN = "not run"
LOOKED_AT = 20  # of the newest runs of an experiment, for one that holds all of its variants


@dataclass(frozen=True)
class Side:
    """What one run says of a statement. older: it raced other code than is in snippets/ now."""

    run: Run
    judgement: Judgement
    older: bool


@dataclass(frozen=True)
class Row:
    """A statement; `own` and `reference` are None where there is no run of it."""

    experiment: Experiment
    statement: Statement
    published: float | None
    own: Side | None
    reference: Side | None

    @property
    def verdict(self) -> str:
        return self.own.judgement.verdict if self.own else NOT_RUN


@dataclass(frozen=True)
class Board:
    """All rows, and the runs that they come from, by experiment."""

    rows: tuple[Row, ...]
    own: dict[str, Run]
    references: dict[str, Run]

    @property
    def counts(self) -> Counter[str]:
        """How many statements have which verdict here."""
        return Counter(row.verdict for row in self.rows)


def board() -> Board:
    """The scoreboard of this checkout. Raises InputError for a malformed experiment or claim."""
    every = experiments.load_all()
    own = {e.name: run for e in every if (run := own_run(e))}
    references = reference_runs()
    rows: list[Row] = []
    for experiment in every:
        sides = [judged(experiment, found.get(experiment.name)) for found in (own, references)]
        for statement in experiment.claim.statements:
            mine, reference = (side.get(statement.id) for side in sides)
            published = experiment.claim.published_ratio(statement)
            rows.append(Row(experiment, statement, published, mine, reference))
    return Board(tuple(rows), own, references)


def judged(experiment: Experiment, run: Run | None) -> dict[str, Side]:
    """What a run says of each statement, by its id."""
    if run is None:
        return {}
    older = is_older(run, experiment)
    found = judge.judge(run, experiment.claim).judgements
    return {each.statement.id: Side(run, each, older) for each in found}


def is_older(run: Run, experiment: Experiment) -> bool:
    """Was any variant's code another than now?"""
    now = {v.name: hashlib.sha256(v.path.read_bytes()).hexdigest() for v in experiment.variants}
    return any(now.get(e.name, e.sha256) != e.sha256 for e in run.entries)


# ── Which run speaks ─────────────────────────────────────────────────────────────────────────────


def own_run(experiment: Experiment) -> Run | None:
    """The one of the newest runs on disk that speaks for an experiment (see speaking).

    Files of other versions don't count.
    """
    found: list[Run] = []
    for path in list(results.saved(experiment.kept_as))[:LOOKED_AT]:
        try:
            found.append(results.load(path))
        except InputError:
            continue
    return speaking(found, experiment)


def speaking(runs: Sequence[Run], experiment: Experiment) -> Run | None:
    """Of some runs, the newest first, the one that speaks for the experiment, or None.

    The newest whole race of all variants as they are in the repository: but notebooks also race
    briefly, in an exercise or to show how a benchmark goes wrong, so it must be under the usual
    load and have at least half the samples of the longest one of its mode. Where there is none,
    the fullest.
    """
    fit = [r for r in runs if r.complete and not r.replay and r.takes_turns]
    whole = [r for r in fit if is_whole(r, experiment) and is_usual(r, experiment)]
    for run in whole:
        alike = [len(r.samples) for r in whole if r.plan["mode"] == run.plan["mode"]]
        if 2 * len(run.samples) >= max(alike):
            return run
    return max(fit, key=fullness, default=None)


def is_usual(run: Run, experiment: Experiment) -> bool:
    """Were as many connections open as the experiment says, and programs warmed up?"""
    if experiment.http is None:
        return True
    mode = experiment.modes.get(run.plan["mode"])
    warmed = run.plan["warmup_seconds"] > 0 or not (mode and mode.warmup_seconds)
    return warmed and run.plan["connections"] == experiment.http.connections


def is_whole(run: Run, experiment: Experiment) -> bool:
    names = {entry.name for entry in run.entries if not entry.edited}
    return names >= {variant.name for variant in experiment.variants}


def fullness(run: Run) -> tuple[bool, bool, int, str]:
    """To find the run that says the most: whole, of unedited code, of many variants, new."""
    raced = sum(entry.status == "raced" for entry in run.entries)
    original = not any(entry.edited for entry in run.entries)
    return (run.complete, original, raced, run.started)


def reference_runs(folder: Path | None = None) -> dict[str, Run]:
    """The recorded races of data/runs by experiment, of several the fullest."""
    found: dict[str, Run] = {}
    for path in sorted((folder or paths.references()).rglob("*.json")):
        if not is_run(path):
            continue  # other recordings lie there, too
        run = results.load(path)
        name = run.experiment["name"]
        if run.complete and not run.replay:
            found[name] = max([run, *([found[name]] if name in found else [])], key=fullness)
    return found


def is_run(path: Path) -> bool:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and document.get("format") == results.FORMAT


def slug(experiment: str) -> str:
    """A file name for an experiment; a part's is "07-serializers.http"."""
    return experiment.replace("/", ".")


def ordered(rows: Sequence[Row]) -> list[Experiment]:
    """The experiments of rows, each once."""
    return list({row.experiment.name: row.experiment for row in rows}.values())
