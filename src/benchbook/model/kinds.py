"""The kinds of experiment: what variants are, what is asked of them, in which unit speeds are.

One class a kind, each of a table in experiment.toml. How a kind is measured: race/kinds/.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from benchbook.model.plan import Plan
from benchbook.model.runs import LOADS, OPERATIONS, REQUESTS
from benchbook.model.variants import Mode
from benchbook.system.errors import InputError

# Kestrel's threads spin while they wait for requests, unless there are others that want the CPU:
# with 4 connections it cost half as much as Node.js together, and half as much again in turns
FEWEST_TOGETHER = 8  # connections
WARMUP_TOGETHER = 4.0  # seconds, at least: three programs on Node.js get 4.5 (race/warming.py)

Inside = Callable[[str, str], Path]  # (file, field) -> its path; raises InputError


@dataclass(frozen=True)
class Kind:
    """What an experiment's kind answers.

    table: of experiment.toml; unit: of speeds; under_load: is a load generator used, whose options
    apply?; has_page: is there a web page, which a browser opens?; has_benchmarks: do variants name
    a benchmark?; shortest_sample_seconds: of its modes; not_edited: what is not copied beside a
    reader's edit.
    """

    table: ClassVar[str]
    unit: ClassVar[str]
    under_load: ClassVar[bool] = False
    has_page: ClassVar[bool] = False
    has_benchmarks: ClassVar[bool] = False
    shortest_sample_seconds: ClassVar[float] = 0.0
    not_edited: ClassVar[tuple[str, ...]] = ("bin", "obj")

    @property
    def requested(self) -> str:
        """The path that servers are asked for under load; '' where there is no load."""
        return ""

    def departures(self, plan: Plan, mode: Mode | None) -> list[str]:
        """What was not as usual in a race of this mode, and worse: the options that do it."""
        return ["--warmup"] if mode and plan.warmup_seconds < mode.warmup_seconds else []

    def moved(self, old: Path, new: Path) -> "Kind":
        """The same for a copy of the experiment's folder."""
        return self

    def check_variant(self, entry: Mapping[str, Any], where: str, field: str) -> None:
        """Raises InputError where an entry of [[variants]] does not go with the kind."""
        if "benchmark" in entry and not self.has_benchmarks:
            raise InputError(where, f"{field}.benchmark", "goes with [micro] only")
        if "benchmark" not in entry and self.has_benchmarks:
            remedy = "name it as Class.Method, or as the module knows it"
            raise InputError(where, f"{field}.benchmark", "is missing", remedy)
        if entry.get("paths"):
            self.check_paths(where, field)

    def check_paths(self, where: str, field: str) -> None:
        """Raises InputError where variants can't be asked many paths."""
        remedy = 'give their form in http.paths, as "/items/{number}"'
        raise InputError(where, f"{field}.paths", "is given without http.paths", remedy)


@dataclass(frozen=True)
class Http(Kind):
    """Servers under load.

    path: asked until a server is ready, and to compare answers; paths: the form of those that
    variants with `paths` are asked, as "/items/{number}"; unknown: one that all must answer with
    status 404; together: are the programs loaded at the same time? Not where they wait more than
    they work.
    """

    table = "http"
    unit = REQUESTS
    under_load = True
    shortest_sample_seconds = 0.2  # a load generator needs that long

    path: str
    connections: int = 50
    tool: str = "auto"
    paths: str = ""
    unknown: str = ""
    together: bool = True

    @property
    def requested(self) -> str:
        return self.path

    def departures(self, plan: Plan, mode: Mode | None) -> list[str]:
        """Were all loaded together where that is the way, warmed up, by as many connections and
        the tool that the experiment says?"""
        found = super().departures(plan, mode)
        if plan.together and plan.warmup_seconds < WARMUP_TOGETHER and not found:
            found.append("--warmup")
        if self.loads_together and not plan.together:
            found.append("--in-turns")
        if plan.connections != self.connections:
            found.append("--connections")
        if self.tool not in ("auto", plan.tool):
            found.append("--tool")
        return found

    @property
    def loads_together(self) -> bool:
        """Are its programs loaded at the same time, where nobody says anything else?"""
        return self.together and self.connections >= FEWEST_TOGETHER

    def check_paths(self, where: str, field: str) -> None:
        if not self.paths:
            super().check_paths(where, field)


@dataclass(frozen=True)
class Client(Kind):
    """Each variant is a server and its own client, which loads `path`."""

    table = "client"
    unit = LOADS

    path: str


@dataclass(frozen=True)
class Page(Kind):
    """A web page loads data in a browser, with one client for each variant.

    server: the project of ASP.NET Core that gives the page and the data; packages: of npm, which
    clients in JavaScript import.
    """

    table = "page"
    unit = LOADS
    has_page = True

    server: Path
    packages: tuple[str, ...] = ()


@dataclass(frozen=True)
class DotnetBenchmarks(Kind):
    """Methods of a C# project, found by BenchmarkDotNet and timed in slices."""

    table = "micro"
    unit = OPERATIONS
    has_benchmarks = True
    # a second copy of a project would confuse BenchmarkDotNet, which looks for it by its name
    not_edited = ("bin", "obj", "*.csproj")

    project: Path

    def check_variant(self, entry: Mapping[str, Any], where: str, field: str) -> None:
        super().check_variant(entry, where, field)
        if "." not in entry["benchmark"]:
            problem = f"'{entry['benchmark']}' is not a method of a class"
            raise InputError(where, f"{field}.benchmark", problem, "name it as Class.Method")


@dataclass(frozen=True)
class NodeFunctions(Kind):
    """Functions of JavaScript files, timed in slices; the module makes one of a variant's file."""

    table = "micro"
    unit = OPERATIONS
    has_benchmarks = True

    module: Path

    def moved(self, old: Path, new: Path) -> "NodeFunctions":
        return replace(self, module=new / self.module.relative_to(old))


# ── Read from experiment.toml ────────────────────────────────────────────────────────────────────

TABLES = ("http", "micro", "page", "client")


def parse(document: Mapping[str, Any], where: str, inside: Inside) -> Kind:
    """The kind that an experiment.toml declares. Raises InputError where it is not exactly one."""
    given = [table for table in TABLES if table in document]
    if len(given) != 1:
        problem = f"is given beside {given[0]}" if given else "is missing"
        remedy = "give one of " + ", ".join(f"[{table}]" for table in TABLES)
        raise InputError(where, given[-1] if given else TABLES[0], problem, remedy)
    table = document[given[0]]
    if given[0] == Http.table:
        return parse_http(table, where)
    if given[0] == Client.table:
        return Client(**table)
    if given[0] == Page.table:
        server = inside(table["server"], "page.server")
        return Page(server, tuple(table.get("packages", ())))
    return parse_micro(table, where, inside)


def parse_http(table: Mapping[str, Any], where: str) -> Http:
    """The [http] table: what is asked alone must be one of what is asked at random."""
    found = Http(**table)
    if found.paths and found.path != found.paths.replace("{number}", "0"):
        problem = f"'{found.path}' is not the first of http.paths ('{found.paths}')"
        raise InputError(where, "http.path", problem, "number 0 is always there: give that one")
    return found


def parse_micro(table: Mapping[str, str], where: str, inside: Inside) -> Kind:
    """The [micro] table, which names a project or a module."""
    if len(table) != 1:
        problem = "names both a project and a module" if table else "is empty"
        raise InputError(where, "micro", problem, "give either project (C#) or module (Node.js)")
    ((key, file),) = table.items()
    path = inside(file, f"micro.{key}")
    return DotnetBenchmarks(path) if key == "project" else NodeFunctions(path)


def check_modes(kind: Kind, modes: Mapping[str, Mapping[str, Any]], where: str) -> None:
    """Raises InputError for samples that are too short for the kind."""
    shortest = kind.shortest_sample_seconds
    for name, mode in modes.items():
        if mode["sample_seconds"] < shortest:
            problem = (
                f"expected at least {shortest} with [{kind.table}], "
                f"found {mode['sample_seconds']}"
            )
            remedy = "a load generator needs that long to start and to be in full swing"
            raise InputError(where, f"race.{name}.sample_seconds", problem, remedy)


def check_variants(kind: Kind, entries: Sequence[Mapping[str, Any]], where: str) -> None:
    """Raises InputError where entries of [[variants]] do not go with the kind."""
    for i, entry in enumerate(entries):
        kind.check_variant(entry, where, f"variants[{i}] ('{entry['name']}')")
