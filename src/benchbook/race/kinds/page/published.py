"""Clients that are pages in a browser, as the article's was: they load data in turns."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from benchbook.model.kinds.page import BROWSER
from benchbook.model.published import PublishedClient
from benchbook.model.replayed import Replayed
from benchbook.programs import browser, readiness
from benchbook.programs.readiness import Say
from benchbook.race.kinds.page import web_page
from benchbook.race.kinds.page.executor import PageExecutor
from benchbook.race.replay.loads import ClientReplay, few_loads
from benchbook.race.replay.outcome import AskedReplay
from benchbook.race.replay.replay import contestants, make_run


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
            few_loads(replayed, "what is not yet compiled well"),
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

    @classmethod
    def prepare(cls, asked: AskedReplay, path: Path, say: Say) -> Self:
        experiment, method = asked.experiment, asked.method.as_kind(PublishedClient)
        variants = {name: experiment.variant(name) for name in method.order}
        readiness.look_for_packages(experiment.variants)
        apps, reasons = web_page.make_apps(experiment, list(variants.values()), say)
        measured, entries = contestants(experiment, variants, reasons)
        run = make_run(experiment, BROWSER, browser.version(), entries, path)
        executor = PageExecutor(variants, experiment.baseline, apps)
        return cls(**vars(asked), run=run, measured=measured, variants=variants, executor=executor)


REPLAY = PageReplay
