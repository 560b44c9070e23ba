"""The article's own method, replayed exactly, and set beside the honest race's answer.

Every variant is started once and measured with the article's tool and options, one after the other
in the article's order; or the article's script is run, and the times that it prints are read.
A replay is a run file like a race's, with `replay` filled in and no samples. It is saved after each
figure, in a folder of its own, so that nothing takes it for a race.

A kind of method is a subclass of claims.Published, a branch of schemas/claim.schema.json and a
subclass of Replay here, in KINDS.
"""

import dataclasses
import hashlib
import math
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import benchbook
from benchbook import client_executor, judge, load, machine, parity, paths, plan, programs
from benchbook import results, witness
from benchbook.claims import LESS_IS_FASTER, Published, PublishedClient, PublishedHttp
from benchbook.claims import PublishedLoop, speed_ratio
from benchbook.errors import BenchError, InputError
from benchbook.experiments import Experiment, Variant
from benchbook.judge import Judgement, Results
from benchbook.load import Load, LoadError
from benchbook.processes import Keeper
from benchbook.programs import Program, VariantError
from benchbook.race import Event, Note, Progress, stamp
from benchbook.results import Entry, Run

FOLDER = "as-published"  # beside the races' run files: what looks for races does not find replays
TICK_SECONDS = 0.5  # how often the time left is told
GRACE_SECONDS = 60.0  # longer than a method's stated duration than this, and the tool hangs
PATIENCE_SECONDS = 1800.0  # the same for a method that states requests or iterations only
GUESS_SECONDS = 10.0  # a run whose length nothing tells

# What a unit of the article's table is, of what a load generator measures.
READS: dict[str, Callable[[Load], float | None]] = {
    "requests/s": lambda result: result.requests_per_second,
    "ms": lambda result: result.latency_ms["mean"],
}
# As console.time prints: 12.3ms, 3.896s, 1:02.345 (m:ss.mmm), 1:00:02.345 (h:mm:ss.mmm)
PRINTED = re.compile(
    r"^(?P<label>.+?):\s+(?:(?P<number>\d+(?:\.\d+)?)(?P<unit>ms|s)\b|"
    r"(?:(?P<h>\d+):)?(?P<m>\d+):(?P<s>\d+\.\d+) \()"
)
UNIT_MS = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1.0, "s": 1e3}


@dataclass
class Figures:
    """One run of one thing: a number by unit, and how it came about where that is known.

    started_seconds counts from the start of the replay; failed: requests with an error or with
    another status than 2xx; outside_share: of all CPUs, what programs outside of the replay used.
    """

    figures: dict[str, float | None]
    started_seconds: float | None = None
    requests: int | None = None
    failed: int | None = None
    seconds: float | None = None
    server_cpu_seconds: float | None = None
    client_cpu_seconds: float | None = None
    outside_share: float | None = None


@dataclass
class Measured:
    """What is measured: a variant, or a label that the script prints.

    status: waiting, measured, unavailable, failed; command: the command line, as run.
    """

    name: str
    title: str
    status: str = "waiting"
    reason: str = ""
    command: list[str] = field(default_factory=list)
    runs: list[Figures] = field(default_factory=list)


@dataclass(frozen=True)
class Honest:
    """The race that a replay is compared with."""

    run: Run
    results: Results


@dataclass
class Replay:
    """A replay that is ready to run: iterate over events() to run it, as over a race's.

    method: as published; played: the same, shortened if so asked; measured: in the article's order;
    honest: the race to compare with and what it says, None where there is none.
    """

    experiment: Experiment
    method: Published
    played: Published
    shorten: int
    run: Run
    measured: list[Measured]
    honest: Honest | None
    keeper: Keeper = field(init=False)
    began: float = field(init=False)
    moved: float = field(init=False)  # when the last figure came, in seconds from the start

    def events(self) -> Iterator[Event]:
        """Run to the end. The run is saved after every figure, and however this ends.

        A variant that fails is named in a Note, and the others go on. Raises BenchError where not
        a single figure came, KeyboardInterrupt as it comes; the run is then saved as incomplete.
        """
        self.began, self.moved = time.monotonic(), 0.0
        self.keeper = Keeper()
        with results.recording(self.run, self.save, self.keeper.close):
            yield from (Note(message) for message in self.run.messages)
            yield from self.play()
            if not any(measured.runs for measured in self.measured):
                raise BenchError("nothing could be replayed", "see the reasons above")

    def play(self) -> Iterator[Event]:
        """Measure what is available; the kinds say how."""
        raise NotImplementedError

    def line(self) -> str:
        """The command with the article's options, as an article would write it."""
        raise NotImplementedError

    @property
    def expected_seconds(self) -> float:
        """How long all runs will take, about."""
        raise NotImplementedError

    def save(self) -> None:
        self.run.replay = results.plain(to_json(self))
        self.run.save()

    def fail(self, measured: Measured, error: BenchError) -> Note:
        """This one has no figure, or no more of them; the others go on."""
        measured.status, measured.reason = "failed", str(error)
        for entry in self.run.entries:
            if entry.name == measured.name:
                entry.status, entry.reason = "failed", str(error)
        return self.note(str(error))

    def note(self, text: str) -> Note:
        self.run.messages.append(text)
        return Note(text)

    def progress(self, doing: str) -> Progress:
        there = [m for m in self.measured if m.status in ("waiting", "measured")]
        total = max(1, len(there) * self.played.figures)
        done = sum(len(m.runs) for m in there)
        elapsed = time.monotonic() - self.began
        if 0 < done <= total:
            left = self.moved * (total - done) / done - (elapsed - self.moved)
        else:
            left = self.expected_seconds - elapsed
        return Progress(done, total, max(0.0, left), doing)

    def take(self, measured: Measured, figures: Figures) -> None:
        measured.runs.append(figures)
        self.moved = time.monotonic() - self.began

    def wait(
        self,
        process: subprocess.Popen,
        most_seconds: float,
        doing: str,
        check: Callable = lambda: None,
    ) -> Iterator[Event]:
        """Until the process ends: tell the time left, and let `check` look whether all is well.

        Raises LoadError where the process does not end, and what `check` raises.
        """
        deadline = time.monotonic() + most_seconds
        while process.poll() is None:
            check()
            if time.monotonic() > deadline:
                raise LoadError(f"{self.line()} did not end", "./bench doctor")
            yield self.progress(doing)
            try:
                process.wait(TICK_SECONDS)
            except subprocess.TimeoutExpired:
                continue


@dataclass
class HttpReplay(Replay):
    """Servers on 127.0.0.1 under the article's load generator, each started once."""

    method: PublishedHttp
    played: PublishedHttp
    variants: Mapping[str, Variant] = field(default_factory=dict)

    @property
    def tool(self) -> load.Replaying:
        return load.TOOLS[self.method.tool]

    def line(self) -> str:
        return " ".join([self.tool.name, *self.tool.published(self.method)])

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
        known = figure and figure.unit == "requests/s"
        return self.played.requests / figure.value if known else GUESS_SECONDS

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
        path = self.experiment.http.path
        program = programs.start(self.variants[measured.name], self.keeper)
        try:
            programs.await_ready(program, path)
            answer = parity.ask(program, path)
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
                    measured.reason = f"{figures.failed:,} of {figures.requests:,} requests failed"
                    yield self.note(
                        f"variant '{measured.name}', run {number + 1}: {measured.reason}"
                    )
                self.save()
            measured.status = "measured"
        finally:
            program.end(self.keeper)

    def load(
        self, program: Program, method: PublishedHttp, measured: Measured, doing: str
    ) -> Iterator[Event]:
        """One run of the load generator; the iterator returns its Figures."""

        def check() -> None:
            if not program.alive:
                raise programs.ended(program, "in mid-replay")

        url = f"http://{programs.HOST}:{program.port}{self.experiment.http.path}"
        most = (method.duration_seconds or PATIENCE_SECONDS) + GRACE_SECONDS
        with tempfile.TemporaryDirectory(prefix="benchbook-") as temporary:
            folder = Path(temporary)
            command = self.tool.replay(url, method, folder)
            measured.command = [word.replace(f"{temporary}/", "") for word in command]
            with open(folder / "output", "w+b") as out:
                watch = witness.Watch(program.members)
                began, client = time.monotonic() - self.began, load.children_cpu()
                process = self.keeper.start(command, stdout=out, stderr=subprocess.STDOUT)
                try:
                    yield from self.wait(process, most, doing, check)
                finally:
                    self.keeper.end(process)
                client = load.children_cpu() - client
                evidence = watch.evidence(client)
                check()
                result = load.result(self.tool, out, folder, measured.command)
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
        )


def outside_share(evidence: witness.Evidence, seconds: float) -> float | None:
    """What programs outside of the replay used meanwhile, of all CPUs; None where unknown."""
    if evidence.outside_cpu_seconds is None or not seconds:
        return None
    return evidence.outside_cpu_seconds / (seconds * len(machine.affinity()))


@dataclass
class LoopReplay(Replay):
    """A script that times itself, run once by Node.js; the times that it prints are the figures."""

    method: PublishedLoop
    played: PublishedLoop
    folder: Path = Path()

    def command(self, method: PublishedLoop) -> list[str]:
        arguments = [] if method.iterations is None else [str(method.iterations)]
        return ["node", method.script, *arguments]

    def line(self) -> str:
        return " ".join(self.command(self.method))

    @property
    def expected_seconds(self) -> float:
        """As long as the article's own figures say."""
        unit = self.method.columns[0]
        shown = {row.figure for row in self.method.rows}
        told = [
            f.value for f in self.experiment.claim.figures if f.label in shown and f.unit == unit
        ]
        mean = statistics.fmean(told) * UNIT_MS[unit] / 1000
        return mean * len(self.measured) * self.played.figures / self.shorten

    def play(self) -> Iterator[Event]:
        waiting = [measured for measured in self.measured if measured.status == "waiting"]
        if not waiting:
            return
        command = self.command(self.played)
        with tempfile.TemporaryDirectory(prefix="benchbook-") as temporary:
            out = Path(temporary) / "output"
            for measured in waiting:
                measured.command = command
            with open(out, "wb") as file:
                process = self.keeper.start(
                    command, cwd=self.folder, stdout=file, stderr=subprocess.STDOUT
                )
            try:
                doing = f"{self.played.script} is running"
                most = max(PATIENCE_SECONDS, 10 * self.expected_seconds)
                yield from self.wait(process, most, doing, lambda: self.listen(out))
            finally:
                self.keeper.end(process)
                self.listen(out)
            yield from self.complaints(process.returncode, out)

    def listen(self, out: Path) -> None:
        """Take the figures that the script has printed since the last look, and save them."""
        before = [len(measured.runs) for measured in self.measured]
        times = printed(out.read_text("utf-8", "replace"))
        for measured in self.measured:
            for milliseconds in times.get(measured.name, [])[len(measured.runs) :]:
                unit = self.method.columns[0]
                self.take(measured, Figures({unit: milliseconds / UNIT_MS[unit]}))
        if before != [len(measured.runs) for measured in self.measured]:
            self.save()

    def complaints(self, code: int, out: Path) -> Iterator[Event]:
        """Every label must have as many figures as the method says, and the script end well."""
        script, wanted = self.played.script, self.played.figures
        for measured in self.measured:
            if len(measured.runs) == wanted and code == 0:
                measured.status = "measured"
                continue
            problem = (
                f"{script} printed {len(measured.runs)} of {wanted} figures of '{measured.name}'"
            )
            if code:
                problem += "\n".join([f" and ended with exit code {code}", *last_words(out)])
            remedy = f"run it by hand, in the experiment's folder: {' '.join(measured.command)}"
            yield self.fail(measured, BenchError(problem, remedy))
        self.save()


@dataclass
class ClientReplay(Replay):
    """Pairs of a server and a client, started once, which load data so many times in turns."""

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
        path, baseline = self.experiment.client.path, self.experiment.baseline
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


KINDS: dict[type[Published], type[Replay]] = {
    PublishedHttp: HttpReplay,
    PublishedLoop: LoopReplay,
    PublishedClient: ClientReplay,
}
NAMES = {PublishedHttp: "http", PublishedLoop: "loop", PublishedClient: "client"}


def last_words(out: Path) -> list[str]:
    """The error in what a script printed, else the end of it."""
    lines = out.read_text("utf-8", "replace").strip().splitlines()
    return [line for line in lines if "Error" in line][:2] or lines[-3:]


def printed(text: str) -> dict[str, list[float]]:
    """The times in a script's output, in milliseconds, by label; an unfinished line is left out."""
    found: dict[str, list[float]] = {}
    for line in text.splitlines(keepends=True):
        match = PRINTED.match(line)
        if not match or not line.endswith("\n"):
            continue
        if match["number"]:
            milliseconds = float(match["number"]) * UNIT_MS[match["unit"]]
        else:
            hours, minutes = int(match["h"] or 0), int(match["m"])
            milliseconds = ((hours * 60 + minutes) * 60 + float(match["s"])) * 1000
        found.setdefault(match["label"].strip(), []).append(milliseconds)
    return found


# ── Getting ready ────────────────────────────────────────────────────────────────────────────────


def prepare(
    experiment: Experiment,
    shorten: int = 1,
    path: Path | None = None,
    say: programs.Say = lambda text: None,
) -> Replay:
    """A replay of the method in the experiment's claim file, ready to run.

    shorten: divide durations, requests and iterations by this. path: where the run file goes.
    say: told what is being built.
    Raises InputError where the claim file holds no method, or one that can't be shortened.
    """
    method = experiment.claim.method
    if method is None:
        where = paths.relative(experiment.claim.path)
        remedy = "write down the article's method, or race without --as-published"
        problem = f"is missing (the article's method: {experiment.claim.source.method})"
        raise InputError(where, "published", problem, remedy)
    path = path or results.folder(experiment.kept_as) / FOLDER / f"{stamp()}.json"
    scratch = paths.scratch() / f"{experiment.name}-{stamp()}"
    staged = programs.stage(experiment, scratch)
    given = {
        "experiment": staged,
        "method": method,
        "played": shortened(method, shorten),
        "shorten": shorten,
        "honest": honest_race(experiment),
    }
    if isinstance(method, PublishedHttp):
        return prepare_http(given, path, say)
    if isinstance(method, PublishedClient):
        return prepare_client(given, path, say)
    folder = experiment.folder if staged is experiment else scratch
    return prepare_loop({**given, "folder": folder}, path)


def honest_race(experiment: Experiment) -> Honest | None:
    """The race to compare with: the newest complete one that raced all that the claim speaks of.

    Where there is none, the newest complete one. Only races whose programs took turns count. A file
    that can't be read (an older format, half a file) is passed over.
    """
    spoken = {name for statement in experiment.claim.statements for name in statement.names}
    newest = None
    for path in results.saved(experiment.kept_as):
        try:
            run = results.load(path)
        except InputError:
            continue
        if not run.complete or run.replay or not run.takes_turns:
            continue
        newest = newest or run
        raced = {e.name for e in run.entries if e.status == "raced" and not e.edited}
        if spoken <= raced:
            newest = run
            break
    return newest and Honest(newest, judge.judge(newest, experiment.claim))


def prepare_http(given: dict[str, Any], path: Path, say: programs.Say) -> HttpReplay:
    experiment, method = given["experiment"], given["method"]
    for unit in method.columns:
        if unit not in READS:
            where = paths.relative(experiment.claim.path)
            problem = f"{method.tool} does not measure '{unit}' (known: {', '.join(READS)})"
            raise InputError(where, "published.columns", problem)
    tool = load.TOOLS[method.tool]
    missing = f"{tool.name} is not installed; {tool.install}" if tool.missing() else ""
    variants = {name: experiment.variant(name) for name in method.order}
    measured, entries = [], []
    reasons = programs.make_ready(list(variants.values()), say)
    for name, variant in variants.items():
        reason = missing or reasons[name]
        status = "unavailable" if reason else "waiting"
        measured.append(Measured(name, variant.title, status, reason))
        role = "baseline" if name == experiment.baseline else "variant"
        entries.append(entry(name, variant.title, role, variant.path, reason, variant.edited))
    version = "" if missing else tool.version()
    run = make_run(experiment, tool.name, version, method, entries, path)
    return HttpReplay(**given, run=run, measured=measured, variants=variants)


def prepare_client(given: dict[str, Any], path: Path, say: programs.Say) -> ClientReplay:
    experiment, method = given["experiment"], given["method"]
    if experiment.client is None:
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


def prepare_loop(given: dict[str, Any], path: Path) -> LoopReplay:
    experiment, method = given["experiment"], given["method"]
    if len(method.columns) != 1 or method.columns[0] not in UNIT_MS:
        where = paths.relative(experiment.claim.path)
        problem = f"a script prints times, not {' and '.join(method.columns)}"
        raise InputError(where, "published.columns", problem, f"one of {', '.join(UNIT_MS)}")
    reason = ""
    if not shutil.which("node"):
        reason = "Node.js is not installed; `./bench doctor` says how to get it"
    status = "unavailable" if reason else "waiting"
    labels = dict.fromkeys(row.reads for row in method.rows)
    measured = [Measured(label, label, status, reason) for label in labels]
    script = given["folder"] / method.script
    entries = [entry(method.script, "the article's loop", "variant", script, reason)]
    version = machine.tool_version("node") or ""
    run = make_run(experiment, "node", version, method, entries, path)
    return LoopReplay(**given, run=run, measured=measured)


def shortened(method: Published, by: int) -> Published:
    """The method with durations, requests and iterations divided by this (1: as it is).

    Durations stay whole seconds, at least one; requests stay at least as many as the connections.
    Raises InputError where the method states no length.
    """
    if by == 1:
        return method
    changed: dict[str, int] = {}
    if isinstance(method, PublishedLoop):
        if method.iterations is None:
            problem = "can't shorten a script whose length is not stated"
            remedy = "give published.iterations in the claim file, and let the script read it"
            raise InputError("--shorten", "", problem, remedy)
        changed["iterations"] = max(1, method.iterations // by)
    if isinstance(method, PublishedClient):
        changed["iterations"] = max(1, method.iterations // by)
    if isinstance(method, PublishedHttp):
        if method.duration_seconds:
            changed["duration_seconds"] = max(1, round(method.duration_seconds / by))
        if method.requests:
            changed["requests"] = max(method.connections or 1, math.ceil(method.requests / by))
        if method.warmup_seconds:
            changed["warmup_seconds"] = max(1, round(method.warmup_seconds / by))
    return replace(method, **changed)


def entry(name: str, title: str, role: str, path: Path, reason: str, edited: bool = False) -> Entry:
    return Entry(
        name=name,
        title=title,
        role=role,
        file=paths.relative(path),
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        edited=edited,
        status="unavailable" if reason else "raced",
        reason=reason,
    )


def make_run(
    experiment: Experiment,
    tool: str,
    version: str,
    method: Published,
    entries: list[Entry],
    path: Path,
) -> Run:
    """The run file of a replay: one launch, everything in the article's order, nothing pinned."""
    names = tuple(e.name for e in entries)
    drawn = plan.Plan(
        mode=FOLDER,
        entries=names,
        launches=1,
        blocks=1,
        sample_seconds=float(getattr(method, "duration_seconds", None) or 0),
        warmup_seconds=float(getattr(method, "warmup_seconds", 0)),
        connections=getattr(method, "connections", None) or 1,
        tool=tool,
        seed=0,
        order=((names,),),
        interleaved=False,
    )
    return Run(
        experiment={
            "name": experiment.name,
            "title": experiment.title,
            "claim": experiment.claim.name,
            "path": experiment.http.path if experiment.http else "",
        },
        plan=drawn.to_json(),
        tool={"name": tool, "version": version},
        pinning={"server": None, "client": None, "reason": "as the article did it"},
        machine=machine.manifest(),
        entries=entries,
        benchbook=benchbook.__version__,
        started=results.now(),
        reason="the replay is still running, or was ended without a chance to say so",
        messages=[f"'{e.name}' is unavailable: {e.reason}" for e in entries if e.reason],
        path=path,
    )


# ── What came of it ──────────────────────────────────────────────────────────────────────────────


def taken(runs: Sequence[Figures], method: Published) -> list[dict[str, float | None]]:
    """The figure of every whole measurement: a number by unit.

    A measurement is method.runs runs; best: the run that is best in the first column.
    """
    found = []
    for first in range(0, len(runs) - method.runs + 1, method.runs):
        group = [run.figures for run in runs[first : first + method.runs]]
        if method.take == "mean":
            found.append({unit: mean(g[unit] for g in group) for unit in method.columns})
        elif method.take == "best":
            unit = method.columns[0]
            best = min if unit in LESS_IS_FASTER else max
            found.append(best(group, key=lambda figures: figures[unit]))
        else:
            found.append(group[-1])
    return found


def mean(values: Iterator[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def to_json(replay: Replay) -> dict[str, Any]:
    """What a run file holds under `replay`; see schemas/run.schema.json."""
    method = replay.method
    figures = {m.name: taken(m.runs, method) for m in replay.measured}
    return {
        "kind": NAMES[type(method)],
        "line": replay.line(),
        "method": dataclasses.asdict(method),
        "played": dataclasses.asdict(replay.played),
        "shortened": replay.shorten,
        "columns": list(method.columns),
        "measured": [{**dataclasses.asdict(m), "taken": figures[m.name]} for m in replay.measured],
        "rows": rows(replay, figures),
        "statements": statements(replay, figures),
        "honest": None if replay.honest is None else facts(replay.honest, replay.run),
    }


def rows(replay: Replay, figures: Mapping[str, list[dict]]) -> list[dict[str, Any]]:
    """The article's table, row by row, and after it what the article measured without figures."""
    method, claim = replay.method, replay.experiment.claim
    published = {
        label: {
            f.unit: f.value for f in claim.figures if f.label == label and f.unit in method.columns
        }
        for label in dict.fromkeys(f.label for f in claim.figures)
    }
    shown = [(row.figure, row.reads, row.number) for row in method.rows]
    read = {reads for _, reads, _ in shown}
    shown += [("", m.name, 0) for m in replay.measured if m.name not in read]
    table = []
    for label, reads, number in shown:
        values = figures.get(reads, [])
        values = values[number - 1 : number] if number else values
        here = {unit: mean(value[unit] for value in values) for unit in method.columns}
        table.append(
            {
                "label": label,
                "reads": reads,
                "published": published.get(label, {}),
                "replayed": here if values else {},
                "note": "" if values else absence(reads, replay.measured),
            }
        )
    return table


def absence(name: str, measured: Sequence[Measured]) -> str:
    """Why there is no figure."""
    if not name:
        return "not raced here"
    found = next(m for m in measured if m.name == name)
    return {
        "waiting": "not measured yet",
        "measured": "no such measurement",
        "unavailable": f"unavailable: {found.reason}",
        "failed": f"failed: {found.reason.partition(chr(10))[0]}",
    }[found.status]


def statements(replay: Replay, figures: Mapping[str, list[dict]]) -> list[dict[str, Any]]:
    """Every statement of the claim: published, replayed, and the honest race's answer."""
    claim, unit = replay.experiment.claim, replay.method.columns[0]
    judged = replay.honest.results.judgements if replay.honest else ()
    answers = {judgement.statement.id: judgement for judgement in judged}
    found = []
    for statement in claim.statements:
        speeds, missing = {}, []
        for name in statement.names:
            reads = read_for(name, replay)
            values = figures.get(reads, [])
            if values and (figure := mean(value[unit] for value in values)):
                speeds[name] = figure
            elif values:
                missing.append(f"{name}: 0 {unit} can't be compared: let it do more")
            else:
                known = reads in figures
                why = absence(reads, replay.measured) if known else "not in the article's method"
                missing.append(f"{name}: {why}")
        pair = statement.type != "order" and not missing
        order = sorted(speeds, key=lambda name: speeds[name], reverse=unit not in LESS_IS_FASTER)
        answer = answers.get(statement.id)
        interval = answer.tests[0].interval if pair_of(answer) else None
        found.append(
            {
                "id": statement.id,
                "says": statement.says,
                "published": claim.published_ratio(statement),
                "replayed": speed_ratio(speeds[statement.a], speeds[statement.b], unit)
                if pair
                else None,
                "order": order if statement.type == "order" and not missing else None,
                "honest": interval
                and {"ratio": interval.ratio, "low": interval.low, "high": interval.high},
                "verdict": answer.verdict if answer else None,
                "why": answer.why if answer else "",
                "missing": "; ".join(missing),
            }
        )
    return found


def pair_of(answer: Judgement | None) -> bool:
    return answer is not None and len(answer.tests) == 1


def read_for(variant: str, replay: Replay) -> str:
    """What is measured for a variant: itself, or the label that the script prints for it."""
    if isinstance(replay.method, PublishedHttp | PublishedClient):
        return variant
    labels = {f.label for f in replay.experiment.claim.figures if f.variant == variant}
    return next((row.reads for row in replay.method.rows if row.figure in labels), "")


def facts(honest: Honest, run: Run) -> dict[str, Any]:
    """What a reader must know of the race that a replay is compared with."""
    race, floor = honest.run, honest.results.floor
    then = {e.name: e.sha256 for e in race.entries}
    return {
        "file": paths.relative(race.path),
        "started": race.started,
        "tool": race.tool["name"],
        "connections": race.plan["connections"],
        "launches": race.plan["launches"],
        "blocks": race.plan["blocks"],
        "sample_seconds": race.plan["sample_seconds"],
        "warmup_seconds": race.plan["warmup_seconds"],
        "pinned": race.pinning["server"] is not None,
        "floor": floor.reach if floor else None,
        "changed": [e.name for e in run.entries if then.get(e.name, e.sha256) != e.sha256],
    }
