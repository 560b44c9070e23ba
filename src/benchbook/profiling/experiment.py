"""The experiment behind a "why": in each of several launches, copies of both programs, with
and without a profiler, all loaded at the same time, in alternating order.

One launch is no figure: the same two programs differed by 1.2 µs a request in one and by 2.6 in
another. The unprofiled copies say what a request costs, the profiled ones where; and what these
differ by, divided by the profiler's slowdown, is an independent look at the difference.
"""

import contextlib
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import benchbook
from benchbook.model import results
from benchbook.model.experiments import Experiment
from benchbook.model.profiles.comparison import OwnLines, ProfileComparison
from benchbook.model.runs import Run
from benchbook.model.variants import Variant
from benchbook.profiling import own_lines, registry
from benchbook.profiling.copies import Pairs
from benchbook.profiling.options import WhyOptions, check_once
from benchbook.profiling.profiler import ProfilerError
from benchbook.programs.readiness import Say
from benchbook.race import prepare as preparing
from benchbook.race.kinds import registry as kinds
from benchbook.race.race import Race
from benchbook.race.record import Event, Note, RaceProgress
from benchbook.system import machine
from benchbook_kernels.base.errors import BenchError

FOLDER = "profiles"  # of an experiment's runs
LAUNCH_SECONDS = 5.0  # about, beside the window: start, warm-up, end


@dataclass
class Profiling:
    """Programs that are ready to be profiled: iterate over events() to do it. run: of the race that
    was prepared for it, never saved."""

    comparison: ProfileComparison
    pairs: Pairs
    run: Run
    launches: int
    lines: list[OwnLines]

    def events(self) -> Generator[Event, None, None]:
        """Launch by launch; what is complete is kept in `comparison`, and saved after each of them.

        Raises BenchError where a program fails, KeyboardInterrupt as it comes; nothing runs then.
        """
        begun = time.monotonic()
        try:
            yield from (Note(message) for message in self.comparison.messages)
            for number in range(self.launches):
                yield from self.launch(number, begun)
                self.comparison.own = self.own()
                self.comparison.save()
        finally:
            self.pairs.copies.close()

    def launch(self, number: int, begun: float) -> Iterator[Event]:
        names, doing = self.order(number), f"launch {number + 1} of {self.launches}"
        yield self.progress(number, begun, f"{doing}: starting")
        self.pairs.copies.launch(names)
        for _ in self.pairs.copies.warm_up(names):
            yield self.progress(number, begun, f"{doing}: warming up")
        yield self.progress(number, begun, f"{doing}: profiling")
        self.comparison.launches.append(self.pairs.window(names))
        self.pairs.copies.land()

    def order(self, number: int) -> Sequence[str]:
        """The copies in the order in which they are started and loaded: A first, then B first."""
        return self.pairs.names[:: -1 if number % 2 else 1]

    def progress(self, number: int, begun: float, doing: str) -> RaceProgress:
        spent = time.monotonic() - begun
        usual = self.pairs.seconds + LAUNCH_SECONDS
        each = spent / number if number else usual
        left = max(0.0, each * self.launches - spent)
        return RaceProgress(number, self.launches, left, doing)

    def own(self) -> list[OwnLines]:
        """The rows of the programs' own lines that were seen."""
        profiles = {
            name: [launch.profiles[name] for launch in self.comparison.launches]
            for name in self.comparison.programs
        }
        return own_lines.used(self.lines, profiles)


def ready(experiment: Experiment, names: Sequence[str], options: WhyOptions, say: Say) -> Profiling:
    """Build and check what is to be profiled, one program or A and B.

    Raises InputError for what makes no sense, BenchError where one can't be profiled, and why.
    """
    variants = {name: experiment.variant(name) for name in names}
    if kinds.copies(experiment.kind.name) is None:
        problem = (
            f"experiment {experiment.number} can't be profiled: only servers and functions can"
        )
        raise BenchError(problem)
    check_once("why", names, "name two variants: what would differ?")
    for variant in variants.values():  # before anything is built
        if variant.address or not registry.find(variant):
            refuse(variant)
    asked = replace(options.race, variants=tuple(names), launches=options.launches)
    race = preparing.prepare(experiment, asked, say)
    with closed_unless_ready(race):
        for name in names:
            check_entry(race, name)
        made = race.experiment
        variants = {name: made.variant(name) for name in names}
        for variant in variants.values():
            if registry.lacks(variant):
                refuse(variant)
        return Profiling(
            comparison(made, variants, race, options),
            pairs(race, variants, options),
            race.run,
            options.launches,
            own_lines.joined(
                {name: variant.code for name, variant in variants.items()},
                {name: variant.path.name for name, variant in variants.items()},
            ),
        )


@contextlib.contextmanager
def closed_unless_ready(race: Race) -> Iterator[None]:
    try:
        yield
    except BaseException:
        race.executor.close()
        raise


def refuse(variant: Variant) -> None:
    """Raises ProfilerError: why it can't be profiled."""
    raise ProfilerError(f"'{variant.name}' can't be profiled: {registry.lacks(variant)}")


def check_entry(race: Race, name: str) -> None:
    """Raises ProfilerError where a variant is not available, BenchError where it failed."""
    entry = race.run.entry(name)
    if entry.status != "raced":
        kind = ProfilerError if entry.status == "unavailable" else BenchError
        raise kind(f"'{name}' {entry.fate}: {entry.reason}")


def pairs(race: Race, variants: dict[str, Variant], options: WhyOptions) -> Pairs:
    """Copies of the programs, in the place of what was to race."""
    profilers = {name: registry.find(variant) for name, variant in variants.items()}
    kind = kinds.copies(race.run.kind.name)
    assert kind, "asked before anything was built"
    copies = kind(race)
    folder = Path(tempfile.mkdtemp(dir=copies.folder()))
    known = {name: profiler for name, profiler in profilers.items() if profiler}
    made = Pairs(copies, variants, known, folder, options.seconds, interval(options, variants))
    made.begin()
    return made


def interval(options: WhyOptions, variants: dict[str, Variant]) -> float:
    """Between two samples, in µs: as asked, or as is usual; of two runtimes the longer one."""
    profilers = [profiler for v in variants.values() if (profiler := registry.find(v))]
    return options.interval_us or max(each.usual_interval_us for each in profilers)


def comparison(
    experiment: Experiment, variants: dict[str, Variant], race: Race, options: WhyOptions
) -> ProfileComparison:
    """What will be kept of it."""
    folder = results.folder(experiment.saved_as) / FOLDER
    run = race.run
    only = all(
        profiler.main_thread_only for v in variants.values() if (profiler := registry.find(v))
    )
    return ProfileComparison(
        experiment=experiment.name,
        programs=list(variants),
        titles={name: variant.title for name, variant in variants.items()},
        files={name: variant.path.resolve().as_uri() for name, variant in variants.items()},
        thing=run.kind.thing,
        how=f"{run.tool.name}{run.kind.loaded(run)}, {run.kind.placed(run)}",
        interval_us=interval(options, variants),
        seconds=options.seconds,
        machine=machine.manifest(),
        benchbook=benchbook.__version__,
        started=results.now(),
        main_thread_only=only,
        path=folder / f"{results.stamp()}.json",
    )
