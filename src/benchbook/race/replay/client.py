"""Pairs of a server and a client, which load data so many times in turns."""

import statistics
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchbook.model.claims import PublishedClient
from benchbook.model.kinds import Client
from benchbook.model.variants import Variant
from benchbook.programs import programs
from benchbook.programs.programs import VariantError
from benchbook.race import client_executor
from benchbook.race.race import Event
from benchbook.race.replay.base import (
    GUESS_SECONDS,
    PATIENCE_SECONDS,
    UNIT_MS,
    Figures,
    Measured,
    Replay,
    entry,
    make_run,
)
from benchbook.system import paths
from benchbook.system.errors import InputError


@dataclass
class ClientReplay(Replay):
    """Pairs of a server and a client, started once, which load data so many times in turns."""

    kind = "client"

    method: PublishedClient
    played: PublishedClient
    variants: Mapping[str, Variant] = field(default_factory=dict)

    def line(self) -> str:
        return f"{self.method.iterations} loads in a row"

    @property
    def expected_seconds(self) -> float:
        """As long as the article's own figures say, where it has any."""
        there = [m for m in self.measured if m.status != "unavailable"]
        told = [self.experiment.claim.published(m.name) for m in there]
        known = [figure.value * UNIT_MS[figure.unit] / 1000 for figure in told if figure]
        each = statistics.fmean(known) / self.shorten if known else GUESS_SECONDS
        return each * len(there) * self.played.figures

    def play(self) -> Iterator[Event]:
        pairs: dict[str, client_executor.Pair] = {}
        path, baseline = self.experiment.kind_as(Client).path, self.experiment.baseline
        try:
            for measured in self.measured:
                if measured.status == "unavailable":
                    continue
                yield self.progress(f"{measured.name}: starting")
                try:
                    pair = client_executor.start(self.variants[measured.name], path, self.keeper)
                    pairs[measured.name] = pair
                    seen = pairs[baseline].seen if baseline in pairs else pair.seen
                    client_executor.check(pair, seen)
                    if pair.seen:
                        self.run.parity[measured.name] = pair.seen.to_json()
                except VariantError as error:
                    yield self.fail(measured, error)
            for number in range(self.played.measurements):
                for measured in self.measured:
                    if measured.status == "waiting":
                        yield from self.turn(pairs[measured.name], measured, number)
            for measured in self.measured:
                if measured.status == "waiting":
                    measured.status = "measured"
            self.save()
        finally:
            client_executor.end_pairs(list(pairs.values()), self.keeper)

    def turn(self, pair: client_executor.Pair, measured: Measured, number: int) -> Iterator[Event]:
        """One measurement: the method's runs, one right after the other."""
        for _ in range(self.played.runs):
            of = f"measurement {number + 1} of {self.played.measurements}"
            yield self.progress(f"{measured.name}, {of}")
            began = time.monotonic() - self.began
            try:
                told = pair.ask(f"{self.played.iterations} loops", PATIENCE_SECONDS)
            except VariantError as error:
                yield self.fail(measured, error)
                return
            unit = self.method.columns[0]
            figures = {unit: told["seconds"] * 1000 / UNIT_MS[unit]}
            loads = len(told["total"])
            self.take(measured, Figures(figures, began, loads, 0, told["seconds"]))
        self.save()


def prepare_client(given: dict[str, Any], path: Path, say: programs.Say) -> ClientReplay:
    experiment, method = given["experiment"], given["method"]
    if not isinstance(experiment.kind, Client):
        problem = f"can't be replayed by {experiment.name}, which has no clients of its own"
        remedy = "name the part of the experiment that has a [client] table, as 07/http"
        raise InputError(paths.relative(experiment.claim.path), "published", problem, remedy)
    variants = {name: experiment.variant(name) for name in method.order}
    reasons = programs.make_ready(list(variants.values()), say)
    measured, entries = [], []
    for name, variant in variants.items():
        status = "unavailable" if reasons[name] else "waiting"
        measured.append(Measured(name, variant.title, status, reasons[name]))
        role = "baseline" if name == experiment.baseline else "variant"
        entries.append(
            entry(name, variant.title, role, variant.path, reasons[name], variant.edited)
        )
    run = make_run(experiment, client_executor.TOOL, "", method, entries, path)
    return ClientReplay(**given, run=run, measured=measured, variants=variants)
