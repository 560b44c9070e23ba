"""Projects for BenchmarkDotNet: copied to scratch with the harness, and built in Release.

A project's own Program.cs, which is for use by hand, is left out.
"""

import hashlib
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchbook.programs import app_builds, runners
from benchbook.programs.readiness import Say
from benchbook.system import paths, tidying
from benchbook_kernels.base import builds, dotnet
from benchbook_kernels.base.errors import BenchError

HARNESS = {
    f"Benchbook{file}": paths.PACKAGE / "race" / "kinds" / "functions" / file
    for file in ("Harness.cs", "Slices.cs", "Unfinished.cs")
}
PACKAGE = "BenchmarkDotNet"
CENTRAL = "Directory.Packages.props"
CELL = "Cell.cs"
SOURCES = (".cs", ".proto")  # protoc makes C# of the latter
REFERENCES = "references"  # the folder in a staged project of those that it refers to
PROPS = """<Project>
  <PropertyGroup>
    <DefaultItemExcludes>$(DefaultItemExcludes);{}/**</DefaultItemExcludes>
    {}
  </PropertyGroup>
</Project>
"""
PREFIX = "Benchmarks"  # of a project's name; BenchmarkDotNet finds it by its whole name
KEPT_BUILDS = 4


class MicroError(BenchError):
    """Benchmarks that can't be built, or that failed."""


class PackageTooNew(MicroError):
    """Packages that need a newer .NET; packages: name -> the version that was tried."""

    def __init__(self, message: str, packages: Mapping[str, str]):
        super().__init__(message)
        self.packages = packages


@dataclass(frozen=True)
class Project:
    """A project with the harness in it: its .csproj; properties: what its build is given."""

    path: Path
    properties: tuple[str, ...] = ()

    @property
    def build_folder(self) -> Path:
        return builds.build_folder(self.path, self.properties)

    @property
    def library(self) -> Path:
        return self.build_folder / "out" / f"{self.path.stem}.dll"


def stage(files: Mapping[str, str], project: str, packages: str, props: str = "") -> Project:
    """Write a project and the harness to scratch, in a folder for each state of the code.

    project: the .csproj; packages: the content of its Directory.Packages.props; props: properties
    of it and of all that it refers to.
    """
    above = paths.root() / "global.json"
    # BenchmarkDotNet looks for the project from the folder with the global.json downwards
    known = above.read_text(encoding="utf-8") if above.is_file() else "{}"
    every = {
        **files,
        **{name: path.read_text(encoding="utf-8") for name, path in HARNESS.items()},
        CENTRAL: packages,
        "Directory.Build.props": PROPS.format(REFERENCES, props),
        "global.json": known,
    }
    digest = hashlib.sha256(project.encode())
    for name, text in sorted(every.items()):
        digest.update(name.encode() + b"\0" + text.encode() + b"\0")
    name = f"{PREFIX}-{digest.hexdigest()[:12]}"
    folder = paths.scratch() / name
    for file, text in {**every, f"{name}.csproj": project}.items():
        path = folder / file
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    tidying.touch(folder)
    return Project(folder / f"{name}.csproj")


def central_packages() -> str:
    """The versions of the packages that Benchbook itself uses."""
    for path in (paths.root() / CENTRAL, paths.beside_bench(CENTRAL)):
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise MicroError(f"{CENTRAL} is missing", "it belongs in the folder of ./bench")


def stage_folder(
    project: Path, edits: Mapping[str, Path] = {}, properties: Sequence[str] = ()
) -> Project:
    """A project of a folder, with the files in `edits` (by name) instead of its own.

    What it refers to is copied, too. properties: what it finds set, as "WithoutMemoryPack=true"
    where that can't be had here, so that it leaves out what needs it.
    """
    files = {}
    for path in sources(project):
        if path.name != "Program.cs":
            name = path.relative_to(project.parent).as_posix()
            files[name] = edits.get(path.name, path).read_text(encoding="utf-8")
    for reference in all_references(project):
        folder = f"{REFERENCES}/{reference.parent.name}"
        files[f"{folder}/{reference.name}"] = referring(reference, "..")
        for path in sources(reference):
            name = path.relative_to(reference.parent).as_posix()
            files[f"{folder}/{name}"] = edits.get(path.name, path).read_text(encoding="utf-8")
    props = app_builds.props(properties)
    return stage(files, referring(project, REFERENCES), central_packages(), props)


def sources(project: Path) -> list[Path]:
    """The files in a project's folder that it is compiled from."""
    found = sorted(project.parent.rglob("*"))
    code = [path for path in found if path.suffix in SOURCES]
    return [path for path in code if not builds.made(path, project.parent)]


def all_references(project: Path) -> list[Path]:
    """The projects that a project refers to, and those that they refer to."""
    found: dict[Path, None] = {}
    waiting = builds.references(project)
    while waiting:
        each = waiting.pop(0)
        if each not in found:
            found[each] = None
            waiting += builds.references(each)
    return list(found)


def referring(project: Path, folder: str) -> str:
    """The text of a .csproj whose references lie in `folder`, each in a folder by its name."""

    def moved(match: re.Match[str]) -> str:
        path = Path(match[2].replace("\\", "/"))
        return f"{match[1]}{folder}/{path.parent.name}/{path.name}{match[3]}"

    text = project.read_text(encoding="utf-8")
    return re.sub(r'(<ProjectReference\s+Include=")([^"]+)(")', moved, text)


def build(project: Project, say: Say) -> None:
    """Build a project in Release, unless that was done.

    Raises MicroError with its errors, PackageTooNew where packages need a newer .NET.
    """
    if reason := runners.Dotnet().missing():
        raise MicroError(reason)
    folder = project.build_folder
    if builds.there(folder):
        return
    forget_old()
    say("building the benchmarks")
    with dotnet.one_build(paths.builds()):
        if not builds.there_now(folder):
            build_into(project, folder)


def build_into(project: Project, folder: Path) -> None:
    """Build a project anew, as build does, where no other process builds."""
    shutil.rmtree(folder, ignore_errors=True)
    given = [f"-p:{each}" for each in project.properties]
    code, output = builds.run_dotnet("build", project.path, "-o", str(folder / "out"), *given)
    if code:
        reason = f"the benchmarks can't be built: {build_errors(output, project.path.parent)}"
        if too_new := re.findall(r"NU1202: Package (\S+) (\S+) is not compatible", output):
            raise PackageTooNew(reason, dict(too_new))
        raise MicroError(reason)
    builds.done(folder)


def forget_old() -> None:
    """Remove builds that nobody used for an hour, but for the newest: each takes 70 MB and more.

    Sources that another process has just staged are in use, too: it builds them next.
    """
    there = [p for p in paths.builds().glob(f"{PREFIX}-*") if p.is_dir()]
    used = {folder: max(map(last_used, (folder, sources_of(folder)))) for folder in there}
    for folder in sorted(there, key=used.__getitem__, reverse=True)[KEPT_BUILDS:]:
        if time.time() - used[folder] > 3600:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.rmtree(sources_of(folder), ignore_errors=True)


def sources_of(build: Path) -> Path:
    """The folder in scratch from which a build was made."""
    return paths.scratch() / build.name.rpartition("-")[0]


def last_used(folder: Path) -> float:
    """When, in seconds since the epoch; 0 where it is gone."""
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0


def build_errors(output: str, folder: Path | None = None) -> str:
    """The compiler's errors, each once, at the lines of the cell or the file.

    folder: where the sources are, whose lines are then shown.
    """
    found: dict[str, None] = {}
    for line in output.splitlines():
        match = re.search(r"([^/\\]+)\((\d+),(\d+)\): error (\w+): (.*?)(?: \[[^\]]*\])?$", line)
        if match:
            file, row, column, code, text = match.groups()
            place = "cell" if file == CELL else file
            told = f"{place}, line {row}, column {column}: {text} ({code})"
            shown = pointed_at(folder / file, int(row), int(column)) if folder else ""
            found[told + shown] = None
    return "\n".join(["", *list(found)[:10]]) if found else builds.first_error(output)


def pointed_at(file: Path, row: int, column: int) -> str:
    """A line of a source file with a caret below the column; '' where that is not there."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    if lines and (match := re.fullmatch(r"#line (\d+)", lines[0])):
        row += 2 - int(match[1])
    if not 0 < row <= len(lines):
        return ""
    return f"\n    {lines[row - 1]}\n    {' ' * (column - 1)}^".replace("\t", " ")


def version(project: Project) -> str:
    """The version of BenchmarkDotNet that a project has, '' where it can't be told."""
    props = project.path.parent / CENTRAL
    match = re.search(
        rf'Include="{PACKAGE}"\s+Version="([^"]+)"', props.read_text(encoding="utf-8")
    )
    return match[1] if match else ""


def explain(lines: Sequence[str]) -> str:
    """Of what was printed, the lines that tell why it failed; no frames of BenchmarkDotNet."""
    first = next(
        (i for i, text in enumerate(lines) if re.search(r"Exception|rror[ :]", text)), None
    )
    kept = lines[-8:] if first is None else lines[first:]
    end = next((i for i, line in enumerate(kept) if line.startswith("No Workload Results")), None)
    kept = kept[:end]
    kept = [line.strip() for line in kept if line.strip() and "   at BenchmarkDotNet." not in line]
    hidden = (
        "System.Reflection.TargetInvocationException",
        "--- End of inner",
        "at System.Reflection",
        "//",
    )
    kept = [re.sub(r"^---> ", "", line) for line in kept if not line.startswith(hidden)]
    kept = [re.sub(r" in \S*?([^/\\]+\.cs):line (\d+)", r" (\1, line \2)", line) for line in kept]
    return "\n".join("    " + line.replace(f"({CELL},", "(cell,") for line in kept[:6])
