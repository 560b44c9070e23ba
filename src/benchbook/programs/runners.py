"""How each kind of variant file is made ready and started: Node.js, Deno, Gerbil, .NET, nginx.

A runner says what is missing, builds where something is to be built, and gives the command line.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Protocol

from benchbook.model.variants import Variant
from benchbook.programs import node_versions
from benchbook.setup import dotnet
from benchbook.system import paths, versions
from benchbook.system.errors import BenchError
from benchbook.system.processes import Keeper

BUILD_SECONDS = 600
# no server of the compiler or of MSBuild may outlive the build
QUIET = ("-nologo", "-v:quiet", "--disable-build-servers", "-p:UseSharedCompilation=false")


class BuildError(BenchError):
    """A variant that can't be built here: its first error, and what to do."""


class Runner(Protocol):
    """`late`: may start on all CPUs and be pinned when it is ready (Node.js does not size itself
    by the CPUs that it finds; .NET does, and is told how many it will have; nginx does, too).
    `tiered`: goes on compiling in the background after it was loaded
    (https://learn.microsoft.com/dotnet/core/runtime-config/compilation)."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Of the files that it runs."""

    late: bool
    tiered: bool

    def missing(self) -> str:
        """The tool that is not installed, with the remedy; '' where it is."""

    def failure(self, variant: Variant) -> str:
        """Why the last build of just this code failed, '' where it did not."""

    def build(self, variant: Variant, say: Callable[[str], None]) -> None:
        """Make it ready to start, saying so; nothing where that was done. Raises BuildError."""

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        """The command line; `folder` may take files. ports: PORT and, if any, BACKEND_PORT."""

    def by_hand(self, variant: Variant) -> str:
        """The command line for a reader."""


class Ready:
    """What runs as it is written."""

    def failure(self, variant: Variant) -> str:
        return ""

    def build(self, variant: Variant, say: Callable[[str], None]) -> None:
        pass


class Node(Ready):
    """https://nodejs.org"""

    suffixes = (".js", ".mjs", ".cjs")
    late = True
    tiered = False

    def missing(self) -> str:
        return "" if shutil.which("node") else "Node.js is not installed; ./bench doctor says how"

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        return [node_versions.command(variant.needs), str(variant.path)]

    def by_hand(self, variant: Variant) -> str:
        return f"{settings(variant)} node {paths.relative(variant.path)}"


class Deno(Ready):
    """https://deno.com: the binary in npm's package for this system, else the one on PATH.

    A file may import the packages of this project by their names. It may use its own port and read
    its own environment variables, and no more.
    """

    suffixes = (".ts",)
    late = False
    tiered = False

    def missing(self) -> str:
        if deno():
            return ""
        return "Deno is not installed; get it with: npm install --no-save deno"

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        offline = ["--cached-only", "--node-modules-dir=manual", "--no-lock", "--no-config"]
        net = ",".join(f":{port}" for port in ports.values())
        names = ",".join([*ports, *variant.env])
        allowed = ["--no-prompt", f"--allow-net={net}", f"--allow-env={names}"]
        return [deno(), "run", *offline, *allowed, str(variant.path)]

    def by_hand(self, variant: Variant) -> str:
        names = ",".join(["PORT", *variant.env])
        options = f"--no-lock --allow-net=:8080 --allow-env={names}"
        return f"{settings(variant)} npx deno run {options} {paths.relative(variant.path)}"


class Gerbil(Ready):
    """https://cons.io, a Scheme: a script that exports `main`, run by the interpreter."""

    suffixes = (".ss",)
    late = False
    tiered = False

    def missing(self) -> str:
        if shutil.which("gxi"):
            return ""
        return "Gerbil (gxi) is not installed; get it with: brew install gerbil-scheme"

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        return ["gxi", str(variant.path)]

    def by_hand(self, variant: Variant) -> str:
        return f"{settings(variant)} gxi {paths.relative(variant.path)}"


class Dotnet:
    """A file-based app (.cs) or a project (.csproj), built in Release into .benchbook/build.

    https://learn.microsoft.com/dotnet/core/sdk/file-based-apps. `variant.publish`: published, so
    that PublishAot=true makes a native program.
    """

    suffixes = (".cs", ".csproj")
    late = True
    tiered = True

    def missing(self) -> str:
        if dotnet_version():
            return ""
        return "the .NET SDK 10 or newer is not installed; ./bench doctor says how to get it"

    def failure(self, variant: Variant) -> str:
        if not any(paths.builds().glob(f"{variant.path.stem}-*/failed.txt")):
            return ""  # of no state of its code, so this one need not be told apart
        try:
            return (build_folder(variant.path) / "failed.txt").read_text(encoding="utf-8")
        except OSError:
            return ""

    def build(self, variant: Variant, say: Callable[[str], None]) -> None:
        verb = "publish" if variant.publish else "build"
        folder = build_folder(variant.path)
        dotnet_build(variant.path, verb, folder, lambda: say(f"building {variant.title}"))

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        out = build_folder(variant.path) / "out"
        library = out / f"{variant.path.stem}.dll"
        return ["dotnet", str(library)] if library.is_file() else [str(out / variant.path.stem)]

    def by_hand(self, variant: Variant) -> str:
        project = "--project " if variant.path.suffix == ".csproj" else ""
        return f"{settings(variant)} dotnet run -c Release {project}{paths.relative(variant.path)}"


class Nginx(Ready):
    """https://nginx.org. In the conf ${PORT} and ${BACKEND_PORT} stand for the ports."""

    suffixes = (".conf",)
    late = False
    tiered = False

    def missing(self) -> str:
        if versions.find_command("nginx"):
            return ""
        return "nginx is not installed; ./bench doctor says how to get it"

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


RUNNERS: tuple[Runner, ...] = (Node(), Deno(), Gerbil(), Dotnet(), Nginx())


def settings(variant: Variant) -> str:
    """The environment variables of a variant, as a shell takes them before a command."""
    return " ".join(["PORT=8080", *(f"{name}={value}" for name, value in variant.env.items())])


def find(path: Path) -> Runner | None:
    """The runner for a file, None where there is none for its ending."""
    return next((runner for runner in RUNNERS if path.suffix in runner.suffixes), None)


def get(path: Path) -> Runner:
    """The runner for a file that has one: programs.lacking tells of those that have none."""
    runner = find(path)
    assert runner, f"no runner for {path.name}"
    return runner


def build_folder(path: Path) -> Path:
    """Where the build of a .NET file or project goes: a folder for each state of the code.

    It holds out/ and built.txt, or failed.txt with the reason.
    """
    digest = hashlib.sha256(dotnet_version().encode())
    for source in sources(path):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return paths.builds() / f"{path.stem}-{digest.hexdigest()[:16]}"


def dotnet_build(path: Path, verb: str, folder: Path, begin: Callable[[], None]) -> None:
    """`dotnet build` or `publish` in Release into folder/out, unless that was done; `begin` is
    called where there is something to do. One process builds at a time: others may need the same,
    or a project that both refer to. Raises BuildError with the first error."""
    if (folder / "built.txt").is_file():
        return
    begin()
    with dotnet.one_build(paths.builds()):
        if not (folder / "built.txt").is_file():
            build_anew(path, verb, folder)


def build_anew(path: Path, verb: str, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = ["dotnet", verb, str(path), "-c", "Release", "-o", str(folder / "out")]
    try:
        code, output = run([*command, *QUIET], path.parent)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if code:
        reason = first_error(output)
        (folder / "failed.txt").write_text(reason, encoding="utf-8")
        by_hand = f"dotnet {verb} {paths.relative(path)} -c Release"
        raise BuildError(f"can't be built: {reason}", f"by hand: {by_hand}")
    (folder / "built.txt").write_text("", encoding="utf-8")


def sources(path: Path) -> list[Path]:
    """The files that a .NET build depends on: the file-based app or all files of the project's
    folder, the same of all projects that it refers to, and the props above each."""
    above = ("Directory.Build.props", "Directory.Packages.props", "Directory.Build.targets")
    found: dict[Path, None] = {}
    waiting, seen = [path], set()
    while waiting:
        each = waiting.pop(0)
        if each in seen:
            continue
        seen.add(each)
        folder = each.parent
        own = [p for p in sorted(folder.rglob("*")) if p.is_file() and not made(p, folder)]
        found |= dict.fromkeys(own if each.suffix == ".csproj" else [each])
        found |= dict.fromkeys(
            p for up in each.parents for name in above if (p := up / name).is_file()
        )
        waiting += references(each)
    return list(found)


def references(path: Path) -> list[Path]:
    """The projects that a project (ProjectReference) or a file-based app (#:project) refers to."""
    pattern = r'<ProjectReference\s+Include="([^"]+)"'
    if path.suffix != ".csproj":
        pattern = r"(?m)^#:project\s+(\S.*?)\s*$"
    named = re.findall(pattern, path.read_text("utf-8", "replace")) if path.is_file() else []
    places = [(path.parent / name.replace("\\", "/")).resolve() for name in named]
    return [next(iter(sorted(p.glob("*.csproj"))), p) if p.is_dir() else p for p in places]


def made(path: Path, folder: Path) -> bool:
    """Is it in a folder that a build makes?"""
    return bool({"bin", "obj", "node_modules"} & set(path.relative_to(folder).parts[:-1]))


@cache
def dotnet_version() -> str:
    """The version of the newest .NET SDK here, '' where there is none; read from its folders."""
    command = shutil.which("dotnet")
    if not command:
        return ""
    folders = (Path(command).resolve().parent / "sdk").glob("[0-9]*")
    numbers = lambda name: [int(part) for part in re.findall(r"\d+", name)]  # noqa: E731
    return max((folder.name for folder in folders), key=numbers, default="")


def run(command: list[str], folder: Path, seconds: float = BUILD_SECONDS) -> tuple[int, str]:
    """Exit code and output of a command that ends, and all that it started, before we go on."""
    with Keeper() as keeper, tempfile.TemporaryFile() as out:
        process = keeper.start(
            command, cwd=folder, env=building(), stdout=out, stderr=subprocess.STDOUT
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise BuildError(f"{' '.join(command[:2])} did not end in {seconds:g} s") from None
        out.seek(0)
        return process.returncode, out.read().decode("utf-8", "replace")


def building() -> dict[str, str]:
    """What `dotnet` finds in its environment when it builds, beside our own variables.

    MSBuild takes variables for properties. After a set-up from a bundle its NuGet packages are a
    source, too, and one that can't be reached (there may be no network) is passed over.
    """
    feed = paths.state() / "nuget" / "feed"
    if not feed.is_dir():
        return dotnet.QUIET
    offline = {
        "RestoreAdditionalProjectSources": str(feed),
        "RestoreIgnoreFailedSources": "true",
        "NuGetAudit": "false",
    }
    return {**dotnet.QUIET, **offline}


def first_error(output: str) -> str:
    """The error that a reader should see first of what `dotnet build` printed."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\berror\b", line)]
    text = (errors or lines or ["it printed nothing"])[0]
    match = re.search(r"error (NU\d+): (.*?)(?: \[|$)", text)
    if match and "Unable to find package" in match[2]:
        package = re.search(r"Unable to find package (\S+?)\.? ", match[2] + " ")
        name = package[1] if package else "a package"
        return f"NuGet here has no package {name} ({match[1]})"
    if match:
        return f"NuGet: {match[2].split('. ')[0].rstrip('.')} ({match[1]})"
    text = re.sub(r"\s\[[^\]]*\]$", "", text)
    return re.sub(r"^.*?([^/\\]+\.(?:cs|csproj)(?:\(\d+,\d+\))?) ?:", r"\1:", text)[:300]


@cache
def npm_version(package: str) -> str:
    """The version of an npm package in the checkout, '' where it is missing."""
    try:
        path = paths.root() / "node_modules" / package / "package.json"
        return str(json.loads(path.read_text(encoding="utf-8"))["version"])
    except (OSError, ValueError, KeyError):
        return ""


def deno() -> str:
    """The path of Deno's binary, '' where there is none: npm's package for this system, whose
    install script would only have copied it, before the one on PATH."""
    found = (paths.root() / "node_modules" / "@deno").glob("*/deno*")
    binaries = [path for path in found if path.name in ("deno", "deno.exe")]
    return str(binaries[0]) if binaries else shutil.which("deno") or ""


def tiers() -> dict[str, str]:
    """Have .NET count calls from the first one on, not only when nothing new was called for 0.1 s.

    What it compiles in the end is the same, but begins in the warm-up and not after it: without
    this, programs still compiled for 15 s while the first blocks were timed. The reader's own value
    counts. https://github.com/dotnet/runtime/blob/main/src/coreclr/inc/clrconfignames.h
    """
    name = "DOTNET_TC_CallCountingDelayMs"
    return {name: os.environ.get(name, "0")}


def environment() -> dict[str, str]:
    """What every variant finds in its environment, beside PORT."""
    return {
        **tiers(),
        "NODE_ENV": "production",
        "DOTNET_ROLL_FORWARD": "Major",
        "ASPNETCORE_ENVIRONMENT": "Production",
        "DENO_DIR": str(paths.state() / "deno"),
        "DENO_NO_UPDATE_CHECK": "1",
        "NO_COLOR": "1",
    }
