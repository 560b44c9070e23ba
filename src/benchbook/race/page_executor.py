"""What carries out a race of clients of a web page: each launch loads the page anew for each.

A sample is a round in which a client loads the data again and again: GET, then decode, each with
its own clock. All pages of a launch are open side by side and idle but for the one that is asked,
so rounds are interleaved. Decode times differ from one load of the page to the next more than from
round to round: hence several launches.
"""

import math
import shutil
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchbook.load import loading
from benchbook.model.variants import Variant
from benchbook.programs.programs import Program, VariantError
from benchbook.race import web_page
from benchbook.race.executor import Executor, Measurement
from benchbook.race.web_page import Browser
from benchbook.race.witness import Evidence, Watch
from benchbook.system import processes
from benchbook.system.processes import Keeper

TOOL = "Chromium"


@dataclass(frozen=True)
class DecodedAnswer:
    """What a client read. digest: of every field to the millisecond; exact: to the tick and with
    the kind of date, '' for JavaScript, whose Date has neither; bytes: of the body."""

    count: int
    digest: str
    exact: str
    bytes: int

    def to_json(self) -> dict[str, Any]:
        return {
            "forecasts": self.count,
            "sha256": self.digest,
            "sha256_exact": self.exact,
            "bytes": self.bytes,
        }


@dataclass
class PageExecutor(Executor):
    """Chromium and the page's server, started once; in each launch a page for each entry.

    assemble: puts together what the server gives out; folder: where, until the end. answers: what
    each entry read. members: the processes of both.
    """

    variants: Mapping[str, Variant]
    baseline: str
    server: Variant
    assemble: Callable[[], Path]
    folder: Path | None = None
    port: int = 0
    keeper: Keeper = field(default_factory=Keeper)
    browser: Browser | None = None
    program: Program | None = None
    answers: dict[str, DecodedAnswer] = field(default_factory=dict)
    members: list[int] = field(default_factory=list)

    @property
    def open_browser(self) -> Browser:
        assert self.browser, "launch has started it"
        return self.browser

    @property
    def site(self) -> Program:
        assert self.program, "launch has started it"
        return self.program

    def start(self) -> None:
        """The browser and the server, unless they run. Raises PageError, VariantError."""
        if self.browser is None:
            self.folder = self.assemble()
            self.program = web_page.start_server(self.server, self.folder, self.keeper, self.port)
            self.browser = Browser.start(self.keeper)

    def launch(self, names: Sequence[str]) -> dict[str, VariantError]:
        self.start()
        self.open_browser.ask({"close": True})
        errors: dict[str, VariantError] = {}
        for name in sorted(names, key=lambda name: name != self.baseline):
            try:
                self.answers[name] = self.open(name)
                check(self.variants[name], self.answers[name], self.answers[self.baseline])
            except VariantError as error:
                errors[name] = error
                if name == self.baseline:
                    break  # the race ends with it
        self.members = processes.family(self.open_browser.driver.process.pid) + list(
            self.site.members
        )
        return errors

    def open(self, name: str) -> DecodedAnswer:
        url = web_page.address(self.site, self.variants[name].name.partition("#")[0])
        answer = self.open_browser.ask({"open": name, "url": url})
        self.check_answer(name, answer, "can't be opened in Chromium")
        return DecodedAnswer(
            answer["count"], answer["digest"], answer["exactDigest"], answer["bytes"]
        )

    def check_answer(self, name: str, answer: Mapping[str, Any], problem: str) -> None:
        """Raises VariantError for an error of the page."""
        if "error" in answer:
            remedy = "look at it by hand: ./bench page, then the browser's console"
            raise VariantError(self.variants[name], f"{problem}: {answer['error']}", remedy)

    def measure(self, name: str, seconds: float) -> Measurement:
        watch, before, began = Watch(()), self.cpu_seconds(), time.monotonic()
        answer = self.open_browser.ask({"measure": name, "seconds": seconds})
        self.check_answer(name, answer, "failed during the race")
        spent = [after - before[pid] for pid, after in self.cpu_seconds().items()]
        evidence = watch.evidence(sum(time for time in spent if not math.isnan(time)))
        unknown = replace(evidence, server_cpu_seconds=float("nan"))  # it is in `spent`
        return measurement(answer, self.answers[name].bytes, unknown, began)

    def cpu_seconds(self) -> dict[int, float]:
        """CPU time of Chromium's processes, the driver and the server; NaN for one that ended."""
        return {pid: processes.cpu_seconds(pid) for pid in self.members}

    def land(self) -> dict[str, VariantError]:
        self.open_browser.ask({"close": True})
        return {}

    def close(self) -> None:
        if self.browser:
            self.browser.close(self.keeper)
        self.keeper.close()
        if self.program:
            self.program.end(self.keeper)
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def check(variant: Variant, seen: DecodedAnswer, baseline: DecodedAnswer) -> None:
    """Raises VariantError where a client read other forecasts than the baseline did."""
    if not seen.count:
        raise VariantError(variant, "read nothing", "look at the server's answer")
    same = (seen.count, seen.digest) == (baseline.count, baseline.digest)
    if same and seen.exact and baseline.exact:
        same = seen.exact == baseline.exact
    if not same:
        problem = (
            f"read {seen.count} forecasts with the digest {seen.digest[:12]}… (exact: "
            f"{seen.exact[:12] or 'unknown'}), the baseline {baseline.count} with "
            f"{baseline.digest[:12]}… (exact: {baseline.exact[:12] or 'unknown'})"
        )
        raise VariantError(variant, problem, "all clients must see the same objects")


def measurement(
    answer: Mapping[str, Sequence[float]], size: int, evidence: Evidence, began: float
) -> Measurement:
    """A sample from the page's times in milliseconds, of each GET and of each decode.

    A client that does both in one call has no decode times; its `get` is the sum.
    """
    get, decode = answer["get"], answer["decode"]
    both = [sum(pair) for pair in zip(get, decode)] if decode else list(get)
    parts = {"GET": statistics.fmean(get), "decode": statistics.fmean(decode)} if decode else {}
    result = loading.of_times(both, sum(both) / 1000, size)
    return Measurement(result, evidence, began, parts)
