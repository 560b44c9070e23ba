"""Servers, each with its own client, which measures."""

from benchbook.race import job
from benchbook.race.job import Job, Reasons
from benchbook.race.kinds.client import executor as client_executor
from benchbook.race.kinds.client.executor import ClientExecutor
from benchbook.race.kinds.measuring import SelfTimed
from benchbook.race.race import Race
from benchbook_kernels.base import builds


class ClientMeasuring(SelfTimed):
    """Samples are what the client measures."""

    def make(self, asked: Job, reasons: Reasons) -> Race:
        experiment = asked.experiment
        variants, entries = job.enter(experiment, asked.chosen, reasons)
        drawn = asked.plan(entries, client_executor.TOOL)
        executor = ClientExecutor(experiment, variants, first_port=asked.options.port)
        version = f"on .NET {builds.dotnet_version()}"
        return self.race(asked, drawn, entries, version, executor)


MEASURING = ClientMeasuring()
