"""Executors carry out a plan: real servers under a real load generator.

race.py knows only the Executor interface, so that scheduling, saving and failures are tested
without timing anything.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchbook.load import loading
from benchbook.load.load_from import Remote
from benchbook.load.tool import Load, LoadError, LoadTool, Paths
from benchbook.model.experiments import Experiment
from benchbook.model.kinds import Http
from benchbook.model.variants import Variant
from benchbook.programs import parity, programs, runners
from benchbook.programs.parity import Answer
from benchbook.programs.programs import Program, VariantError
from benchbook.race.witness import Evidence, Watch
from benchbook.system import cores, processes
from benchbook.system.pinning import Pinning
from benchbook.system.processes import Keeper

SETTLE_SECONDS = 10.0  # at most, after a warm-up
LOOK_SECONDS = 0.25  # longer than .NET waits before it compiles in the background
RESTING = 0.1  # of a CPU, all programs together
MUCH = 0.03  # CPU seconds a program
PATIENT_SECONDS = 2.0  # a server that answers nothing for so long is out of the race


@dataclass(frozen=True)
class Measurement:
    """A load generator's result and what happened on the machine meanwhile.

    began: by time.monotonic(), where that was not when the executor was asked to measure;
    parts_ms: as in runs.Sample.
    """

    load: Load
    evidence: Evidence
    began: float | None = None
    parts_ms: Mapping[str, float] = field(default_factory=dict)


class Executor(ABC):
    """Starts, measures and ends the entries of a race.

    answers: what each entry answered, which can be told with to_json(); again_seconds: of each
    warm-up but the first.
    """

    again_seconds: float = 0.1
    answers: Mapping[str, Any] = MappingProxyType({})

    def closing_remarks(self) -> Sequence[str]:
        """What is to be said at the end of a race."""
        return ()

    @abstractmethod
    def launch(self, names: Sequence[str]) -> dict[str, VariantError]:
        """Start the entries anew; returns the error of each that can't take part."""

    @abstractmethod
    def measure(self, name: str, seconds: float) -> Measurement:
        """One round. Raises VariantError where the entry fails."""

    @abstractmethod
    def land(self) -> dict[str, VariantError]:
        """End the launch; returns the error of each entry that no longer answers as it should."""

    @abstractmethod
    def close(self) -> None:
        """End everything that was started."""

    def settle(self, count: int) -> bool:
        """Asked after each warm-up of a launch (count: those before it): is another one due?"""
        return False


@dataclass
class HttpExecutor(Executor):
    """Servers on 127.0.0.1, each on a port of its own, loaded one at a time.

    seed: of the order in which many paths are asked, another one in every sample; samples: how many
    there were; remote: the host that the load comes from: servers then listen on its `address`.
    """

    experiment: Experiment
    variants: Mapping[str, Variant]
    tool: LoadTool
    pinning: Pinning
    connections: int
    first_port: int = 0
    seed: int = 0
    samples: int = 0
    keeper: Keeper = field(default_factory=Keeper)
    running: dict[str, Program] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    remote: Remote | None = None

    @property
    def http(self) -> Http:
        """What is asked of each server."""
        return self.experiment.kind_as(Http)

    @property
    def address(self) -> str:
        return self.remote.address if self.remote else programs.HOST

    def closing_remarks(self) -> Sequence[str]:
        return self.remote.remarks() if self.remote else []

    def launch(self, names: Sequence[str]) -> dict[str, VariantError]:
        self.end()
        errors: dict[str, VariantError] = {}
        for i, name in enumerate(names):
            port = self.first_port + i if self.first_port else 0
            try:
                self.running[name] = programs.start(
                    self.variants[name],
                    self.keeper,
                    self.pinning.server,
                    port,
                    address=self.address,
                )
            except VariantError as error:
                errors[name] = error
        for name, program in list(self.running.items()):
            try:
                programs.await_ready(program, self.http.path)
            except VariantError as error:
                errors[name] = error
                self.drop(name)
        return {**errors, **self.check_parity()}

    def check_parity(self) -> dict[str, VariantError]:
        """Ask every running entry and compare it with the baseline, or with what it must
        answer like; drops those that differ."""
        errors: dict[str, VariantError] = {}
        path = self.http.path
        reference = {
            name: self.experiment.reference(program.variant)
            for name, program in self.running.items()
        }
        for name in sorted(self.running, key=lambda name: reference[name] != name):
            program, other = self.running[name], reference[name]
            try:
                answer = parity.ask(program, path)
                if unknown := self.http.unknown:
                    missed = parity.ask(program, unknown)
                    parity.check_unknown(program.variant, missed, unknown)
                if other == name:
                    parity.check_baseline(program.variant, answer)
                elif other in self.running:
                    parity.check(program.variant, answer, self.answers[other])
                elif other != self.experiment.baseline:  # without a baseline there is no race
                    problem = f"can't be compared: '{other}', which it must be like, is gone"
                    raise VariantError(program.variant, problem, f"see why '{other}' is")
                self.answers[name] = answer
            except VariantError as error:
                errors[name] = error
                self.drop(name)
        return errors

    def measure(self, name: str, seconds: float) -> Measurement:
        program = self.running[name]
        url = f"http://{self.address}:{program.port}{self.http.path}"
        failure = ""
        remedy = f"try by hand{self.remote.there if self.remote else ''}: curl -i {url}"
        try:
            result, evidence = self.sample(program, url, seconds)
            if not result.requests and program.alive and seconds < PATIENT_SECONDS:
                # on a machine that is busy elsewhere a short sample may see no answer at all
                result, evidence = self.sample(program, url, PATIENT_SECONDS)
            if not result.requests:
                failure = result.silence
                many = f"it may not stand {self.connections} connections at once"
                remedy = f"{many}: try --connections 1, or {remedy}"
        except LoadError as error:  # tools give up where nobody listens any more
            failure = f"could not be put under load: {error.message}"
        if failure or not program.alive:
            failed = VariantError(program.variant, failure, remedy)
            if not program.alive:
                failed = programs.ended(program, "during the race")
            self.drop(name)
            raise failed
        return Measurement(result, evidence)

    def sample(self, program: Program, url: str, seconds: float) -> tuple[Load, Evidence]:
        watch = Watch(program.members)
        self.samples += 1
        paths = asked_paths(self.experiment, program.variant, self.seed + self.samples)
        result = loading.run(
            self.tool, url, seconds, self.connections, self.keeper, self.pinning.client, paths
        )
        if self.remote:  # what the load generator used, it did not use here
            cpu = self.remote.cpu_seconds
            return replace(result, client_cpu_seconds=cpu), watch.evidence(0.0)
        return result, watch.evidence(result.client_cpu_seconds)

    def settle(self, count: int) -> bool:
        members = [
            pid
            for program in self.running.values()
            if any(map(compiles_on, (program.variant.path, program.variant.backend)))
            for pid in program.members
        ]
        with self.on_all_cpus(members):
            return compiled_more(members, count)

    @contextmanager
    def on_all_cpus(self, members: Sequence[int]) -> Iterator[None]:
        """While nothing is measured programs may compile on the load generator's CPUs, too."""
        if not self.pinning.server:
            yield
            return
        processes.move(members, cores.affinity())
        try:
            yield
        finally:
            processes.move(members, self.pinning.server)

    def land(self) -> dict[str, VariantError]:
        errors = self.check_parity()
        self.end()
        return errors

    def drop(self, name: str) -> None:
        self.running.pop(name).end(self.keeper)

    def end(self) -> None:
        programs.end_all(list(self.running.values()), self.keeper)
        self.running.clear()

    def close(self) -> None:
        self.keeper.close()
        self.end()


def compiled_more(members: Sequence[int], count: int, least: int = 1) -> bool:
    """After a warm-up: wait until processes that compile in the background have done so.

    Is another warm-up due? .NET compiles what was called 30 times on a thread of its own, first
    with probes, and once more with what these have found when it was called as often again: so the
    first `least` warm-ups (count 0 and on) are not enough. In a race that would disturb whatever is
    measured meanwhile.
    https://github.com/dotnet/runtime/blob/main/docs/design/features/tiered-compilation.md
    """
    used, end = 0.0, time.monotonic() + SETTLE_SECONDS
    while members and time.monotonic() < end:
        watch = Watch(members)
        time.sleep(LOOK_SECONDS)
        spent = watch.evidence(0.0).server_cpu_seconds
        used += spent
        if spent < RESTING * LOOK_SECONDS:
            break
    return bool(members) and (count < least or used > MUCH * len(members))


def compiles_on(path: Path | None) -> bool:
    """Does the program in this file compile in the background?"""
    runner = path and runners.find(path)
    return bool(runner and runner.tiered)


def asked_paths(experiment: Experiment, variant: Variant, seed: int = 0) -> Paths | None:
    """The paths that a variant is asked at random; None where it is asked the one path only."""
    form = experiment.kind_as(Http).paths
    return Paths(form, variant.paths, seed) if variant.paths else None
