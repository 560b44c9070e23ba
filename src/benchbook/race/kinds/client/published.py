"""Clients that load data so many times in turns: programs with their own servers, or a page's."""

import statistics
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchbook.model.kinds.client import Client
from benchbook.model.kinds.page import BROWSER, Page
from benchbook.model.published import PublishedClient
from benchbook.model.replayed import Figures, Measured, Replayed
from benchbook.model.variants import Variant
from benchbook.programs import browser, readiness
from benchbook.programs.programs import VariantError
from benchbook.race.kinds.client import executor as client_executor
from benchbook.race.kinds.page import web_page
from benchbook.race.kinds.page.executor import PageExecutor
from benchbook.race.record import Event
from benchbook.race.replay.outcome import AskedReplay
from benchbook.race.replay.replay import (
    GUESS_SECONDS,
    PATIENCE_SECONDS,
    UNIT_MS,
    Replay,
    contestants,
    make_run,
)
from benchbook.setup.words import counted
from benchbook.system import paths
from benchbook.system.errors import InputError


@dataclass
class ClientReplay(Replay):
    """Clients that are started once, and load data so many times in turns."""

    method: PublishedClient
    played: PublishedClient
    variants: Mapping[str, Variant] = field(default_factory=dict)

    def start(self, name: str) -> dict[str, Any]:
        """Start a client, and tell what it reads. Raises VariantError."""
        raise NotImplementedError

    def load(self, name: str) -> float:
        """The seconds of the method's loads in a row. Raises VariantError."""
        raise NotImplementedError

    def end(self) -> None:
        """End all that was started."""
        raise NotImplementedError

    def line(self) -> str:
        return f"{counted(self.method.iterations, 'load')} in a row"

    @property
    def expected_seconds(self) -> float:
        """As long as the article's own figures say, where it has any."""
        there = [m for m in self.measured if m.status != "unavailable"]
        told = [self.experiment.claim.published(m.name) for m in there]
        known = [figure.value * UNIT_MS[figure.unit] / 1000 for figure in told if figure]
        each = statistics.fmean(known) / self.shorten if known else GUESS_SECONDS
        return each * len(there) * self.played.figures

    def play(self) -> Iterator[Event]:
        try:
            for measured in self.measured:
                if measured.status == "unavailable":
                    continue
                yield self.progress(f"{measured.name}: starting")
                try:
                    self.run.parity[measured.name] = self.start(measured.name)
                except VariantError as error:
                    yield self.fail(measured, error)
            for number in range(self.played.measurements):
                for measured in self.measured:
                    if measured.status == "waiting":
                        yield from self.turn(measured, number)
            for measured in self.measured:
                if measured.status == "waiting":
                    measured.status = "measured"
            self.save()
        finally:
            self.end()

    def turn(self, measured: Measured, number: int) -> Iterator[Event]:
        """One measurement: the method's runs, one right after the other."""
        for _ in range(self.played.runs):
            of = f"measurement {number + 1} of {self.played.measurements}"
            yield self.progress(f"{measured.name}, {of}")
            began = time.monotonic() - self.began
            try:
                seconds = self.load(measured.name)
            except VariantError as error:
                yield self.fail(measured, error)
                return
            unit = self.method.columns[0]
            figures: dict[str, float | None] = {unit: seconds * 1000 / UNIT_MS[unit]}
            self.take(measured, Figures(figures, began, self.played.iterations, 0, seconds))
        self.save()


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
            few(replayed, "what .NET has not yet compiled well"),
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


@dataclass
class PageReplay(ClientReplay):
    """Each client is a page that is open in a browser, as the article's was."""

    kind = "page"
    each = "each client in a page of its own"
    executor: PageExecutor = field(kw_only=True)

    @staticmethod
    def reasons(replayed: Replayed) -> list[str]:
        return [
            "The browser, its runtime for .NET and the libraries are newer than the article's. The "
            "sizes of the data may differ, too: the article does not say.",
            few(replayed, "what is not yet compiled well"),
        ]

    def start(self, name: str) -> dict[str, Any]:
        self.executor.start()
        self.executor.enter(name)
        return self.executor.answers[name].to_json()

    def load(self, name: str) -> float:
        times = self.executor.load(name, loops=self.played.iterations)
        return float(sum(times["get"]) + sum(times["decode"])) / 1000

    def end(self) -> None:
        self.executor.close()


def few(replayed: Replayed, cold: str) -> str:
    loads = counted(replayed.played.as_kind(PublishedClient).iterations, "load")
    return f"Only {loads} make a figure: {cold} counts, and a single interruption shows."


def prepare_client(asked: AskedReplay, path: Path, say: readiness.Say) -> ClientReplay:
    experiment, method = asked.experiment, asked.method.as_kind(PublishedClient)
    if not isinstance(experiment.kind, Client | Page):
        problem = f"can't be replayed by {experiment.name}, which has no clients of its own"
        remedy = "name the part of the experiment that has a [client] or [page] table, as 07/http"
        raise InputError(paths.relative(experiment.claim.path), "published", problem, remedy)
    variants = {name: experiment.variant(name) for name in method.order}
    chosen = list(variants.values())
    if isinstance(experiment.kind, Page):
        readiness.look_for_packages(experiment.variants)
        apps, reasons = web_page.make_apps(experiment, chosen, say)
    else:
        apps, reasons = [], readiness.make_ready(chosen, say)
    measured, entries = contestants(experiment, variants, reasons)
    if isinstance(experiment.kind, Page):
        run = make_run(experiment, BROWSER, browser.version(), entries, path)
        executor = PageExecutor(variants, experiment.baseline, apps)
        return PageReplay(
            **vars(asked), run=run, measured=measured, variants=variants, executor=executor
        )
    run = make_run(experiment, client_executor.TOOL, "", entries, path)
    return ProgramsReplay(**vars(asked), run=run, measured=measured, variants=variants)
