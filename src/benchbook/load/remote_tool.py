"""A load generator on another host: its command goes through ssh, its result comes back."""

from __future__ import annotations

import functools
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchbook.load import loading
from benchbook.loadtools.tool import Load, LoadRequest, LoadTool

if TYPE_CHECKING:
    from benchbook.load.load_from import Remote


class RemoteTool(LoadTool):
    """A tool on the other host: its command goes through ssh, its result is read here.

    For a part of a second `timeout` there sends SIGINT.
    """

    def __init__(self, tool: LoadTool, remote: Remote) -> None:
        self.tool, self.remote = tool, remote
        self.threaded, self.corrects = tool.threaded, tool.corrects
        self.manner = tool.manner
        self.many_paths = tool.many_paths_elsewhere
        self.step_seconds, self.result_file = tool.step_seconds, tool.result_file
        if tool.interrupted and "timeout" not in remote.tools:
            self.step_seconds = 1.0

    @property
    def name(self) -> str:
        return self.tool.name

    @property
    def purpose(self) -> str:
        return self.tool.purpose

    @property
    def install(self) -> str:
        return self.tool.install_elsewhere

    @functools.cache  # noqa: B019 (one object a race)
    def version(self) -> str:
        """Its version there."""
        arguments, pattern = self.tool.probe
        output = self.remote.run(f"{shlex.join([self.name, *arguments])} 2>&1 || true")
        match = re.search(pattern, output)
        return match[1] if match else "unknown"

    @functools.cache  # noqa: B019
    def scripts_there(self) -> dict[str, str]:
        """The path there of each script that the tool needs; the scripts are copied first."""
        there = {str(script): f"{self.remote.folder}/{script.name}" for script in self.tool.scripts}
        for script, path in there.items():
            text = Path(script).read_text(encoding="utf-8")
            self.remote.run(f"cat >{shlex.quote(path)}", text)
        return there

    def command(self, request: LoadRequest) -> list[str]:
        threads = loading.threads(self.tool, request.connections, range(self.remote.cpus))
        words = self.tool.command(replace(request, threads=threads))
        scripts = self.scripts_there()
        words = [scripts.get(w, w).replace(str(request.folder), self.remote.folder) for w in words]
        if self.tool.interrupted and not float(request.seconds).is_integer():
            words = ["timeout", "-s", "INT", f"{request.seconds:g}", *words]
        return self.remote.command(f"{shlex.join(words)}\n{self.ending()}")

    def ending(self) -> str:
        """Shell lines that print what `read` takes apart: CPU times, and the result file."""
        lines = 'echo; echo "# times"; times'
        if not self.tool.result_file:
            return lines
        file = shlex.quote(f"{self.remote.folder}/{self.tool.result_file}")
        return f'{lines}; if [ -f {file} ]; then echo "# file"; cat {file}; fi'

    def read(self, output: str, folder: Path) -> Load:
        printed, found, rest = output.rpartition("\n# times\n")
        if not found:
            raise ValueError("the ssh connection ended before the result came")
        times, _, written = rest.partition("# file\n")
        if written:
            (folder / self.tool.result_file).write_text(written, encoding="utf-8")
        self.remote.cpu_seconds = children_seconds(times)
        return replace(self.tool.read(printed, folder), client_cpu_seconds=self.remote.cpu_seconds)


def children_seconds(times: str) -> float:
    """User and system CPU time of a shell's children, from what its `times` prints."""
    last = times.strip().splitlines()[-1]
    return sum(
        60 * float(minutes) + float(seconds)
        for minutes, seconds in re.findall(r"(\d+)m([\d.]+)s", last.replace(",", "."))
    )
