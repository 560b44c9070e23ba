"""What carries out a plan: real servers under a real load generator.

race.py knows only the Executor interface, so that scheduling, saving and failures are tested
without timing anything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from benchbook import load, parity, programs
from benchbook.experiments import Experiment, Variant
from benchbook.load import Load
from benchbook.parity import Answer
from benchbook.pinning import Pinning
from benchbook.processes import Keeper
from benchbook.programs import Program, VariantError
from benchbook.witness import Evidence, Watch


@dataclass(frozen=True)
class Measurement:
    """A load generator's result and what happened on the machine meanwhile."""

    load: Load
    evidence: Evidence


class Executor(Protocol):
    """Starts, measures and ends the entries of a race."""

    def launch(self, names: Sequence[str]) -> dict[str, VariantError]:
        """Start the entries anew; returns the error of each that can't take part."""

    def measure(self, name: str, seconds: float) -> Measurement:
        """One round. Raises VariantError where the entry fails."""

    def land(self) -> dict[str, VariantError]:
        """End the launch; returns the error of each entry that no longer answers as it should."""

    def close(self) -> None:
        """End everything that was started."""


@dataclass
class HttpExecutor:
    """Servers on 127.0.0.1, each on a port of its own, loaded one at a time."""

    experiment: Experiment
    variants: Mapping[str, Variant]
    tool: load.Tool
    pinning: Pinning
    connections: int
    first_port: int = 0
    keeper: Keeper = field(default_factory=Keeper)
    running: dict[str, Program] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)

    def launch(self, names: Sequence[str]) -> dict[str, VariantError]:
        self.end()
        errors: dict[str, VariantError] = {}
        for i, name in enumerate(names):
            port = self.first_port + i if self.first_port else 0
            try:
                self.running[name] = programs.start(
                    self.variants[name], self.keeper, self.pinning.server, port
                )
            except VariantError as error:
                errors[name] = error
        for name, program in list(self.running.items()):
            try:
                programs.await_ready(program, self.experiment.http.path)
            except VariantError as error:
                errors[name] = error
                self.drop(name)
        return {**errors, **self.check_parity()}

    def check_parity(self) -> dict[str, VariantError]:
        """Ask every running entry and compare it with the baseline; drops those that differ."""
        errors: dict[str, VariantError] = {}
        path, baseline = self.experiment.http.path, self.experiment.baseline
        for name in sorted(self.running, key=lambda n: n != baseline):
            program = self.running[name]
            try:
                answer = parity.ask(program, path)
                if name == baseline:
                    parity.check_baseline(program.variant, answer)
                elif baseline in self.running:
                    parity.check(program.variant, answer, self.answers[baseline])
                self.answers[name] = answer
            except VariantError as error:
                errors[name] = error
                self.drop(name)
        return errors

    def measure(self, name: str, seconds: float) -> Measurement:
        program = self.running[name]
        url = f"http://{programs.HOST}:{program.port}{self.experiment.http.path}"
        watch = Watch(program.members)
        result = load.run(
            self.tool, url, seconds, self.connections, self.keeper, self.pinning.client
        )
        evidence = watch.evidence(result.client_cpu_seconds)
        if not program.alive:
            error = programs.ended(program, "in mid-race")
            self.drop(name)
            raise error
        if not result.requests:
            self.drop(name)
            raise VariantError(
                program.variant,
                f"answered no request under load ({result.errors})",
                f"try by hand: curl -i {url}",
            )
        return Measurement(result, evidence)

    def land(self) -> dict[str, VariantError]:
        errors = self.check_parity()
        self.end()
        return errors

    def drop(self, name: str) -> None:
        program = self.running.pop(name)
        self.keeper.end(program.process)
        program.output.close()

    def end(self) -> None:
        self.keeper.end_all([program.process for program in self.running.values()])
        for program in self.running.values():
            program.output.close()
        self.running.clear()

    def close(self) -> None:
        self.keeper.close()
        self.end()
