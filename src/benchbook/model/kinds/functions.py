"""Functions of C# and JavaScript, timed in slices that take turns."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchbook.model.kinds.kind import Inside, Kind, Raced
from benchbook.model.plan import Plan
from benchbook_kernels.base.errors import InputError

OPERATIONS = "operations/s"
SLICES = "Benchbook"  # what measured: our own slices


@dataclass(frozen=True)
class Functions(Kind):
    """Functions of a project or of a module; which of them, each variant says in `benchmark`."""

    name = "functions"
    table = "micro"
    unit = OPERATIONS
    thing = "operation"
    own_fields = frozenset({"benchmark"})

    @classmethod
    def parse(cls, table: Mapping[str, Any], where: str, inside: Inside) -> "Functions":
        """The [micro] table names a project or a module, or says that files are programs."""
        if len(table) != 1 or table.get("files") is False:
            problem = f"names both {' and '.join(table)}" if len(table) > 1 else "is empty"
            remedy = "give one of project (C#), files = true (C#) and module (Node.js)"
            raise InputError(where, "micro", problem, remedy)
        ((key, file),) = table.items()
        if key == "files":
            return DotnetFiles()
        path = inside(file, f"micro.{key}")
        return DotnetFunctions(path) if key == "project" else NodeFunctions(path)

    def check_variant(self, entry: Mapping[str, Any], where: str, field: str) -> None:
        if "benchmark" not in entry:
            remedy = "name it as Class.Method, or as the module knows it"
            raise InputError(where, f"{field}.benchmark", "is missing", remedy)

    # ── Of a run ─────────────────────────────────────────────────────────────────────────────────

    @classmethod
    def wrote(cls, unit: str | None, tool: str) -> bool:
        return unit == OPERATIONS

    @classmethod
    def described(cls, run: Raced) -> str:
        return f"in slices of milliseconds that take turns, {OPERATIONS} of CPU time"

    @classmethod
    def compared_by(cls, plan: Plan) -> str:
        return "CPU time a call"


@dataclass(frozen=True)
class DotnetFunctions(Functions):
    """Methods of a C# project, found by BenchmarkDotNet and timed in slices."""

    # a second copy of a project would confuse BenchmarkDotNet, which looks for it by its name
    not_edited = ("bin", "obj", "*.csproj")

    project: Path

    def check_variant(self, entry: Mapping[str, Any], where: str, field: str) -> None:
        super().check_variant(entry, where, field)
        check_method(entry, where, field)


@dataclass(frozen=True)
class NodeFunctions(Functions):
    """Functions of JavaScript files; the module makes one of a variant's file."""

    module: Path

    def moved(self, old: Path, new: Path) -> "NodeFunctions":
        return replace(self, module=new / self.module.relative_to(old))


@dataclass(frozen=True)
class DotnetFiles(Functions):
    """Methods of C# files of their own, which are built into a program each."""

    def check_variant(self, entry: Mapping[str, Any], where: str, field: str) -> None:
        super().check_variant(entry, where, field)
        check_method(entry, where, field)
        if not entry["file"].endswith(".cs"):
            problem = f"'{entry['file']}' is no file of C#"
            raise InputError(where, f"{field}.file", problem, "files = true is for .cs files")


def check_method(entry: Mapping[str, Any], where: str, field: str) -> None:
    """Raises InputError where `benchmark` names no method of a class."""
    if "." not in entry["benchmark"]:
        problem = f"'{entry['benchmark']}' is not a method of a class"
        raise InputError(where, f"{field}.benchmark", problem, "name it as Class.Method")
