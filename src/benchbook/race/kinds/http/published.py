"""Servers under the article's load generator, with its options."""

import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from benchbook.load import capacity, installed, loading, registry
from benchbook.load.errors import LoadError
from benchbook.loadtools.tool import Load, ReplayableTool
from benchbook.model.published import PublishedHttp
from benchbook.model.replayed import Figures, HonestRace, Measured, Replayed
from benchbook.model.samples import Evidence
from benchbook.model.variants import Variant
from benchbook.programs import parity, programs, readiness
from benchbook.programs.programs import Program, VariantError
from benchbook.programs.readiness import Say
from benchbook.race.evidence import CLIENT_BOUND, MISCOUNTED, Watch, left_out
from benchbook.race.record import Event
from benchbook.race.replay.outcome import AskedReplay
from benchbook.race.replay.replay import (
    GUESS_SECONDS,
    PATIENCE_SECONDS,
    Replay,
    contestants,
    make_run,
)
from benchbook.system import cores, paths
from benchbook.system.connections import Seen
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.words import counted

GRACE_SECONDS = 60.0  # longer than a method's stated duration than this, and the tool hangs
# What a unit of the article's table is, of what a load generator measures.
READS: dict[str, Callable[[Load], float | None]] = {
    "requests/s": lambda result: result.requests_per_second,
    "ms": lambda result: result.latency_ms["mean"],
}


@dataclass
class HttpReplay(Replay):
    """Servers on 127.0.0.1 under the article's load generator, each started once."""

    kind = "http"
    each = "each program"
    one_by_one = True

    method: PublishedHttp
    played: PublishedHttp
    variants: Mapping[str, Variant] = field(default_factory=dict)

    @property
    def tool(self) -> ReplayableTool:
        return registry.replayable(self.method.tool)

    def line(self) -> str:
        return " ".join([self.tool.name, *self.tool.published(self.method)])

    @staticmethod
    def reasons(replayed: Replayed) -> list[str]:
        method, race, found = replayed.method.as_kind(PublishedHttp), replayed.honest, []
        pipelining = method.pipelining or 1
        if pipelining > 1:
            each = method.connections
            flying = f", {each * pipelining:,} in all" if each else ""
            found.append(
                f"Pipelining: every connection has {pipelining} requests on the way{flying}. Few "
                "real clients do that; it hides the cost of reading and writing sockets, and "
                "latency."
            )
        if caution := registry.replayable(method.tool).caution(method.keep_alive):
            found.append(caution)
        if race:
            found += against_race(method, race)
        if method.runs == 1 and not method.warmup_seconds:
            found.append(
                "There was no warm-up: the first requests ran code that was not compiled yet."
            )
        if bound := client_bound(method, replayed.measured):
            found.append(
                f"{method.tool} used all of a CPU while it loaded {', '.join(bound)}: it may have "
                "been the load generator's speed that was measured."
            )
        return found

    @property
    def expected_seconds(self) -> float:
        return sum(
            self.played.warmup_seconds + self.played.figures * self.run_seconds(measured.name)
            for measured in self.measured
            if measured.status != "unavailable"
        )

    def run_seconds(self, name: str) -> float:
        """One run's length, about: as stated, or what the article's own speed makes of it."""
        if self.played.duration_seconds:
            return self.played.duration_seconds + 0.5
        figure = self.experiment.claim.published(name)
        if self.played.requests and figure and figure.unit == "requests/s":
            return self.played.requests / figure.value
        return GUESS_SECONDS

    def play(self) -> Iterator[Event]:
        for measured in self.measured:
            if measured.status == "unavailable":
                continue
            try:
                yield self.progress(f"{measured.name}: starting")
                yield from self.serve(measured)
            except (VariantError, LoadError) as error:
                yield self.fail(measured, error)
            self.save()

    def serve(self, measured: Measured) -> Iterator[Event]:
        """Start the server, see that it answers with 2xx, load it, end it.

        Raises VariantError where the server fails, LoadError where the load generator does.
        """
        path = self.experiment.kind.requested
        program = programs.start(self.variants[measured.name], self.keeper)
        try:
            programs.await_ready(program, path)
            manner = self.tool.published_manner(self.method)
            answer = parity.ask_as(program, path, manner)
            self.run.parity[measured.name] = answer.to_json()
            if not 200 <= answer.status < 300:
                problem = f"answers GET {path} with status {answer.status}"
                remedy = "an error page is not timed: make it answer with 2xx"
                raise VariantError(program.variant, problem, remedy)
            if seconds := self.played.warmup_seconds:
                warmup = replace(self.played, duration_seconds=seconds, requests=None)
                doing = f"{measured.name}: warming up"
                yield from self.load(program, warmup, measured, doing)
            for number in range(self.played.figures):
                doing = f"{measured.name}, run {number + 1} of {self.played.figures}"
                figures = yield from self.load(program, self.played, measured, doing)
                self.take(measured, figures)
                if figures.failed:
                    measured.reason = (
                        f"{figures.failed:,} of {counted(figures.requests or 0, 'request')} failed"
                    )
                    yield self.note(
                        f"variant '{measured.name}', run {number + 1}: {measured.reason}"
                    )
                if told := self.miscounted(figures):
                    measured.reason = measured.reason or told
                    yield self.note(f"variant '{measured.name}', run {number + 1}: {told}")
                if number + 1 == self.played.figures:
                    measured.status = "measured"
                self.save()
        finally:
            program.end(self.keeper)

    def load(
        self, program: Program, method: PublishedHttp, measured: Measured, doing: str
    ) -> Generator[Event, None, Figures]:
        """One run of the load generator; the iterator returns its Figures."""

        seen = Seen(program.port)

        def look() -> None:
            if not program.alive:
                raise programs.ended(program, "during a replay")
            seen.look()

        url = f"http://{programs.HOST}:{program.port}{self.experiment.kind.requested}"
        size = loading.request_bytes(self.tool.published_manner(method), url)
        most = (method.duration_seconds or PATIENCE_SECONDS) + GRACE_SECONDS
        with tempfile.TemporaryDirectory(dir=self.keeper.folder) as temporary:
            folder = Path(temporary)
            command = installed.started_here(self.tool, self.tool.replay(url, method, folder))
            here = f"{paths.root()}/"  # who reads the file has another checkout
            measured.command = [
                word.replace(f"{temporary}/", "").replace(here, "") for word in command
            ]
            with open(folder / "output", "w+b") as out:
                watch = Watch(program.members)
                began, client = time.monotonic() - self.began, loading.children_cpu()
                process = self.keeper.start(command, stdout=out, stderr=subprocess.STDOUT)
                try:
                    yield from self.wait(process, most, doing, look)
                    sent = loading.sent_in_all(self.tool, process, folder, size)
                finally:
                    self.keeper.end(process)
                client = loading.children_cpu() - client
                evidence = watch.evidence(client)
                look()
                result = loading.result(self.tool, out, folder, measured.command)
        if not result.requests:
            raise VariantError(program.variant, result.silence, f"try by hand: curl -i {url}")
        return Figures(
            figures={unit: READS[unit](result) for unit in method.columns},
            started_seconds=began,
            requests=result.requests,
            failed=sum(result.errors.values()) + result.non_2xx,
            seconds=result.seconds,
            server_cpu_seconds=evidence.server_cpu_seconds,
            client_cpu_seconds=client,
            outside_share=outside_share(evidence, result.seconds),
            asked=method.requests,
            sent=sent,
            reused=seen.reused,
        )

    def miscounted(self, figures: Figures) -> str:
        """That the tool did not count what it sent, or was asked to send; '' where it did."""
        requests, failed, asked = figures.requests or 0, figures.failed or 0, figures.asked or 0
        under_way = (self.played.connections or 1) * (self.played.pipelining or 1)
        if max(asked - requests - failed, requests - asked) > MISCOUNTED * asked > 0:
            told = f"counted {requests:,} of the {asked:,} requests that it was to send"
        elif figures.sent and left_out(figures.sent, requests + failed, under_way):
            told = f"sent about {counted(figures.sent, 'request')} and counted {requests:,}"
        else:
            return ""
        if figures.reused is not None and figures.reused < 1 - MISCOUNTED:
            told += ", where the server closes connections"
        return f"{self.tool.name} {told}: its figures are of those"

    @classmethod
    def prepare(cls, asked: AskedReplay, path: Path, say: Say) -> Self:
        experiment, method = asked.experiment, asked.method.as_kind(PublishedHttp)
        for unit in method.columns:
            if unit not in READS:
                where = paths.relative(experiment.claim.path)
                problem = f"{method.tool} does not measure '{unit}' (known: {', '.join(READS)})"
                raise InputError(where, "published.columns", problem)
        capacity.check(method.connections or 1, 1, paths.relative(experiment.claim.path))
        tool = registry.replayable(method.tool)
        missing = f"{tool.name} is not installed; {tool.install}" if installed.missing(tool) else ""
        variants = {name: experiment.variant(name) for name in method.order}
        reasons = readiness.make_ready(list(variants.values()), say)
        reasons = {name: missing or reason for name, reason in reasons.items()}
        measured, entries = contestants(experiment, variants, reasons)
        version = "" if missing else installed.version(tool)
        run = make_run(
            experiment,
            tool.name,
            version,
            entries,
            path,
            seconds=float(method.duration_seconds or 0),
            warmup_seconds=float(method.warmup_seconds),
            connections=method.connections or 1,
        )
        return cls(**vars(asked), run=run, measured=measured, variants=variants)


def outside_share(evidence: Evidence, seconds: float) -> float | None:
    """What programs outside of the replay used meanwhile, of all CPUs; None where unknown."""
    if evidence.outside_cpu_seconds is None or not seconds:
        return None
    return evidence.outside_cpu_seconds / (seconds * len(cores.affinity()))


def against_race(method: PublishedHttp, race: HonestRace) -> list[str]:
    """Load and processors, where they were not the race's."""
    found = []
    here = (method.tool, method.connections or "its usual number of")
    if here != (race.tool, race.connections):
        found.append(
            f"Another load: {here[0]} with {here[1]} connections; in the race {race.tool} with "
            f"{race.connections}."
        )
    if race.pinned:
        found.append(
            "Server and load generator shared all CPUs as the system pleased; in the race each had "
            "its own."
        )
    return found


def client_bound(method: PublishedHttp, measured: Iterable[Measured]) -> list[str]:
    """Which servers were loaded by a tool that had no CPU time left."""
    threads = registry.replayable(method.tool).published_threads(method.threads)
    return [
        each.name
        for each in measured
        if any(
            run.client_cpu_seconds / run.seconds > CLIENT_BOUND * threads
            for run in each.runs
            if run.client_cpu_seconds and run.seconds
        )
    ]


REPLAY = HttpReplay
