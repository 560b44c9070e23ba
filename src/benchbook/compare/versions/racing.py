"""Race a claim's statements on one version after the other, and keep what each says."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import benchbook
from benchbook.analysis.judging import judge, verdicts
from benchbook.analysis.judging.judge import Judgement
from benchbook.compare.given.asked import Given
from benchbook.compare.versions import article
from benchbook.compare.versions.axis import Allow, AxisVersion, VersionAxis, axis
from benchbook.compare.versions.heats import Axes, Heat, asked_as
from benchbook.model import results
from benchbook.model.claims import Statement
from benchbook.model.experiments import Experiment
from benchbook.model.profiles import versions_files
from benchbook.model.profiles.by_version import AskedStatement, ByVersion, VersionAnswer
from benchbook.model.runs import Run
from benchbook.race import limits, service
from benchbook.race.options import Options, RaceRequest
from benchbook.race.service import Audience
from benchbook.race.turn import StoppedWaiting
from benchbook.system import machine
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.nearest import unknown

FOLDER = "versions"  # of an experiment's runs
SECONDS = 240.0  # of all heats
LEAST_SECONDS = 20.0  # of a heat: a shorter one says little
MOST_VERSIONS = 12
NOT_HERE = ("variants", "until", "launches", "blocks")  # what an axis decides itself, of Options


class VersionsStopped(KeyboardInterrupt):
    """Interrupted. record: what there is."""

    def __init__(self, record: ByVersion, *signal: object) -> None:
        super().__init__(*signal)
        self.record = record


@dataclass(frozen=True)
class VersionRequest:
    """What was asked for. given: the axis; statements: their ids, all where there is none; seconds:
    of all races; path: where the answers are kept, None for among the runs; race, options: as for
    a race; allow: see axis.py."""

    given: Given
    statements: tuple[str, ...] = ()
    seconds: float = SECONDS
    path: Path | None = None
    race: RaceRequest = RaceRequest()
    options: Options = field(default_factory=Options)
    allow: Allow = lambda question: False


@dataclass
class VersionRaces:
    """Races of one experiment over an axis, and their record so far."""

    experiment: Experiment
    axis: VersionAxis
    statements: tuple[Statement, ...]
    wanted: VersionRequest
    audience: Audience
    record: ByVersion
    runs: Path
    proven: set[str] = field(default_factory=set)  # versions whose baseline was raced

    @property
    def left(self) -> list[AxisVersion]:
        """The versions that can be raced, as far as is known."""
        lost = {each.label for each in self.record.versions if each.reason}
        return [each for each in self.axis.versions if each.label not in lost]

    def among(self, versions: Sequence[AxisVersion]) -> list[AxisVersion]:
        """Those of these versions that can be raced."""
        labels = {each.label for each in versions}
        return [each for each in self.left if each.label in labels]

    def heats(self, versions: Sequence[AxisVersion], seconds: float) -> Iterator[Heat]:
        """The heats that ask of these versions, in so many seconds together. The shared baseline is
        that of the first version which can be raced."""
        asked: set[str] = set()
        while open_ := [v for v in self.among(versions) if v.label not in asked]:
            anchor = next((v for v in self.left if v.label in self.proven), open_[0])
            axes = Axes(self.experiment, self.axis, self.statements, anchor)
            chosen, *others = axes.dealt(open_)
            each = max(LEAST_SECONDS, seconds * len(chosen) / len(versions))
            yield axes.heat(chosen, each * limits.read().share)
            done = {each.version for each in self.record.answers}
            asked |= {v.label for v in chosen if v.label in done}

    def ask(self, versions: Sequence[AxisVersion], seconds: float) -> None:
        """Race all statements on these versions. Raises BenchError where not even one can be."""
        error: BenchError | None = None
        self.bring(versions)
        for heat in self.heats(versions, seconds):
            names = ", ".join(each.told for each in heat.versions)
            self.audience.say(f"{names}: {heat.entries} programs race")
            try:
                run = self.raced(heat)
            except (
                StoppedWaiting
            ) as stopped:  # for another race: nobody wants the next heat, either
                raise stopped.interrupt from None
            except BenchError as failed:
                error = failed
                self.lose(heat, failed)
                continue
            self.keep(heat, run)
        if not self.left and (error or not self.record.answers):
            problem = f"{self.axis.flag}: no version could be had"
            raise error or BenchError(problem, "name others, or look at the network")

    def bring(self, versions: Sequence[AxisVersion]) -> None:
        """Get versions where they are not here; one that can't be had is marked."""
        found = {each.label: each.brought(self.audience.say) for each in versions}
        every = tuple(found.get(each.label, each) for each in self.axis.versions)
        self.axis = replace(self.axis, versions=every)
        for each in found.values():
            if each.missing:
                self.mark(each, each.missing)

    def raced(self, heat: Heat) -> Run:
        """Race a heat, and keep its run beside the record's other ones."""
        path = self.runs / f"{len(list(self.runs.glob('*.json')))}.json"
        budget = heat.experiment.modes["quick"].budget_seconds
        options = replace(self.wanted.options, path=path, within=budget, most=limits.read().lengths)
        return service.race(heat.experiment, self.wanted.race, options, self.audience)[0]

    def lose(self, heat: Heat, error: BenchError) -> None:
        """What could not be raced: the version of the shared baseline, until it was raced once;
        then those of the heat."""
        if heat.anchor and heat.anchor.label not in self.proven:
            return self.mark(heat.anchor, str(error))
        for version in heat.versions:
            self.mark(version, str(error))

    def mark(self, version: AxisVersion, reason: str) -> None:
        """Nothing can be raced on a version."""
        self.audience.say(f"{version.told} is left out: {reason}")
        told = [
            replace(each, reason=reason) if each.label == version.label else each
            for each in self.record.versions
        ]
        self.record.versions = told
        self.record.save()

    def keep(self, heat: Heat, run: Run) -> None:
        """What a heat said of each statement on each version."""
        assert run.path
        found = {j.statement.id: j for j in judge.judge(run, heat.experiment.claim).judgements}
        if heat.anchor:
            self.proven.add(heat.anchor.label)
        for version in heat.versions:
            of_version = [
                answer(s, version, found[asked_as(s.id, version)], run.path.name)
                for s in self.statements
            ]
            self.record.answers += of_version
            if all(each.verdict == verdicts.NOT_VALID for each in of_version):
                self.mark(version, of_version[0].why)
        self.record.seconds += run.timing.get("total_seconds", 0.0)
        self.record.save()


def answer(
    statement: Statement, version: AxisVersion, judgement: Judgement, run: str
) -> VersionAnswer:
    """A judgement, as it is kept."""
    said = statement.id, version.label, judgement.verdict, judgement.why
    if not judgement.tests:
        return VersionAnswer(*said, None, None, None, 1.0, run)
    ratio = judgement.tests[0].interval
    # an interval that lies within bounds rejects nothing: there is no direction to correct
    within = statement.type in ("same", "ratio") and judgement.verdict == verdicts.REPRODUCED
    p = 0.0 if within else min(1.0, judge.p_of(judgement))
    return VersionAnswer(*said, ratio.ratio, ratio.low, ratio.high, p, run)


@contextmanager
def ready(
    experiment: Experiment, wanted: VersionRequest, audience: Audience, halved: bool = False
) -> Iterator[VersionRaces]:
    """What is to be raced, with all that it needs as long as the context lasts. halved: see axis.

    Raises InputError for what makes no sense, BenchError where no version can be had,
    VersionsStopped where it is interrupted.
    """
    check(wanted)
    with ExitStack() as stack:
        made = axis(wanted.given, experiment, wanted.allow, stack, halved)
        statements = chosen(experiment, made, wanted)
        stamp = results.folder(experiment.saved_as) / FOLDER / f"{results.stamp()}.json"
        record = ByVersion(
            experiment=experiment.name,
            flag=made.flag,
            subject=made.subject,
            article=article.version(experiment.claim.source, made.subject),
            versions=[each.document() for each in made.versions],
            statements=[AskedStatement(s.id, s.says, list(s.names), delta(s)) for s in statements],
            code=code(experiment, statements),
            machine=machine.manifest(),
            benchbook=benchbook.__version__,
            started=results.now(),
            path=wanted.path or stamp,
        )
        record.save()
        runs = stamp.with_suffix("")
        races = VersionRaces(experiment, made, statements, wanted, audience, record, runs)
        try:
            yield races
        except KeyboardInterrupt as interrupt:
            raise VersionsStopped(record, *interrupt.args) from None


def race(experiment: Experiment, wanted: VersionRequest, audience: Audience) -> ByVersion:
    """Race all statements on all versions. Raises as `ready` does."""
    with ready(experiment, wanted, audience) as races:
        if (count := len(races.axis.versions)) > MOST_VERSIONS:
            problem = f"names {count} versions, and {MOST_VERSIONS} at most are raced"
            raise InputError(races.axis.flag, "", problem, "name fewer; ./bench bisect halves them")
        races.ask(races.left, wanted.seconds)
        return races.record


def last(experiment: Experiment) -> ByVersion | None:
    """The newest answers of an experiment on this machine, None where there are none that can be
    read."""
    folder = results.folder(experiment.saved_as) / FOLDER
    for path in sorted(folder.glob("*.json"), reverse=True):
        try:
            found = versions_files.read(path)
        except InputError:
            continue
        if found.answers:
            return found
    return None


def check(wanted: VersionRequest) -> None:
    """Raises InputError for options of a race that don't go with an axis."""
    if wanted.race.as_published:
        problem = "does not go with versions"
        raise InputError("--as-published", "", problem, "leave one of them out")
    for name in NOT_HERE:
        if getattr(wanted.options, name) != getattr(Options(), name):
            remedy = {"variants": "--statement names what is asked"}.get(
                name, "--for says how long"
            )
            raise InputError(f"--{name}", "", "does not go with versions", remedy)


def chosen(
    experiment: Experiment, made: VersionAxis, wanted: VersionRequest
) -> tuple[Statement, ...]:
    """The statements that are asked: those that are named, else all of the usual race in which
    something changes with the version. Raises InputError."""
    known = {each.id: each for each in experiment.claim.statements}
    where = f"experiment {experiment.number}"
    if not known:
        raise InputError(where, "", "has no statement to ask of versions", "give its claim one")
    for each in wanted.statements:
        if each not in known:
            raise InputError("--statement", "", unknown("statement", each, list(known)))
    usual = set(experiment.modes["quick"].variants or (v.name for v in experiment.variants))
    asked = [
        known[name]
        for name in wanted.statements or known
        if wanted.statements or set(known[name].names) <= usual
    ]
    changing = [
        each for each in asked if any(made.varies(experiment.variant(name)) for name in each.names)
    ]
    if not changing:
        problem = f"changes nothing of what the statements of {experiment.number} speak of"
        raise InputError(made.flag, "", problem, "name others with --statement")
    return tuple(changing)


def delta(statement: Statement) -> float:
    """The smallest effect that matters to it."""
    return statement.within or statement.smallest_effect or verdicts.SMALLEST_EFFECT


def code(experiment: Experiment, statements: Sequence[Statement]) -> str:
    """A digest of the programs that are raced."""
    names = dict.fromkeys(name for each in statements for name in each.names)
    contents = (experiment.variant(name).path.read_bytes() for name in names)
    return hashlib.sha256(b"\0".join(contents)).hexdigest()
