"""What is to be raced: which variants, as which entries, by which plan."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace

import benchbook
from benchbook.model import plan, results
from benchbook.model.experiments import Experiment
from benchbook.model.plan import COPY, Plan
from benchbook.model.runs import CONTROL, Entry, RacedExperiment, Run
from benchbook.model.samples import UsedTool
from benchbook.model.variants import Mode, Variant
from benchbook.programs import readiness
from benchbook.race.options import Options
from benchbook.system import machine, paths, pinning
from benchbook.system.pinning import Pinning
from benchbook_kernels.base.errors import BenchError

FEWEST_PILOT = 2  # launches: with one it is not known how they differ
Reasons = dict[str, str]  # why a variant is unavailable, by name; '' where it is not


@dataclass(frozen=True)
class Job:
    """What is to be prepared; say: told what is being built, in words for the reader."""

    experiment: Experiment
    chosen: list[Variant]
    options: Options
    say: readiness.Say

    @property
    def cpus(self) -> tuple[int, ...] | None:
        """Those on which programs run that need no load generator; None for all."""
        return pinning.split().server if self.options.pin else None

    def staged(self) -> "Job":
        """The same in a copy of the experiment that finds the checkout's node_modules, where it
        lies outside of the checkout."""
        folder = paths.scratch() / f"{self.experiment.name}-{results.stamp()}"
        staged = readiness.stage(self.experiment, folder)
        chosen = [staged.variant(variant.name) for variant in self.chosen]
        return replace(self, experiment=staged, chosen=chosen)

    @property
    def mode(self) -> Mode:
        return self.experiment.modes[self.options.mode]

    def plan(
        self,
        entries: list[Entry],
        tool: str,
        seconds: float | None = None,
        connections: int = 0,
        warm_up: float | None = None,
        together: bool = False,
        continuous: bool = False,
    ) -> Plan:
        """The plan of the race; seconds: of a sample, warm_up: where not as chosen or as the mode
        says. With `until` no longer than its minutes allow, but two launches at least."""
        options = self.options
        made = plan.make(
            [e.name for e in entries if e.status == "raced"],
            options.mode,
            self.mode,
            connections=connections,
            tool=tool,
            seed=secrets.randbits(31) if options.seed is None else options.seed,
            sample_seconds=seconds or options.seconds,
            share=options.share,
            most=options.most,
            launches=options.launches,
            blocks=options.blocks,
            warmup_seconds=warm_up if options.warmup is None else options.warmup,
            together=together,
            continuous=continuous,
            interleaved=options.interleaved,
            until=options.until,
        )
        part = options.minutes * 60 / made.expected_seconds
        if not options.until or part >= 1:
            return made
        return made.within({"launches": max(FEWEST_PILOT, int(part * made.launches))})

    def run(self, drawn: Plan, tool: UsedTool, pins: Pinning, entries: list[Entry]) -> Run:
        """The run that the race will fill, with a place on disk."""
        experiment, kind = self.experiment, self.experiment.kind
        folder = results.folder(experiment.saved_as)
        return Run(
            experiment=RacedExperiment(
                experiment.name,
                experiment.title,
                experiment.claim.name,
                path=kind.requested,
                unit=None if kind.under_load else kind.unit,
                delta=experiment.delta,
            ),
            kind=type(kind),
            plan=drawn,
            tool=tool,
            pinning=pins,
            machine=machine.manifest(),
            entries=entries,
            benchbook=benchbook.__version__,
            started=results.now(),
            messages=[
                *(f"variant '{e.name}' is unavailable: {e.reason}" for e in entries if e.reason),
                *dict.fromkeys(filter(None, map(readiness.remark, self.chosen))),
            ],
            path=self.options.path or folder / f"{results.stamp()}.json",
        )


def choose(experiment: Experiment, names: tuple[str, ...]) -> list[Variant]:
    """The variants asked for (all where none is), always with what they are compared with."""
    if not names:
        return list(experiment.variants)
    asked = [experiment.variant(name) for name in names]
    wanted = {v.name for v in asked} | {experiment.reference(v) for v in asked}
    wanted.add(experiment.baseline)
    return [variant for variant in experiment.variants if variant.name in wanted]


def check_baseline(experiment: Experiment, reasons: Reasons) -> None:
    """Raises BenchError where there is nothing to compare with."""
    if reason := reasons[experiment.baseline]:
        raise BenchError(f"the baseline '{experiment.baseline}' can't be raced: {reason}")
    others = {v.name: reasons.get(v.name, "") for v in experiment.variants[1:]}
    if experiment.delta is not None and others and all(others.values()):
        name, reason = next(iter(others.items()))
        raise BenchError(f"nothing is left to compare: variant '{name}' is unavailable: {reason}")


def enter(
    experiment: Experiment, chosen: list[Variant], reasons: Mapping[str, str]
) -> tuple[dict[str, Variant], list[Entry]]:
    """The contestants: each chosen variant, and right after the baseline its A/A copy; none of a
    process that runs already, whose CPU time the two would share."""
    variants: dict[str, Variant] = {}
    entries: list[Entry] = []
    for name in [variant.name for variant in chosen]:
        variant = experiment.variant(name)
        is_baseline = name == experiment.baseline
        copies = [(variant, "baseline" if is_baseline else "variant")]
        if is_baseline and not variant.pid:
            twin = replace(variant, name=name + COPY, title=f"{variant.title} (A/A copy)")
            copies.append((twin, CONTROL))
        for each, role in copies:
            variants[each.name] = each
            software = [] if reasons[name] else readiness.software(each)
            entries.append(Entry.of(each, role, paths.typed(reasons[name]), software))
    return variants, entries
