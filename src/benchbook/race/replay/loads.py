"""Clients that load data so many times in turns: what replays of programs and of pages share."""

import statistics
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchbook.model.published import PublishedClient
from benchbook.model.replayed import Figures, Measured, Replayed
from benchbook.model.variants import Variant
from benchbook.programs.programs import VariantError
from benchbook.race.record import Event
from benchbook.race.replay.replay import GUESS_SECONDS, UNIT_MS, Replay
from benchbook_kernels.base.words import counted


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


def few_loads(replayed: Replayed, cold: str) -> str:
    """That interruptions and cold code count; cold: what is slow at first."""
    loads = counted(replayed.played.as_kind(PublishedClient).iterations, "load")
    return f"Only {loads} make a figure: {cold} counts, and a single interruption shows."
