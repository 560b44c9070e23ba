"""In-process timing: a project's [Benchmark] methods under BenchmarkDotNet.

BenchmarkDotNet builds and starts a process of its own for every launch, as it always does
(https://benchmarkdotnet.org/articles/guides/how-it-works.html). Benchbook adds a small harness
(functions/Harness.cs) that lets the launches of all benchmarks take turns, and tells what happens
while it runs. functions/dotnet_project.py makes the projects, events.py has what is said.
"""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchbook.race.kinds.benchmarks.events import (
    BenchmarkReport,
    BenchmarkRequest,
    Event,
    read,
    read_report,
)
from benchbook.race.kinds.functions.dotnet_project import MicroError, Project, explain
from benchbook_kernels.base import builds
from benchbook_kernels.base.processes import Keeper


class Bench:
    """BenchmarkDotNet at work: iterate over events(), then read report().

    close() ends it and all its processes, however far it is.
    """

    def __init__(self, project: Project, request: BenchmarkRequest, folder: Path, keeper: Keeper):
        self.folder, self.keeper = folder, keeper
        self.words: list[str] = []
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "request.json").write_text(request.to_json(folder), encoding="utf-8")
        self.process = keeper.start(
            ["dotnet", str(project.library), str(folder / "request.json")],
            cwd=project.path.parent,  # where BenchmarkDotNet looks for the project
            env={**builds.building(), "UseSharedCompilation": "false", "RunAnalyzers": "false"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def lines(self) -> Iterator[str]:
        """What it prints, as it prints it."""
        assert self.process.stdout  # a pipe, as asked for
        with self.process.stdout as output:
            for line in output:
                text = line.decode("utf-8", "replace").rstrip()
                self.words = [*self.words[-199:], text]
                yield text

    def events(self) -> Iterator[Event]:
        """What happens, as it happens."""
        yield from read(self.lines())
        self.process.wait()

    def report(self) -> BenchmarkReport:
        """What BenchmarkDotNet reports at its end. Raises MicroError where it has nothing."""
        path = self.folder / "report.json"
        if not path.is_file():
            raise MicroError(f"BenchmarkDotNet failed:\n{self.last_words()}")
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["errors"]:
            raise MicroError("BenchmarkDotNet can't run this: " + "\n".join(document["errors"]))
        found = read_report(document)
        if not any(each.launches and any(each.launches) for each in found.found):
            raise MicroError(f"no benchmark gave a result:\n{self.last_words()}")
        return found

    def last_words(self) -> str:
        return explain(self.words)

    def close(self) -> None:
        self.keeper.end(self.process)
