"""What carries out a race of clients of a web page: each launch loads the page anew for each.

A sample is a round in which a client loads the data again and again: GET, then decode, each with
its own clock. All pages of a launch are open side by side and idle but for the one that is asked,
so rounds are interleaved. Decode times differ from one load of the page to the next more than from
round to round: hence several launches.
"""

import math
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from benchbook.load import loading
from benchbook.model.samples import Evidence
from benchbook.model.variants import Variant
from benchbook.programs.programs import VariantError
from benchbook.race.evidence import Watch
from benchbook.race.executor import Executor, Measurement
from benchbook.race.kinds.decoded import DecodedAnswer
from benchbook.race.kinds.page.web_page import App, Browser, Site
from benchbook_kernels.base import processes
from benchbook_kernels.base.processes import Keeper


@dataclass
class PageExecutor(Executor):
    """Chromium and the servers of the apps, started once; in each launch a page for each entry.

    answers: what each entry read. members: the processes of browser and servers.
    """

    variants: Mapping[str, Variant]
    baseline: str
    apps: Sequence[App]
    port: int = 0
    keeper: Keeper = field(default_factory=Keeper)
    browser: Browser | None = None
    sites: list[Site] = field(default_factory=list)
    answers: dict[str, DecodedAnswer] = field(default_factory=dict)
    members: list[int] = field(default_factory=list)

    @property
    def open_browser(self) -> Browser:
        assert self.browser, "launch has started it"
        return self.browser

    def start(self) -> None:
        """The browser and the servers, unless they run. Raises PageError, VariantError."""
        if self.browser is None:
            for i, app in enumerate(self.apps):
                port = self.port + i if self.port else 0
                self.sites.append(Site.start(app, self.keeper, port))
            self.browser = Browser.start(self.keeper)

    def launch(self, names: Sequence[str]) -> dict[str, VariantError]:
        self.start()
        self.open_browser.ask({"close": True})
        errors: dict[str, VariantError] = {}
        for name in sorted(names, key=lambda name: name != self.baseline):
            try:
                self.enter(name)
            except VariantError as error:
                errors[name] = error
                if name == self.baseline:
                    break  # the race ends with it
        self.members = processes.family(self.open_browser.driver.process.pid)
        self.members += [pid for site in self.sites for pid in site.program.members]
        return errors

    def enter(self, name: str) -> None:
        """Open an entry's page, which must read what the baseline's reads. Raises VariantError."""
        answer = self.answers[name] = self.open(name)
        check(self.variants[name], answer, self.answers.get(self.baseline, answer))

    def open(self, name: str) -> DecodedAnswer:
        variant = self.variants[name]
        site = next(site for site in self.sites if site.has(variant))
        answer = self.open_browser.ask({"open": name, "url": site.address_of(variant)})
        self.check_answer(name, answer, "can't be opened in Chromium")
        return DecodedAnswer(
            answer["count"], answer["digest"], answer["bytes"], answer["exactDigest"]
        )

    def check_answer(self, name: str, answer: Mapping[str, Any], problem: str) -> None:
        """Raises VariantError for an error of the page."""
        if "error" in answer:
            remedy = "look at it by hand: ./bench page, then the browser's console"
            raise VariantError(self.variants[name], f"{problem}: {answer['error']}", remedy)

    def measure(self, name: str, seconds: float) -> Measurement:
        watch, before, began = Watch(()), self.cpu_seconds(), time.monotonic()
        answer = self.load(name, seconds=seconds)
        spent = [after - before[pid] for pid, after in self.cpu_seconds().items()]
        evidence = watch.evidence(sum(time for time in spent if not math.isnan(time)))
        unknown = replace(evidence, server_cpu_seconds=float("nan"))  # it is in `spent`
        return measurement(answer, self.answers[name].bytes, unknown, began)

    def load(self, name: str, seconds: float = 0, loops: int = 1) -> dict[str, Any]:
        """Have a client load for so long, and so often: its times, {"get": [ms …], "decode": …}.

        Raises VariantError.
        """
        asked = {"measure": name, "seconds": seconds, "loops": loops}
        answer = self.open_browser.ask(asked)
        self.check_answer(name, answer, "failed during the race")
        return answer

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
        for site in self.sites:
            site.close(self.keeper)


def check(variant: Variant, seen: DecodedAnswer, baseline: DecodedAnswer) -> None:
    """Raises VariantError where a client read other forecasts than the baseline did."""
    if not seen.forecasts:
        raise VariantError(variant, "read nothing", "look at the server's answer")
    if not seen.same_as(baseline):
        problem = (
            f"read {seen.forecasts} forecasts with the digest {seen.digest[:12]}… (exact: "
            f"{described(seen)}), the baseline {baseline.forecasts} with "
            f"{baseline.digest[:12]}… (exact: {described(baseline)})"
        )
        raise VariantError(variant, problem, "all clients must see the same objects")


def described(answer: DecodedAnswer) -> str:
    """The exact digest, in words."""
    return (answer.exact or "")[:12] or "unknown"


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
