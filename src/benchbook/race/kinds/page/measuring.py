"""Clients of a web page that is open in a browser."""

from benchbook.model.experiments import Experiment
from benchbook.model.kinds.page import BROWSER
from benchbook.model.variants import Variant
from benchbook.programs import browser
from benchbook.race import job
from benchbook.race.job import Job, Reasons
from benchbook.race.kinds.measuring import SelfTimed
from benchbook.race.kinds.page import web_page
from benchbook.race.kinds.page.executor import PageExecutor
from benchbook.race.race import Race


class PageMeasuring(SelfTimed):
    """Samples are what a page measures that is open in Chromium."""

    def reasons(self, asked: Job) -> Reasons:
        check = lambda known: job.check_baseline(asked.experiment, known)  # noqa: E731
        return web_page.make_apps(asked.experiment, asked.chosen, asked.say, check)[1]

    def make(self, asked: Job, reasons: Reasons) -> Race:
        experiment = asked.experiment
        there = [variant for variant in asked.chosen if not reasons[variant.name]]
        apps, _ = web_page.published(experiment, there, asked.say)
        variants, entries = job.enter(experiment, asked.chosen, reasons)
        drawn = asked.plan(entries, BROWSER)
        executor = PageExecutor(variants, experiment.baseline, apps, asked.options.port)
        return self.race(asked, drawn, entries, browser.version(), executor)

    def by_hand(self, experiment: Experiment, variant: Variant) -> str:
        return f"./bench page {experiment.number}"


MEASURING = PageMeasuring()
