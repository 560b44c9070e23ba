"""Builds of .NET programs, file-based apps and projects, and of what Mono runs: a folder for each
state of the code."""

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from benchbook_kernels.base import dotnet, kept_builds, paths
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.file_based import directives
from benchbook_kernels.base.processes import Keeper

BUILD_SECONDS = 600
# The analyzers' advice, which nobody sees, takes a second and more of every build.
QUIET = ("-nologo", "-v:quiet", "-p:RunAnalyzers=false")
# What .NET notes of hot code pays in minutes: MSBuild, compiler and trimmer have ended by then.
SHORT_LIVED = {"DOTNET_TieredPGO": "0"}
COMPILER = "BENCHBOOK_COMPILER"  # the pipe of a compiler server that somebody runs for many builds
# What else it and NuGet take from folders above.
SETTINGS_ABOVE = ("global.json", "nuget.config", "NuGet.config", "NuGet.Config", ".editorconfig")
# Folders in which a build or a program puts something; MSBuild looks into no hidden ones either.
MADE = {"bin", "obj", "node_modules", "BenchmarkDotNet.Artifacts"}
# What the SDK adds to a file-based app from the folder in which it lies.
BESIDE_APP = ("wwwroot/**/*", "appsettings*.json", "*.resx")
# Code that asks where its source lies: of two that are the same, each is built for its place.
ASKS_PLACE = re.compile(rb"CallerFilePath|EntryPointFile")
# Words of a project, or of what it imports, that may name files elsewhere.
PROJECTS = (".csproj", ".props", ".targets")
NAMED = re.compile(r'\b(?:Include|Project|HintPath|Link)\s*=\s*"([^"$]+)"')
# What MSBuild takes from the nearest folder above, and the properties that name it.
ABOVE = {
    "Directory.Build.props": "DirectoryBuildProps",
    "Directory.Packages.props": "DirectoryPackagesProps",
    "Directory.Build.targets": "DirectoryBuildTargets",
}


class BuildError(BenchError):
    """A variant that can't be built here: its first error, and what to do."""


def build_folder(path: Path, properties: Sequence[str] = (), verb: str = "build") -> Path:
    """Where the build of a .NET file or project goes: a folder for each state of the code, and for
    each choice of properties ("MessagePackVersion=3.1.12").

    It holds out/ and built.txt, or failed.txt with the reason.
    """
    own = str(paths.builds())  # where intermediate files lie makes no other build
    given = [p.replace(own, "") for p in properties if not p.startswith("ArtifactsPath=")]
    return folder_for(path, " ".join([dotnet_version(), verb, *QUIET, *given]), sources(path))


def folder_for(path: Path, version: str, files: Sequence[Path]) -> Path:
    """As build_folder, for a build by a compiler of this version from these files."""
    digest = hashlib.sha256(version.encode())
    asks_place = False
    for source in files:
        content = source.read_bytes()
        asks_place = asks_place or bool(ASKS_PLACE.search(content))
        digest.update(source.name.encode() + b"\0" + content + b"\0")
    if asks_place:
        digest.update(str(path.resolve()).encode())
    return paths.builds() / f"{path.stem}-{digest.hexdigest()[:16]}"


def failure(path: Path, folder: Callable[[], Path]) -> str:
    """Why the last build of just this code failed, '' where it did not; folder: where it went."""
    if not any(paths.builds().glob(f"{path.stem}-*/failed.txt")):
        return ""  # of no state of its code, so this one need not be told apart
    try:
        return (folder() / "failed.txt").read_text(encoding="utf-8")
    except (OSError, BuildError):
        return ""


def build(
    path: Path,
    verb: str,
    folder: Path,
    begin: Callable[[], None],
    properties: Sequence[str] = (),
) -> None:
    """`dotnet build` or `publish` in Release into folder/out. As build_once."""
    given = [f"-p:{each}" for each in properties]
    by_hand = " ".join(["dotnet", verb, paths.relative(path), "-c Release", *given])
    make = lambda: run_dotnet(verb, path, "-o", str(folder / "out"), *given)  # noqa: E731
    build_once(folder, make, by_hand, begin)


def build_once(
    folder: Path, make: Callable[[], tuple[int, str]], by_hand: str, begin: Callable[[], None]
) -> None:
    """Build into a folder with `make`, which gives exit code and output, unless that was done;
    `begin` is called where there is something to do. One process builds at a time: others may need
    the same, or a project that both refer to. Raises BuildError with the first error."""
    if there(folder):
        return
    begin()
    with dotnet.one_build(paths.builds()):
        if not there_now(folder):
            build_anew(folder, make, by_hand)


def there(folder: Path) -> bool:
    """Is it built, here or by this user in another clone? Then it stays for another while."""
    if not there_now(folder) and kept_builds.has(folder):
        with dotnet.one_build(paths.builds()):
            return there_now(folder) or kept_builds.restore(folder)
    return there_now(folder)


def there_now(folder: Path) -> bool:
    """Is it built here? Then it stays for another while."""
    if not (folder / kept_builds.BUILT).is_file():
        return False
    os.utime(folder)
    return True


def done(folder: Path) -> None:
    """It is built: note that, and keep a copy for other clones."""
    (folder / kept_builds.BUILT).write_text("", encoding="utf-8")
    kept_builds.keep(folder)


def build_anew(folder: Path, make: Callable[[], tuple[int, str]], by_hand: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        code, output = make()
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if code:
        reason = first_error(output)
        (folder / "failed.txt").write_text(reason, encoding="utf-8")
        raise BuildError(f"can't be built: {reason}", f"by hand: {by_hand}")
    done(folder)


def sources(path: Path) -> list[Path]:
    """The files that a .NET build depends on: the file-based app or all files of the project's
    folder, what these name elsewhere, the same of all projects that it refers to, and the props and
    settings above each."""
    found: dict[Path, None] = {}
    waiting, seen = [path], set()
    while waiting:
        each = waiting.pop(0)
        if each in seen:
            continue
        seen.add(each)
        settings = [up / name for up in each.parents for name in (*ABOVE, *SETTINGS_ABOVE)]
        above = [path for path in settings if path.is_file()]
        own = files_in(each.parent) if each.suffix == ".csproj" else beside(each)
        found |= dict.fromkeys([*own, *above])
        for text in [each, *above]:
            found |= dict.fromkeys(named_in(text))
        waiting += references(each)
    return list(found)


def files_in(folder: Path) -> list[Path]:
    """The files in a project's folder from which it may be built."""
    found = []
    for top, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in MADE and name[0] != "."]
        found += [Path(top, name) for name in names]
    return sorted(path for path in found if path.is_file())


def beside(app: Path) -> list[Path]:
    """A file-based app and the files beside it that go into it."""
    found = [path for each in BESIDE_APP for path in app.parent.glob(each)]
    return [app, *sorted(path for path in found if path.is_file())]


def named_in(text: Path) -> list[Path]:
    """The files elsewhere that a project, its props or the `#:` lines of an app name. What has a
    property of MSBuild in its name is not found."""
    if text.suffix == ".cs":
        named = [value for kind, value in directives(text) if kind in ("include", "ref")]
    else:
        named = NAMED.findall(text.read_text("utf-8", "replace")) if text.suffix in PROJECTS else []
    found = []
    for name in (part.strip().replace("\\", "/") for each in named for part in each.split(";")):
        place = text.parent / name
        if "/" in name or text.suffix == ".cs":
            with contextlib.suppress(ValueError, NotImplementedError, OSError):
                many = sorted(text.parent.glob(name)) if "*" in name else [place]
                found += [p for p in many if p.is_file() and not made(p, text.parent)]
    return found


def references(path: Path) -> list[Path]:
    """The projects that a project (ProjectReference) or a file-based app (#:project) refers to."""
    named = []
    if path.suffix != ".csproj" and path.is_file():
        named = [value for kind, value in directives(path) if kind == "project"]
    elif path.is_file():
        text = path.read_text("utf-8", "replace")
        named = re.findall(r'<ProjectReference\s+Include="([^"]+)"', text)
    places = [(path.parent / name.replace("\\", "/")).resolve() for name in named]
    return [next(iter(sorted(p.glob("*.csproj"))), p) if p.is_dir() else p for p in places]


def made(path: Path, folder: Path) -> bool:
    """Is it in a folder that a build makes?"""
    inside = path.parts[len(folder.parts) :] if path.is_relative_to(folder) else ()
    return bool(MADE & set(inside[:-1]))


@cache
def dotnet_version() -> str:
    """The version of the newest .NET SDK here, '' where there is none; read from its folders."""
    command = shutil.which("dotnet")
    if not command:
        return ""
    folders = (Path(command).resolve().parent / "sdk").glob("[0-9]*")
    numbers = lambda name: [int(part) for part in re.findall(r"\d+", name)]  # noqa: E731
    return max((folder.name for folder in folders), key=numbers, default="")


def run_dotnet(verb: str, path: Path, *more: str) -> tuple[int, str]:
    """Exit code and output of `dotnet build` or `publish` in Release.

    What is built together shares one compiler process, which ends with it; its socket, which it
    leaves, goes then, too. For a single project a process of its own costs more than it saves.
    Where COMPILER names one that runs, that compiles.
    """
    one = [] if path.suffix == ".cs" else ["-m:1"]  # with it the SDK takes an app for a project
    command = ["dotnet", verb, str(path), "-c", "Release", *more, *one, *QUIET]
    theirs = os.environ.get(COMPILER)
    if not theirs and path.suffix != ".proj" and not references(path):
        command.append("-p:UseSharedCompilation=false")
        return run(command, path.parent, more=SHORT_LIVED)
    name = theirs or f"benchbook-{secrets.token_hex(8)}"  # no other build has it
    command += ["-p:UseSharedCompilation=true", f"-p:SharedCompilationId={name}"]
    leaves = None if theirs else compiler_socket(name)
    return run(command, path.parent, leaves=leaves, more=SHORT_LIVED)


def compiler_socket(name: str) -> Path:
    """Where a compiler server listens: in /tmp whatever TMPDIR is, as GetPipeNameOrPath says of
    https://github.com/dotnet/roslyn/blob/main/src/Compilers/Shared/NamedPipeUtil.cs"""
    return Path("/tmp", name)


def run(
    command: list[str],
    folder: Path,
    seconds: float = BUILD_SECONDS,
    leaves: Path | None = None,
    more: Mapping[str, str] = {},
) -> tuple[int, str]:
    """Exit code and output of a command that ends, and all that it started, before we go on.
    leaves: a file that goes then; more: variables, beside those of all builds."""
    with Keeper() as keeper, tempfile.TemporaryFile() as out:
        if leaves:
            keeper.remove(leaves)
        process = keeper.start(
            command, cwd=folder, env={**building(), **more}, stdout=out, stderr=subprocess.STDOUT
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
        package = re.search(
            r"Unable to find package (\S+?)\.? (?:with version \(([^)]+)\))?", match[2] + " "
        )
        name = package[1] if package else "a package"
        version = f" {package[2].removeprefix('= ')}" if package and package[2] else ""
        return f"NuGet here has no package {name}{version} ({match[1]})"
    if match:
        return f"NuGet: {match[2].split('. ')[0].rstrip('.')} ({match[1]})"
    text = re.sub(r"\s\[[^\]]*\]$", "", text)
    return re.sub(r"^.*?([^/\\]+\.(?:cs|csproj)(?:\(\d+,\d+\))?) ?:", r"\1:", text)[:300]
