"""Load generators: one small adapter each for wrk, ab (ApacheBench) and autocannon.

An adapter says whether its tool is there, gives the command line, and reads the result. All three
are closed-loop: a connection asks again when it has its answer.
"""

import csv
import json
import math
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Protocol

import numpy as np

from benchbook import machine
from benchbook.claims import PublishedHttp
from benchbook.errors import BenchError
from benchbook.paths import PACKAGE, root
from benchbook.processes import Keeper, ended_within

PERCENTILES = ("p50", "p75", "p90", "p99", "p99_9")
RANKS = (50, 75, 90, 99, 99.9)  # of PERCENTILES
NO_ERRORS = dict.fromkeys(("connect", "read", "write", "timeout"), 0)


class LoadError(BenchError):
    """A load generator that is missing, or failed."""


@dataclass(frozen=True)
class Load:
    """What one run of a load generator measured.

    seconds: its own measure of the time; latency_ms: mean, p50 … p99_9 and max in milliseconds,
    None where the tool does not give it; errors: counts by kind (connect, read, write, timeout);
    non_2xx: answers with another status (wrk: 400 and above); bytes received;
    client_cpu_seconds: user and system time of the load generator.
    """

    seconds: float
    requests: int
    latency_ms: dict[str, float | None]
    errors: dict[str, int]
    non_2xx: int
    bytes: int
    client_cpu_seconds: float = field(default=float("nan"), compare=False)

    @property
    def requests_per_second(self) -> float:
        return self.requests / self.seconds if self.seconds > 0 else 0.0

    @property
    def silence(self) -> str:
        """Says that no request was answered, and which errors the load generator counted."""
        counts = ", ".join(f"{count} × {kind}" for kind, count in self.errors.items() if count)
        return f"answered no request in {self.seconds:.1f} s of load ({counts or 'no errors'})"


def of_times(times_ms: Sequence[float], seconds: float, size: int) -> Load:
    """What a client measured that timed every load itself, in milliseconds; size: of a body."""
    latency = dict(zip(PERCENTILES, map(float, np.percentile(times_ms, RANKS))))
    return Load(
        seconds=seconds,
        requests=len(times_ms),
        latency_ms={**latency, "mean": statistics.fmean(times_ms), "max": max(times_ms)},
        errors=dict(NO_ERRORS),
        non_2xx=0,
        bytes=size * len(times_ms),
    )


@dataclass(frozen=True)
class Paths:
    """Paths of one server, asked at random and evenly: `pattern` with each number from 0 to
    `count` - 1 for "{number}".

    The load generator (wrk: each thread of it) asks every path once, in an order drawn with `seed`,
    before it asks one again; so chance does not make some of them more frequent than others.
    """

    pattern: str
    count: int
    seed: int = 0

    @property
    def words(self) -> list[str]:
        """As the programs in tools/ take them."""
        return [str(self.seed), str(self.count), self.pattern]


@dataclass(frozen=True)
class Demand:
    """What a load generator is to do: load `url`, or these paths there, for `seconds`.

    folder: may take files.
    """

    url: str
    seconds: float
    connections: int
    folder: Path
    threads: int = 1
    paths: Paths | None = None


class Tool(Protocol):
    """A load generator. `step_seconds`: it runs for multiples of that only;
    `interrupted`: for a part of a second it is told to stop, with SIGINT;
    `threaded`: it can use more than one CPU; `corrects`: it adds the requests that a stall kept
    from being sent to its latencies, so that their mean is too high for Little's law;
    `many_paths`: it can ask more than one path."""

    name: str
    step_seconds: float
    interrupted: bool
    threaded: bool
    corrects: bool
    many_paths: bool
    install: str

    def missing(self) -> bool:
        """Is it not installed?"""

    def version(self) -> str:
        """Its version, '' where it does not tell."""

    def command(self, demand: Demand) -> list[str]:
        """The command line that does as is demanded. Raises LoadError for paths where it can't ask
        them."""

    def read(self, output: str, folder: Path) -> Load:
        """The result. Raises ValueError or KeyError where the output is not as expected."""


class Replaying(Tool, Protocol):
    """A load generator that can also be run as an article ran it."""

    def published(self, method: PublishedHttp) -> list[str]:
        """The article's options and no others; what it did not give is left to the tool."""

    def replay(self, url: str, method: PublishedHttp, folder: Path) -> list[str]:
        """The command line with these options; what is added only says how to print the result."""


def given(options: Mapping[str, int | str | None]) -> list[str]:
    """Options as words of a command line, without those that are None."""
    return [
        word for name, value in options.items() if value is not None for word in (name, str(value))
    ]


class Wrk:
    """https://github.com/wg/wrk (4.1 and newer). Ends early, with exact figures, on SIGINT."""

    name = "wrk"
    step_seconds = 0.1  # its threads look ten times a second whether they shall stop
    interrupted = True
    threaded = True
    corrects = True  # stats_correct() in its src/stats.c
    many_paths = True
    install = "sudo apt-get install wrk (Debian, Ubuntu), brew install wrk (macOS)"
    script = PACKAGE / "tools" / "wrk.lua"

    def missing(self) -> bool:
        return not shutil.which("wrk")

    def version(self) -> str:
        return machine.tool_version("wrk") or ""

    def command(self, demand: Demand) -> list[str]:
        seconds = demand.seconds
        limit = seconds if float(seconds).is_integer() else math.ceil(seconds) + 5
        options = ["-t", str(demand.threads), "-c", str(demand.connections), "-d", f"{limit:g}s"]
        asked = ["--", *demand.paths.words] if demand.paths else []
        return ["wrk", *options, "-s", str(self.script), demand.url, *asked]

    def published(self, method: PublishedHttp) -> list[str]:
        duration = f"{method.duration_seconds}s"
        return given({"-t": method.threads, "-c": method.connections, "-d": duration})

    def replay(self, url: str, method: PublishedHttp, folder: Path) -> list[str]:
        return ["wrk", *self.published(method), "-s", str(self.script), url]

    def read(self, output: str, folder: Path) -> Load:
        line = next(x for x in reversed(output.splitlines()) if x.startswith("{"))
        result = json.loads(line)
        names = ("mean", *PERCENTILES, "max")
        return Load(
            seconds=result["microseconds"] / 1e6,
            requests=result["requests"],
            latency_ms={name: result[name] / 1e3 for name in names},
            errors={kind: result[kind] for kind in ("connect", "read", "write", "timeout")},
            non_2xx=result["status"],
            bytes=result["bytes"],
        )


class Ab:
    """https://httpd.apache.org/docs/2.4/programs/ab.html (with keep-alive, HTTP/1.0)."""

    name = "ab"
    step_seconds = 1.0
    interrupted = False
    threaded = False
    corrects = False
    many_paths = False
    install = "sudo apt-get install apache2-utils (Debian, Ubuntu); macOS has it"

    def missing(self) -> bool:
        return not shutil.which("ab")

    def version(self) -> str:
        return machine.tool_version("ab") or ""

    def command(self, demand: Demand) -> list[str]:
        if reason := refuses(self, demand.paths):
            raise LoadError(reason, "leave --tool out")
        seconds = math.ceil(demand.seconds)  # it takes whole ones, and 0 for no limit
        # more than it can ask; it allocates memory for each
        options = ["-q", "-k", "-l", "-t", str(seconds), "-n", str(seconds * 200_000)]
        percentiles = ["-e", str(demand.folder / "ab.csv")]
        return ["ab", *options, "-c", str(demand.connections), *percentiles, demand.url]

    def published(self, method: PublishedHttp) -> list[str]:
        length = {"-n": method.requests, "-t": method.duration_seconds}
        options = given({**length, "-c": method.connections})
        return [*options, "-k"] if method.keep_alive else options

    def replay(self, url: str, method: PublishedHttp, folder: Path) -> list[str]:
        return ["ab", *self.published(method), "-q", "-e", str(folder / "ab.csv"), url]

    def read(self, output: str, folder: Path) -> Load:
        def number(label: str, default: str | None = None) -> float:
            match = re.search(rf"^{label}:\s+([\d.]+)", output, re.MULTILINE)
            if not match and default is None:
                raise ValueError(f"no line '{label}'")
            return float(match.group(1) if match else default)

        with open(folder / "ab.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
        at = {f"p{percent}": float(value) for percent, value in rows}
        means = re.findall(r"^Time per request:\s+([\d.]+)", output, re.MULTILINE)
        kinds = re.search(
            r"\(Connect: (\d+), Receive: (\d+), Length: \d+, Exceptions: (\d+)", output
        )
        connect, receive, exceptions = map(int, kinds.groups()) if kinds else (0, 0, 0)
        return Load(
            seconds=number("Time taken for tests"),
            requests=int(number("Complete requests")),
            latency_ms={
                "mean": float(means[0]),
                **{name: at.get(name) for name in PERCENTILES},
                "max": at.get("p100"),
            },
            errors={"connect": connect, "read": receive, "write": 0, "timeout": exceptions},
            non_2xx=int(number("Non-2xx responses", "0")),
            bytes=int(number("Total transferred")),
        )


class Autocannon:
    """https://github.com/mcollina/autocannon (npm). Latencies in whole milliseconds."""

    name = "autocannon"
    step_seconds = 1.0
    interrupted = False
    threaded = False
    corrects = False
    many_paths = True
    install = "./bench setup (it is an npm package of this project)"
    many_paths_script = PACKAGE / "tools" / "autocannon_paths.mjs"

    @property
    def script(self) -> Path:
        return root() / "node_modules" / "autocannon" / "autocannon.js"

    def missing(self) -> bool:
        return not (self.script.is_file() and shutil.which("node"))

    def version(self) -> str:
        return machine.node_package_versions().get("autocannon") or ""

    def command(self, demand: Demand) -> list[str]:
        if demand.paths:
            numbers = [str(demand.connections), f"{demand.seconds:g}"]
            return ["node", str(self.many_paths_script), demand.url, *numbers, *demand.paths.words]
        options = [
            "--json",
            "--no-progress",
            "-c",
            str(demand.connections),
            "-d",
            f"{demand.seconds:g}",
        ]
        return ["node", str(self.script), *options, demand.url]

    def published(self, method: PublishedHttp) -> list[str]:
        length = {"-d": method.duration_seconds, "-a": method.requests}
        return given({"-c": method.connections, **length, "-p": method.pipelining})

    def replay(self, url: str, method: PublishedHttp, folder: Path) -> list[str]:
        options = [*self.published(method), "--json", "--no-progress"]
        return ["node", str(self.script), *options, url]

    def read(self, output: str, folder: Path) -> Load:
        result = json.loads(next(x for x in output.splitlines() if x.startswith("{")))
        latency = result["latency"]
        other = sum(result.get(kind, 0) for kind in ("1xx", "3xx", "4xx", "5xx"))
        return Load(
            seconds=result["duration"],
            requests=result["requests"]["total"],
            latency_ms={name: float(latency[name]) for name in ("mean", *PERCENTILES, "max")},
            errors={
                "connect": 0,
                "read": result["errors"] - result["timeouts"],
                "write": 0,
                "timeout": result["timeouts"],
            },
            non_2xx=max(result["non2xx"], other),
            bytes=int(result["throughput"]["total"]),
        )


TOOLS: dict[str, Tool] = {tool.name: tool for tool in (Wrk(), Ab(), Autocannon())}


def choose(name: str = "auto") -> Tool:
    """The tool of that name; `auto` is the first of wrk, autocannon and ab that is there.

    Raises LoadError with the way to get it where it is missing.
    """
    if name != "auto":
        tool = TOOLS[name]
        if tool.missing():
            raise LoadError(
                f"the load generator {name} is not installed",
                f"{tool.install}; or leave --tool out and take what is there",
            )
        return tool
    for candidate in ("wrk", "autocannon", "ab"):
        if not TOOLS[candidate].missing():
            return TOOLS[candidate]
    raise LoadError("no load generator is installed (wrk, autocannon or ab)", "./bench setup")


def refuses(tool: Tool, paths: Paths | None) -> str:
    """Why a tool can't ask these paths, '' where it can."""
    if tool.many_paths or paths is None or paths.count == 1:
        return ""
    able = " or ".join(each.name for each in TOOLS.values() if each.many_paths)
    return f"{tool.name} can ask one path only, and not {paths.count:,} at random as {able} can"


def sample_seconds(tool: Tool, seconds: float) -> float:
    """The length of a sample that the tool can do, at least `seconds`."""
    steps = max(1, math.ceil(round(seconds / tool.step_seconds, 6)))
    return round(steps * tool.step_seconds, 6)


def threads(tool: Tool, connections: int, cpus: Sequence[int] | None) -> int:
    """How many threads the tool runs with: one for each CPU it is pinned to, if it can."""
    return max(1, min(len(cpus or ()), connections)) if tool.threaded else 1


def run(
    tool: Tool,
    url: str,
    seconds: float,
    connections: int,
    keeper: Keeper,
    cpus: Sequence[int] | None = None,
    paths: Paths | None = None,
) -> Load:
    """Load `url`, or these paths there, for `seconds` and return what was measured.

    No requests where the tool was told to stop before it had begun (on a machine that is busy).
    Raises LoadError where the tool fails or its result can't be read.
    """
    with tempfile.TemporaryDirectory(prefix="benchbook-") as temporary:
        folder = Path(temporary)
        count = threads(tool, connections, cpus)
        command = tool.command(Demand(url, seconds, connections, folder, count, paths))
        with open(folder / "output", "w+b") as out:
            before = children_cpu()
            process = keeper.start(command, stdout=out, stderr=subprocess.STDOUT, cpus=cpus)
            try:
                early = tool.interrupted and not float(seconds).is_integer()
                finish(process, seconds, early)
            finally:
                keeper.end(process)
            cpu = children_cpu() - before
            if early and process.returncode == -signal.SIGINT:  # it did not listen to that yet
                return nothing(seconds)
            load = result(tool, out, folder, command)
    return replace(load, client_cpu_seconds=cpu)


def nothing(seconds: float) -> Load:
    """What was measured where nothing was asked."""
    latency = dict.fromkeys(("mean", *PERCENTILES, "max"))
    return Load(seconds, 0, latency, dict(NO_ERRORS), 0, 0)


def result(tool: Tool, out: IO[bytes], folder: Path, command: Sequence[str]) -> Load:
    """What a load generator printed to `out`. Raises LoadError where that can't be read."""
    out.seek(0)
    output = out.read().decode("utf-8", "replace")
    try:
        return tool.read(output, folder)
    except (ValueError, KeyError, StopIteration, OSError) as error:
        tail = "\n".join(output.strip().splitlines()[-4:])
        raise LoadError(
            f"{tool.name} gave no result that can be read ({error or 'no line of JSON'})\n{tail}",
            f"run it by hand: {' '.join(command)}",
        ) from None


def finish(process: subprocess.Popen, seconds: float, early: bool) -> None:
    """Wait for a load generator; `early`: tell it to stop after `seconds`.

    Raises LoadError where it does not end.
    """
    started = time.monotonic()
    if early and not ended_within(process, seconds):  # ends before its time only where it failed
        os.kill(process.pid, signal.SIGINT)
    if not ended_within(process, seconds + 30 - (time.monotonic() - started)):
        raise LoadError("the load generator did not end", "./bench doctor")


def children_cpu() -> float:
    """CPU seconds, user and system, of all children of this process that have been waited for."""
    if sys.platform == "win32":
        return float("nan")
    import resource

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
