"""What a load generator is (LoadTool), what it is told (LoadRequest; by an article: PublishedLoad)
and what it measures (Load)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchbook.loadtools.manner import PLAIN, Manner

PERCENTILES = ("p50", "p75", "p90", "p99", "p99_9")
NO_LATENCY = dict.fromkeys(("mean", *PERCENTILES, "max"))
NO_ERRORS = dict.fromkeys(("connect", "read", "write", "timeout"), 0)


@dataclass(frozen=True)
class Load:
    """What one run of a load generator measured.

    seconds: by the tool's own clock; latency_ms: mean, p50 … p99_9 and max in milliseconds,
    None where the tool does not give it; errors: counts by kind (connect, read, write, timeout);
    non_2xx: answers with another status (wrk: 400 and above); bytes received;
    client_cpu_seconds: user and system time of the load generator; sent: requests that it sent, by
    the kernel's count of what it wrote, and not its own; reused: the share of requests after which
    the connection was used again, by the kernel's count of the server's or, where there is none,
    the tool's own. None where that can't be known.
    """

    seconds: float
    requests: int
    latency_ms: Mapping[str, float | None] = field(default_factory=lambda: dict(NO_LATENCY))
    errors: Mapping[str, int] = field(default_factory=lambda: dict(NO_ERRORS))
    non_2xx: int = 0
    bytes: int = 0
    client_cpu_seconds: float = field(default=float("nan"), compare=False)
    sent: int | None = field(default=None, compare=False)
    reused: float | None = field(default=None, compare=False)

    @property
    def requests_per_second(self) -> float:
        return self.requests / self.seconds if self.seconds > 0 else 0.0

    def joined(self, later: "Load") -> "Load":
        """Both loads of one program; latencies are those of the one with more requests."""
        longer = max(self, later, key=lambda load: load.requests)
        return Load(
            seconds=self.seconds + later.seconds,
            requests=self.requests + later.requests,
            latency_ms=longer.latency_ms,
            errors={k: self.errors.get(k, 0) + count for k, count in later.errors.items()},
            non_2xx=self.non_2xx + later.non_2xx,
            bytes=self.bytes + later.bytes,
            client_cpu_seconds=self.client_cpu_seconds + later.client_cpu_seconds,
            sent=None if self.sent is None or later.sent is None else self.sent + later.sent,
            reused=longer.reused,
        )

    @property
    def silence(self) -> str:
        """Says that no request was answered, and which errors the load generator counted."""
        counts = ", ".join(f"{count} × {kind}" for kind, count in self.errors.items() if count)
        return f"answered no request in {self.seconds:.1f} s of load ({counts or 'no errors'})"


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
        """As wrk.lua and autocannon_paths.mjs take them."""
        return [str(self.seed), str(self.count), self.pattern]


@dataclass(frozen=True)
class LoadRequest:
    """What a load generator is to do: load `url`, or these paths there, for `seconds`.

    folder: for the tool's own files.
    """

    url: str
    seconds: float
    connections: int
    folder: Path
    threads: int = 1
    paths: Paths | None = None


@dataclass(frozen=True, kw_only=True)
class PublishedLoad:
    """What an article told its load generator; None was not given, and is left to the tool."""

    tool: str
    connections: int | None = None
    threads: int | None = None
    pipelining: int | None = None
    duration_seconds: int | None = None
    requests: int | None = None
    keep_alive: bool = False


class LoadTool(ABC):
    """A load generator. To add one, write a module in loadtools/tools/ that declares `TOOL`.

    preference: where --tool is not given, the tool with the lowest number that is installed runs;
    program: what is on PATH where it is installed, '' for its name;
    packages: what to install, by package manager (apt, dnf, pacman, zypper, apk, brew, winget);
    npm: the Node.js package of this project that it is, '' for a command on PATH; npm_script: what
    of that package Node.js runs;
    probe: how the command tells its version: its arguments, and where in the output it stands;
    step_seconds: it runs for multiples of that only; interrupted: for a part of a second it is
    told to stop, with SIGINT; threaded: it can use more than one CPU; corrects: it adds the
    requests that a stall kept from being sent to its latencies, so that their mean is too high for
    Little's law; writes_each: it sends each request by one write(2), so that they can be counted
    while it runs; many_paths: it can ask more than one path; many_paths_elsewhere: also when it
    runs on another host; manner: how it asks; scripts: files of ours that it needs, which are
    copied to another host; result_file: what it writes into the request's folder, '' where it only
    prints;
    published_options: the fields of PublishedLoad, beside connections, that are options of it; none
    where it is not a ReplayableTool.
    """

    preference: int = 1000
    program: str = ""
    packages: Mapping[str, str] = {}
    npm: str = ""
    npm_script: str = ""
    probe: tuple[Sequence[str], str] = (["--version"], r"v?(\d+\.\S*)")
    step_seconds: float = 1.0
    interrupted: bool = False
    threaded: bool = False
    corrects: bool = False
    writes_each: bool = False
    many_paths: bool = False
    many_paths_elsewhere: bool = False
    manner: Manner = PLAIN
    scripts: Sequence[Path] = ()
    result_file: str = ""
    published_options: frozenset[str] = frozenset()

    @property
    def counts_requests(self) -> bool:
        """Can one know how many requests it has sent while it runs? Where the kernel counts a
        process's writes: Linux, /proc/PID/io of proc(5)."""
        return self.writes_each and Path("/proc/self/io").exists()

    @property
    @abstractmethod
    def name(self) -> str:
        """As in --tool; also the command, where the tool is one and has no other `program`."""

    @property
    @abstractmethod
    def purpose(self) -> str:
        """What it is good for, in a line: doctor and the documentation say so."""

    @property
    @abstractmethod
    def install(self) -> str:
        """How to get it, in a line."""

    @property
    def install_elsewhere(self) -> str:
        """How to get it on the host of --load-from."""
        return self.install

    @abstractmethod
    def command(self, request: LoadRequest) -> list[str]:
        """The command line that does as requested, where the tool is a command on PATH, or `node`
        with a script of ours."""

    @abstractmethod
    def read(self, output: str, folder: Path) -> Load:
        """The result. Raises ValueError or KeyError where the output is not as expected."""


class ReplayableTool(LoadTool):
    """A load generator that can also be run as an article ran it."""

    @abstractmethod
    def published(self, method: PublishedLoad) -> list[str]:
        """The article's options and no others; what it did not give is left to the tool."""

    @abstractmethod
    def replay(self, url: str, method: PublishedLoad, folder: Path) -> list[str]:
        """The command line with these options; what is added only says how to print the result."""

    def published_threads(self, threads: int | None) -> int:
        """How many CPUs it can fill with the article's number of threads (None: not given)."""
        return 1

    def published_manner(self, method: PublishedLoad) -> Manner:
        """How it asks with these options."""
        return self.manner

    def caution(self, keep_alive: bool) -> str:
        """What a reader must know of how the article ran it; '' where there is nothing."""
        return ""


def options(given: Mapping[str, int | str | None]) -> list[str]:
    """Options as words of a command line, without those that are None."""
    return [
        word for name, value in given.items() if value is not None for word in (name, str(value))
    ]
