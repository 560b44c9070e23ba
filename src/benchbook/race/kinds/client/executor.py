"""What carries out a race of clients, each with a server of its own: GET, then deserialize.

A variant is one program: without arguments it is the server, with a server's address the client,
which is asked for a round on its standard input and tells the time of every load on its standard
output (snippets/07-serializers/http/exchange). All are started anew in each launch, live side by
side, and are idle but for the pair that is asked: so rounds are interleaved.
"""

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from benchbook.load import loading
from benchbook.model.experiments import Experiment
from benchbook.model.kinds.client import Client
from benchbook.model.variants import Variant
from benchbook.programs import given_environment, programs, runners
from benchbook.programs.programs import Program, VariantError
from benchbook.race.evidence import Watch
from benchbook.race.executor import Executor, Measurement
from benchbook.race.kinds.asked import PATIENCE_SECONDS, AskedProcess
from benchbook.race.kinds.decoded import DecodedAnswer
from benchbook.race.warming import compiled_more
from benchbook.system import dialogue
from benchbook.system.dialogue import Dialogue
from benchbook_kernels.base import processes
from benchbook_kernels.base.processes import Keeper

TOOL = "the variant's own client"
NOTHING = DecodedAnswer(0, "", 0)  # before a client has loaded


@dataclass
class Pair(AskedProcess):
    """A client that waits for what it is asked ("20 loops", "0.5 seconds"), and its server."""

    server: Program
    seen: DecodedAnswer = NOTHING

    def where_to_look(self) -> str:
        return f"by hand: {self.by_hand()}"

    def ended(self) -> VariantError:
        """The error of a client that is gone, or of its server if that went first."""
        if not self.server.alive:
            return programs.ended(self.server, "during the race")
        code, lines = self.dialogue.process.returncode, self.dialogue.said()
        said = [line.strip() for line in lines if "Exception" in line][:2] or lines[-3:]
        problem = "\n    ".join([f"as a client {programs.how_ended(code)}", *said])
        return VariantError(self.variant, problem, self.where_to_look())

    def by_hand(self) -> str:
        command = runner_of(self.variant).by_hand(self.variant)
        return f"{command}, and the same with the server's address behind -- in another terminal"

    def cpu_seconds(self) -> float:
        """CPU time of the client so far, NaN where it has ended."""
        return processes.cpu_seconds(self.dialogue.process.pid)


def runner_of(variant: Variant) -> runners.Runner:
    """What runs a variant's file. Raises VariantError where nothing does."""
    runner = runners.find(variant.path)
    if runner is None:
        raise VariantError(variant, f"can't be run: {variant.path.suffix} is not known")
    return runner


def start(variant: Variant, path: str, keeper: Keeper, port: int = 0) -> Pair:
    """Start a server, and its client when it is ready; the client has loaded once.

    Raises VariantError where one of them fails; nothing of it runs on then.
    """
    server = programs.start(variant, keeper, port=port)
    client = None
    try:
        programs.await_ready(server, path)
        command = runner_of(variant).command(variant, {}, server.folder)
        client = Dialogue.start(
            keeper,
            [*command, f"http://{programs.HOST}:{server.port}{path}"],
            cwd=variant.path.parent,
            env={**given_environment.environment(), **variant.env},
        )
        pair = Pair(variant, client, server)
        first = pair.first()
        pair.seen = DecodedAnswer(first["forecasts"] or 0, first["digest"], first["bytes"])
        return pair
    except BaseException:
        if client:
            client.close(keeper)
        server.end(keeper)
        raise


def end_pairs(pairs: Sequence[Pair], keeper: Keeper) -> None:
    dialogue.end_all([pair.dialogue for pair in pairs], keeper)
    programs.end_all([pair.server for pair in pairs], keeper)


@dataclass
class ClientExecutor(Executor):
    """Pairs of a server and a client; answers: what each client read."""

    again_seconds = 0.3  # in which a client loads some hundred times
    experiment: Experiment
    variants: Mapping[str, Variant]
    first_port: int = 0
    keeper: Keeper = field(default_factory=Keeper)
    running: dict[str, Pair] = field(default_factory=dict)
    answers: dict[str, DecodedAnswer] = field(default_factory=dict)

    def launch(self, names: Sequence[str]) -> dict[str, VariantError]:
        self.end()
        errors: dict[str, VariantError] = {}
        path, variants = self.experiment.kind_as(Client).path, self.variants
        for i, name in enumerate(self.experiment.starting_order(names, variants)):
            port = self.first_port + i if self.first_port else 0
            other = self.experiment.reference(variants[name])
            try:
                pair = start(variants[name], path, self.keeper, port)
                self.running[name], self.answers[name] = pair, pair.seen
                check(pair, other, self.answers.get(other))
            except VariantError as error:
                errors[name] = error
                if name in self.running:
                    self.drop(name)
        return errors

    def measure(self, name: str, seconds: float) -> Measurement:
        pair = self.running[name]
        watch, used, began = Watch(pair.server.members), pair.cpu_seconds(), time.monotonic()
        try:
            told = pair.ask(f"{seconds} seconds", PATIENCE_SECONDS + 10 * seconds)
        except VariantError:
            self.drop(name)
            raise
        used = pair.cpu_seconds() - used
        evidence = watch.evidence(used if used == used else 0.0)
        # one waits while the other works: that the server has time left says nothing
        evidence = replace(evidence, server_cpu_seconds=float("nan"))
        result = loading.of_times(told["total"], told["seconds"], pair.seen.bytes)
        return Measurement(result, evidence, began, parts_ms(told))

    def is_warm_up_due(self, count: int) -> bool:
        clients = [pair.dialogue.process.pid for pair in self.running.values()]
        servers = [pid for pair in self.running.values() for pid in pair.server.members]
        # of a pair one program waits while the other works: it takes them twice as long
        return compiled_more([*clients, *servers], count, least=2)

    def land(self) -> dict[str, VariantError]:
        self.end()
        return {}

    def drop(self, name: str) -> None:
        end_pairs([self.running.pop(name)], self.keeper)

    def end(self) -> None:
        end_pairs(list(self.running.values()), self.keeper)
        self.running.clear()

    def close(self) -> None:
        self.keeper.close()
        self.end()


def check(pair: Pair, other: str, reference: DecodedAnswer | None) -> None:
    """Raises VariantError where a client read other forecasts than `other`, which it must be like,
    did; reference: what that read, None where it is gone."""
    seen = pair.seen
    if not seen.forecasts:
        raise VariantError(pair.variant, "read nothing", pair.where_to_look())
    if reference is None:
        raise programs.reference_gone(pair.variant, other)
    if not seen.same_as(reference):
        raise VariantError(
            pair.variant,
            f"read {seen.forecasts} forecasts with the digest {seen.digest[:12]}…, not "
            f"{reference.forecasts} with {reference.digest[:12]}…",
            "all clients must see the same objects",
        )


def parts_ms(told: Mapping[str, Any]) -> dict[str, float]:
    """What a load consists of, in order; what the server took for its bytes is part of its GET."""
    mean = {name: statistics.fmean(told[name]) for name in ("get", "serialize", "deserialize")}
    parts = {"serialize": mean["serialize"], "HTTP": max(0.0, mean["get"] - mean["serialize"])}
    if told["decompress"]:  # nothing where nothing was compressed
        parts["decompress"] = statistics.fmean(told["decompress"])
    return {**parts, "deserialize": mean["deserialize"]}
