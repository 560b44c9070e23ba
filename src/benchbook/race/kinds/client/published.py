"""Clients that are programs, each with a server of its own: they load data in turns."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from benchbook.model.kinds.client import Client
from benchbook.model.published import PublishedClient
from benchbook.model.replayed import Replayed
from benchbook.programs import readiness
from benchbook.programs.readiness import Say
from benchbook.race.kinds.client import executor as client_executor
from benchbook.race.replay.loads import ClientReplay, few_loads
from benchbook.race.replay.outcome import AskedReplay
from benchbook.race.replay.replay import PATIENCE_SECONDS, contestants, make_run
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError


@dataclass
class ProgramsReplay(ClientReplay):
    """Each client is a program, with a server of its own."""

    kind = "client"
    each = "each server with its client"
    pairs: dict[str, client_executor.Pair] = field(default_factory=dict)

    @staticmethod
    def reasons(replayed: Replayed) -> list[str]:
        return [
            "The article's client was C# on WebAssembly in a browser; here it is a .NET program, "
            "whose compiler is better. The sizes of the data may differ, too: the article does not "
            "say.",
            few_loads(replayed, "what .NET has not yet compiled well"),
        ]

    def start(self, name: str) -> dict[str, Any]:
        variant, path = self.variants[name], self.experiment.kind_as(Client).path
        self.pairs[name] = pair = client_executor.start(variant, path, self.keeper)
        other = self.experiment.reference(variant)
        client_executor.check(pair, other, self.pairs.get(other, pair).seen)
        return pair.seen.to_json()

    def load(self, name: str) -> float:
        told = self.pairs[name].ask(f"{self.played.iterations} loops", PATIENCE_SECONDS)
        return float(told["seconds"])

    def end(self) -> None:
        client_executor.end_pairs(list(self.pairs.values()), self.keeper)

    @classmethod
    def prepare(cls, asked: AskedReplay, path: Path, say: Say) -> Self:
        experiment, method = asked.experiment, asked.method.as_kind(PublishedClient)
        if not isinstance(experiment.kind, Client):
            problem = f"can't be replayed by {experiment.name}, which has no clients of its own"
            remedy = (
                "name the part of the experiment that has a [client] or [page] table, as 07/http"
            )
            raise InputError(paths.relative(experiment.claim.path), "published", problem, remedy)
        variants = {name: experiment.variant(name) for name in method.order}
        reasons = readiness.make_ready(list(variants.values()), say)
        measured, entries = contestants(experiment, variants, reasons)
        run = make_run(experiment, client_executor.TOOL, "", entries, path)
        return cls(**vars(asked), run=run, measured=measured, variants=variants)


REPLAY = ProgramsReplay
