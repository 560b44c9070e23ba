"""Executors that time nothing, and do as they are told."""

from dataclasses import dataclass, field

from benchbook.loadtools.tool import Load
from benchbook.model.samples import Evidence
from benchbook.programs.programs import VariantError
from benchbook.race.executor import Executor, Measurement


def load_of(speed: float, **more) -> Load:
    names = ("mean", "p50", "p75", "p90", "p99", "p99_9", "max")
    errors = dict.fromkeys(("connect", "read", "write", "timeout"), 0)
    given = {"errors": errors, "non_2xx": 0, "bytes": 1, "client_cpu_seconds": 0.1, **more}
    latency = {name: 8000 / speed + 0.01 for name in names}
    return Load(seconds=0.2, requests=round(speed * 0.2), latency_ms=latency, **given)


@dataclass
class Fake(Executor):
    """An executor that does as told; `breaks` maps (name, round number) to an error or a Load."""

    experiment: object
    breaks: dict = field(default_factory=dict)
    at_launch: dict = field(default_factory=dict)
    log: list = field(default_factory=list)
    counts: dict = field(default_factory=dict)
    closed: bool = False
    compiled: float = 0.0

    def launch(self, names):
        self.log.append(("launch", tuple(names)))
        number = sum(kind == "launch" for kind, _ in self.log)
        return self.at_launch.get(number, {})

    def measure(self, name, seconds):
        self.log.append(("measure", name))
        self.counts[name] = self.counts.get(name, 0) + 1
        done = self.breaks.get((name, self.counts[name]))
        if isinstance(done, BaseException):
            raise done
        return Measurement(done or load_of(1000.0), Evidence(server_cpu_seconds=0.19))

    def measure_together(self, names, seconds):
        self.log.append(("together", tuple(names)))
        found = {}
        for name in names:
            try:
                found[name] = self.measure(name, seconds)
            except VariantError as error:
                found[name] = error
        return found

    def warm_up(self, names, seconds):
        self.log.append(("warm-up", tuple(names)))
        return self.measure_together(names, seconds)

    def warmed_up(self):
        self.log.append(("warmed up", None))

    def land(self):
        self.log.append(("land", None))
        return {}

    def close(self):
        self.closed = True


@dataclass
class WarmingAgain(Fake):
    """One that says whether another warm-up is due: `due`, one answer after the other."""

    again_seconds = 0.1
    due: list = field(default_factory=list)

    def is_warm_up_due(self, count):
        return self.due.pop(0)


@dataclass
class LoadingThrough(Fake):
    """One that keeps entries under load from block to block; `known` in the end."""

    begun: list = field(default_factory=list)
    known: dict = field(default_factory=dict)

    def begin(self, names, seconds):
        self.begun.append((tuple(names), seconds))

    def finish(self):
        return self.known


class Bare(Executor):
    """The four methods that every executor must have, and no more."""

    def __init__(self, fake: Fake) -> None:
        self.fake = fake

    def launch(self, names):
        return self.fake.launch(names)

    def measure(self, name, seconds):
        return self.fake.measure(name, seconds)

    def land(self):
        return self.fake.land()

    def close(self):
        self.fake.close()


class Slicing(Bare):
    """One that measures blocks in slices."""

    def measure_in_slices(self, names, seconds):
        return self.fake.measure_together(names, seconds)
