"""How each kind of variant file is made ready and started: Node.js, Deno, .NET, Mono, nginx …

A runner says what is missing, builds where something is to be built, and gives the command line.
"""

import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from benchbook.model.variants import Variant
from benchbook.programs import app_builds, dotnet_versions, mono
from benchbook.programs.runtimes.javascript import Bun, Deno, Node
from benchbook.programs.runtimes.ready import Ready, settings, version
from benchbook.setup.tools import remedies
from benchbook.system import paths, versions
from benchbook_kernels.base import builds


class Runner(Protocol):
    """`late`: may start on all CPUs and be pinned when it is ready (Node.js does not size itself
    by the CPUs that it may use; .NET does, and is told how many those will be; Mono does, too).
    `tiered`: goes on compiling in the background after it was loaded
    (https://learn.microsoft.com/dotnet/core/runtime-config/compilation)."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Of the files that it runs, if no runner before it does."""

    late: bool
    tiered: bool

    def missing(self) -> str:
        """The tool that is not installed, with the remedy; '' where it is."""

    def software(self, variant: Variant) -> str:
        """The name and version of what runs it: "Node.js 20.20.2"."""

    def failure(self, variant: Variant) -> str:
        """Why the last build of just this code failed, '' where it did not."""

    def build(self, variant: Variant, say: Callable[[str], None]) -> None:
        """Make it ready to start, saying so; nothing where that was done. Raises BuildError."""

    def build_together(self, variants: Sequence[Variant], say: Callable[[str], None]) -> None:
        """Build those that are built faster together; `build` has to be called all the same."""

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        """The command line; `folder` may take files. ports: PORT and, if any, BACKEND_PORT."""

    def by_hand(self, variant: Variant) -> str:
        """The command line for a reader."""


class OfTheSystem(Ready):
    """What the system runs by itself: nothing else is needed, and nothing is known of it."""

    late = False
    tiered = False

    def missing(self) -> str:
        return ""

    def software(self, variant: Variant) -> str:
        return ""


class CommandLine(OfTheSystem):
    """A command line, which the variant has itself (`words`): its file only keeps what it is."""

    suffixes = (".command",)

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        return list(variant.words)

    def by_hand(self, variant: Variant) -> str:
        return shlex.join(variant.words)


class Executable(OfTheSystem):
    """A program that the system runs itself, as it is."""

    suffixes = ()

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        return [str(variant.path)]

    def by_hand(self, variant: Variant) -> str:
        return f"{settings(variant)} {paths.relative(variant.path)}"


@dataclass(eq=False)
class Interpreter(Ready):
    """One that takes a file and nothing else.

    called: its name for readers; names: of commands, of which the first that is found runs the
    file; probe: how it gives its version, as in versions.TOOLS, None where it does not tell it;
    remedy: how to get it.
    """

    suffixes: tuple[str, ...]
    called: str
    names: tuple[str, ...]
    probe: tuple[Sequence[str], str] | None = None
    remedy: str = ""
    late: bool = False
    tiered: bool = False

    @property
    def name(self) -> str:
        """The command's name."""
        return next(filter(shutil.which, self.names), self.names[0])

    def missing(self) -> str:
        if shutil.which(self.name):
            return ""
        told = f"{self.called} ({self.name}) is not installed"
        return f"{told}; get it with: {self.remedy}" if self.remedy else told

    def software(self, variant: Variant) -> str:
        return f"{self.called} {self.version}".rstrip()

    @cached_property
    def version(self) -> str:
        """What the interpreter says of its version, '' where it is not asked."""
        return (versions.probed_version(self.name, self.probe) or "unknown") if self.probe else ""

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        return [self.name, str(variant.path)]

    def by_hand(self, variant: Variant) -> str:
        return f"{settings(variant)} {self.name} {paths.relative(variant.path)}"


class Dotnet:
    """A file-based app (.cs) or a project (.csproj), built in Release into .benchbook/build.

    https://learn.microsoft.com/dotnet/core/sdk/file-based-apps. `variant.publish`: published, so
    that PublishAot=true makes a native program. What needs Mono is a program for .NET Framework.
    """

    suffixes = (".cs", ".csproj")
    late = True
    tiered = True

    def missing(self) -> str:
        if builds.dotnet_version():
            return ""
        return "the .NET SDK 10 or newer is not installed; ./bench doctor says how to get it"

    def software(self, variant: Variant) -> str:
        told = dotnet_versions.told(variant.needs)
        return f".NET SDK {builds.dotnet_version()}" + (f", .NET {told}" if told else "")

    def failure(self, variant: Variant) -> str:
        return builds.failure(variant.path, lambda: built_in(variant))

    def build(self, variant: Variant, say: Callable[[str], None]) -> None:
        builds.build(
            variant.path,
            verb(variant),
            built_in(variant),
            lambda: say(f"building {variant.title}"),
            app_builds.chosen(variant),
        )

    def build_together(self, variants: Sequence[Variant], say: Callable[[str], None]) -> None:
        alike = [variant for variant in variants if not app_builds.chosen(variant)]
        programs = {variant.path: verb(variant) for variant in alike}
        app_builds.build_together(programs, lambda: say("building the .NET programs"))

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        out = built_in(variant) / "out"
        library, framework = (out / f"{variant.path.stem}{end}" for end in (".dll", ".exe"))
        if framework.is_file() and any(need.startswith("mono:") for need in variant.needs):
            return ["mono", str(framework)]
        if library.is_file() and not dotnet_versions.brings_runtime(variant.needs):
            return ["dotnet", str(library)]
        return [str(out / variant.path.stem)]

    def by_hand(self, variant: Variant) -> str:
        options = [f"-p:{each}" for each in app_builds.chosen(variant)]
        options.append("--project" if variant.path.suffix == ".csproj" else "--file")
        words = ["dotnet run -c Release", *options, paths.relative(variant.path)]
        return f"{settings(variant)} {' '.join(words)}"


class Mono(Ready):
    """A program for .NET Framework (.mono.cs), compiled by Mono's mcs into .benchbook/build."""

    suffixes = (".mono.cs",)
    late = False
    tiered = False

    def missing(self) -> str:
        return mono.missing()

    def software(self, variant: Variant) -> str:
        return f"Mono {mono.version()}"

    def failure(self, variant: Variant) -> str:
        return builds.failure(variant.path, lambda: mono.build_folder(variant.path))

    def build(self, variant: Variant, say: Callable[[str], None]) -> None:
        mono.build(variant.path, lambda: say(f"building {variant.title}"))

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        program = mono.program(variant.path, mono.build_folder(variant.path) / "out")
        return ["mono", str(program)]

    def by_hand(self, variant: Variant) -> str:
        program = mono.program(variant.path, Path())
        return f"{mono.by_hand(variant.path)} && {settings(variant)} mono {program}"


class Nginx(Ready):
    """https://nginx.org. In the conf ${PORT} and ${BACKEND_PORT} stand for the ports."""

    suffixes = (".conf",)
    late = False
    tiered = False

    def missing(self) -> str:
        if versions.find_command("nginx"):
            return ""
        return "nginx is not installed; ./bench doctor says how to get it"

    def software(self, variant: Variant) -> str:
        return f"nginx {version('nginx', 'nginx')}"

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        text = variant.code
        for name, port in ports.items():
            text = text.replace("${%s}" % name, str(port))
        conf = folder / "nginx.conf"
        conf.write_text(text, encoding="utf-8")
        # what it writes goes into the folder; it stays in the foreground, and logs to stderr
        nginx = versions.find_command("nginx") or "nginx"
        return [nginx, "-p", str(folder), "-e", "stderr", "-c", str(conf)]

    def by_hand(self, variant: Variant) -> str:
        path = paths.relative(variant.path)
        return (
            f"PORT=8080 BACKEND_PORT=8081 envsubst '$PORT $BACKEND_PORT' < {path} > /tmp/n.conf "
            "&& nginx -p /tmp -e stderr -c /tmp/n.conf"
        )


# https://cons.io, a Scheme: a script that the interpreter runs
GERBIL = Interpreter((".ss",), "Gerbil", ("gxi",), versions.TOOLS["gerbil"], remedies.GERBIL)
PYTHON = Interpreter((".py",), "Python", ("python3", "python"), (["--version"], r"Python (\d\S*)"))
SHELL = Interpreter((".sh",), "a POSIX shell", ("sh",))
NODE, DENO = Node(), Deno()
# of JavaScript, where a variant names it: else the file's ending decides
BY_NEED: dict[str, Runner] = {"runtime:deno": DENO, "runtime:bun": Bun()}
RUNNERS: tuple[Runner, ...] = (
    NODE,
    DENO,
    GERBIL,
    PYTHON,
    SHELL,
    Mono(),
    Dotnet(),
    Nginx(),
    CommandLine(),
)
EXECUTABLE = Executable()


def built_in(variant: Variant) -> Path:
    """The folder of a .NET variant's build."""
    return builds.build_folder(variant.path, app_builds.chosen(variant), verb(variant))


def verb(variant: Variant) -> str:
    """What `dotnet` does with it."""
    return "publish" if variant.publish else "build"


def find(path: Path) -> Runner | None:
    """The runner for a file: by its ending, or the system where it is an executable without one."""
    found = next((runner for runner in RUNNERS if path.name.endswith(runner.suffixes)), None)
    return EXECUTABLE if not found and not path.suffix and is_executable(path) else found


def is_executable(path: Path) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def by_system(path: Path) -> bool:
    """Is a reader's own program run by the system? No runner knows it, or it names its own."""
    if not is_executable(path):
        return False
    with path.open("rb") as file:
        named, found = os.name == "posix" and file.read(2) == b"#!", find(path)
    return found in (None, EXECUTABLE) or named and isinstance(found, Interpreter)


def get(path: Path) -> Runner:
    """The runner for a file that has one: readiness.lacking tells of those that have none."""
    runner = find(path)
    assert runner, f"no runner for {path.name}"
    return runner


def of(variant: Variant) -> Runner:
    """The runner of a variant whose file has one: the runtime that it needs, where it names one; of
    a function in TypeScript Node.js, not Deno."""
    if variant.executable:
        return EXECUTABLE
    if named := [BY_NEED[need] for need in variant.needs if need in BY_NEED]:
        return named[0]
    return NODE if variant.benchmark and variant.path.suffix == ".ts" else get(variant.path)


def runs_node(variant: Variant) -> bool:
    """Does Node.js run it? Not where it is to be run by another runtime of JavaScript."""
    elsewhere = any(need in BY_NEED for need in variant.needs)
    return not elsewhere and isinstance(find(variant.path), Node)
