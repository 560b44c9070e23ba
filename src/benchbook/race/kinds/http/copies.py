"""Servers that are all loaded at the same time, by the load generator of their race."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from benchbook.model.variants import Variant
from benchbook.programs import readiness
from benchbook.programs.programs import Prepared
from benchbook.race.executor import Measurement
from benchbook.race.kinds.copies import Copies, CopyCost, Look, alive, main_cpu, measured
from benchbook.race.kinds.http.executor import HttpExecutor
from benchbook.race.race import Race
from benchbook.race.warming import Warming
from benchbook_kernels.base import processes
from benchbook_kernels.base.processes import Keeper

GLANCE_SECONDS = 0.05


class ServerCopies(Copies):
    """Copies of servers."""

    def __init__(self, race: Race) -> None:
        super().__init__(race)
        assert isinstance(race.executor, HttpExecutor) and race.warmth
        self.executor, self.warmth = race.executor, race.warmth

    @property
    def keeper(self) -> Keeper:
        return self.executor.keeper

    def replace(self, variants: Mapping[str, Variant], prepared: Mapping[str, Prepared]) -> None:
        self.executor.variants, self.executor.prepared = variants, prepared
        tiered = sum(map(readiness.compiles_in_background, variants.values()))
        few = all(map(readiness.compiles_early, variants.values()))
        self.warmth = replace(self.warmth, entries=len(variants), tiered=tiered, few=few)

    def pid(self, name: str) -> int:
        return self.executor.running[name].processes[0].pid

    def port(self, name: str) -> int:
        return self.executor.running[name].port

    def done(self, name: str) -> int | None:
        load = self.executor.continuous_load
        return load.loads[name].sent() if load else None

    @property
    def helpers(self) -> tuple[int, ...] | None:
        return self.executor.pinning.client

    def warm_up(self, names: Sequence[str]) -> Iterator[None]:
        warming = Warming(self.warmth)
        while not warming.over():
            found = self.executor.warm_up(names, warming.goal.window)
            done = {name: alive(outcome) for name, outcome in found.items()}
            samples = [each.sample(0, -1, -1, name, 0.0) for name, each in done.items()]
            warming.add(samples, self.executor.compiled)
            yield
        self.executor.warmed_up()

    def window(
        self, names: Sequence[str], lead: float, seconds: float, look: Look
    ) -> dict[str, CopyCost]:
        self.executor.begin(names, lead + seconds)
        looking = look()
        time.sleep(lead)
        before = {name: self.clocks(name) for name in names}
        found = self.executor.measure_together(names, seconds)
        done = {name: measured(name, found[name]) for name in names}
        after = {name: self.clocks(name) for name in names}
        while looking():
            time.sleep(GLANCE_SECONDS)
        self.executor.finish()
        return {name: cost(done[name], before[name], after[name]) for name in names}

    def clocks(self, name: str) -> tuple[float, float]:
        """CPU seconds of a copy's main thread, and of its whole process."""
        pid = self.pid(name)
        return main_cpu(pid), processes.cpu_seconds(pid)


def cost(done: Measurement, before: tuple[float, float], after: tuple[float, float]) -> CopyCost:
    """What a copy spent by the requests and the CPU time of its window, of which the main thread
    had its part by the clocks around it."""
    main, every = (end - begin for begin, end in zip(before, after, strict=True))
    part = min(1.0, main / every) if every > 0 else 1.0
    spent = done.evidence.server_cpu_seconds * 1e6 / done.load.requests
    return CopyCost(done.load.requests, spent, part)


COPIES = ServerCopies
