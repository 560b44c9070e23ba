"""Servers under load."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchbook.model.kinds.kind import Column, Inside, Kind, Raced, measured
from benchbook.model.plan import Plan
from benchbook.model.samples import Sample
from benchbook.model.variants import Mode
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.words import counted

REQUESTS = "requests/s"
REQUESTS_OF_CPU = "requests per CPU second"  # of servers that are loaded together

# Kestrel's threads spin while they wait for requests, unless there are others that want the CPU:
# with 4 connections it cost half as much as Node.js together, and half as much again in turns
ANSWERS = ("all", "body", "status", "any")  # status, body and headers; the first two; one; none
FEWEST_TOGETHER = 8  # connections
WARMUP_TOGETHER = 2.0  # seconds, at least: two programs on Node.js get 2.2 (race/warming.py)


@dataclass(frozen=True)
class Http(Kind):
    """Servers under load.

    path: asked until a server is ready, and to compare answers; paths: the form of those that
    variants with `paths` are asked, as "/items/{number}"; unknown: one that all must answer with
    status 404; together: are the programs loaded at the same time? Not where they wait more than
    they work. answers: how far they must be alike before servers are raced, one of ANSWERS.
    """

    name = "http"
    table = "http"
    unit = REQUESTS
    thing = "request"
    as_times = False
    under_load = True
    shortest_sample_seconds = 0.2  # a load generator needs that long
    own_fields = frozenset({"paths"})

    path: str
    connections: int = 50
    tool: str = "auto"
    paths: str = ""
    unknown: str = ""
    together: bool = True
    answers: str = ANSWERS[0]

    @classmethod
    def parse(cls, table: Mapping[str, Any], where: str, inside: Inside) -> "Http":
        """What is asked alone must be one of what is asked at random."""
        found = cls(**table)
        if found.paths and found.path != found.paths.replace("{number}", "0"):
            problem = f"'{found.path}' is not the first of http.paths ('{found.paths}')"
            raise InputError(where, "http.path", problem, "number 0 is always there: give that one")
        return found

    @property
    def requested(self) -> str:
        return self.path

    def departures(self, plan: Plan, mode: Mode | None, tool: str) -> list[str]:
        """Were all loaded together where that is the way, warmed up, by as many connections and
        the tool that the experiment says?"""
        found = super().departures(plan, mode, tool)
        if plan.together and plan.warmup_seconds < WARMUP_TOGETHER and not found:
            found.append("--warmup")
        if self.loads_together and not plan.together:
            found.append("--in-turns")
        if plan.connections != self.connections:
            found.append("--connections")
        if self.tool not in ("auto", plan.tool) or tool not in ("", plan.tool):
            found.append("--tool")
        return found

    @property
    def loads_together(self) -> bool:
        """Are its programs loaded at the same time, where nobody says anything else?"""
        return self.together and self.connections >= FEWEST_TOGETHER

    def check_variant(self, entry: Mapping[str, Any], where: str, field: str) -> None:
        if entry.get("paths") and not self.paths:
            remedy = 'give their form in http.paths, as "/items/{number}"'
            raise InputError(where, f"{field}.paths", "is given without http.paths", remedy)

    # ── Of a run ─────────────────────────────────────────────────────────────────────────────────

    @classmethod
    def wrote(cls, unit: str | None, tool: str) -> bool:
        return unit is None

    @classmethod
    def unit_of(cls, plan: Plan) -> str:
        return REQUESTS_OF_CPU if plan.together else REQUESTS

    @classmethod
    def speed(cls, sample: Sample, plan: Plan) -> float:
        return 1e6 / sample.cpu_microseconds if plan.together else sample.requests_per_second

    @classmethod
    def columns(cls, run: Raced) -> tuple[Column, ...]:
        speed = Column(cls.unit_of(run.plan), "rate", lambda _, speed: speed)
        if not run.plan.together:
            return (speed,)

        rate = measured(run, lambda sample: sample.requests_per_second)
        cost = Column("CPU µs a request", "number", lambda _, speed: 1e6 / speed if speed else None)
        return (cost, speed, Column(REQUESTS, "rate", rate))

    @classmethod
    def described(cls, run: Raced) -> str:
        if run.plan.together:
            return "all programs loaded at once, CPU time per request"
        return f"{'in turns' if run.plan.interleaved else 'one after the other'}, {REQUESTS}"

    @classmethod
    def compared_by(cls, plan: Plan) -> str:
        return "CPU time a request" if plan.together else "time a request"

    @classmethod
    def loaded(cls, run: Raced) -> str:
        each = " each" if run.plan.together else ""
        return f" with {counted(run.plan.connections, 'connection')}{each}"

    @classmethod
    def placed(cls, run: Raced) -> str:
        side = run.pinning
        if side.server and side.client:
            return f"server on CPU {numbers(side.server)}, client on CPU {numbers(side.client)}"
        return f"not pinned ({side.reason})"


def numbers(cpus: Sequence[int]) -> str:
    return ", ".join(map(str, cpus))
