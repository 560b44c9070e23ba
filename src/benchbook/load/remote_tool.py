"""A load generator on another host: its command goes through ssh, its result comes back."""

import functools
import re
import shlex
from dataclasses import replace
from pathlib import Path

from benchbook import loadtools
from benchbook.load import installed, loading, registry
from benchbook.load.errors import LoadError
from benchbook.load.load_from import Remote
from benchbook.loadtools.tool import Load, LoadRequest, LoadTool
from benchbook.programs.programs import HOST

CLOCK_SECONDS = 1.0  # a clock that is further ahead or behind is told


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

    def messages(self) -> list[str]:
        """What a reader of the run must know."""
        remote, clock = self.remote, self.remote.clock
        assert clock
        found = [
            f"the load comes from another host through ssh ({remote.system}, "
            f"{remote.architecture}, {remote.cpus} CPUs, {self.name} {self.version()}); the "
            f"programs listen on the address of --listen, which stands for {HOST} in copies of "
            "their code"
        ]
        own = installed.version(self.tool)
        if own and own != self.version():
            found.append(
                f"the {self.name} of the other host is {self.version()}, the one here is {own}: "
                "compare with races from here with care"
            )
        if abs(clock.ahead) > CLOCK_SECONDS + clock.error:
            side = "ahead of" if clock.ahead > 0 else "behind"
            found.append(
                f"the other host's clock is {abs(clock.ahead):.1f} s {side} this one's\n"
                "  → no figure depends on it, but times in logs do: let NTP set both"
            )
        return found

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


def choose(remote: Remote, name: str = registry.AUTO) -> RemoteTool:
    """As registry.choose, of what is there. Raises LoadError with the way to get it."""
    names = list(loadtools.declared()) if name == registry.AUTO else [name]
    for candidate in names:
        if candidate in remote.tools:
            return RemoteTool(registry.get(candidate), remote)
    remedy = f"there: {registry.get(names[0]).install_elsewhere}"
    if name == registry.AUTO:
        known = registry.any_of(names)
        raise LoadError(f"no load generator is installed on {remote.host} ({known})", remedy)
    raise LoadError(f"the load generator {name} is not installed on {remote.host}", remedy)


def children_seconds(times: str) -> float:
    """User and system CPU time of a shell's children, from what its `times` prints."""
    last = times.strip().splitlines()[-1]
    return sum(
        60 * float(minutes) + float(seconds)
        for minutes, seconds in re.findall(r"(\d+)m([\d.]+)s", last.replace(",", "."))
    )
