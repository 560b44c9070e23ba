"""In-process timing: a project's [Benchmark] methods under BenchmarkDotNet.

BenchmarkDotNet builds and starts a process of its own for every launch, as it always does
(https://benchmarkdotnet.org/articles/guides/how-it-works.html). Benchbook adds a small harness
(tools/micro) that lets the launches of all benchmarks take turns, and reads what is printed while
it runs. The project is copied to .benchbook/scratch, less its own Program.cs (for use by hand).
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from benchbook import paths, results, runners
from benchbook.errors import BenchError
from benchbook.processes import Keeper
from benchbook.programs import Say

HARNESS = paths.PACKAGE / "tools" / "micro" / "Harness.cs"
CENTRAL = "Directory.Packages.props"
CELL = "Cell.cs"
REFERENCES = "references"  # the folder in a staged project of those that it refers to
PROPS = """<Project>
  <PropertyGroup>
    <DefaultItemExcludes>$(DefaultItemExcludes);{}/**</DefaultItemExcludes>
    {}
  </PropertyGroup>
</Project>
"""
TOOL = results.BENCHMARK_DOT_NET
PREFIX = "Benchmarks"  # of a project's name; BenchmarkDotNet finds it by its whole name
KEPT_BUILDS = 4
QUICK_LAUNCHES, QUICK_ITERATIONS, QUICK_WARMUPS = 4, 4, 4
QUICK_SECONDS = 0.12  # an iteration; BenchmarkDotNet warns under 0.1 s

# what a cell may use without saying so: as in the C# session, and BenchmarkDotNet's
USINGS = (
    "System",
    "System.Collections",
    "System.Collections.Generic",
    "System.IO",
    "System.Linq",
    "System.Net.Http",
    "System.Text",
    "System.Threading",
    "System.Threading.Tasks",
    "BenchmarkDotNet.Attributes",
    "BenchmarkDotNet.Configs",
    "BenchmarkDotNet.Engines",
    "BenchmarkDotNet.Jobs",
)

BENCHMARK = re.compile(r"^// Benchmark: (.+?): (.+?)(?:\(.*\))?(?: \[(.*)\])?$")
LAUNCH = re.compile(r"launch-(\d+)\.(\d+)")
MEASURED = re.compile(r"^Workload(Actual|Result)\s+\d+: (\d+) op, ([\d.]+) ns")
COLLECTED = re.compile(r"^// GC: +\d+ \d+ \d+ (\d+) (\d+)")
PACKAGE = re.compile(
    r'^[ \t]*#r[ \t]+"nuget:[ \t]*([^",]+?)[ \t]*(?:,[ \t]*([^"]*?)[ \t]*)?"[^\n]*$'
)


class MicroError(BenchError):
    """Benchmarks that can't be built, or that failed."""


class PackageTooNew(MicroError):
    """Packages that need a newer .NET; packages: name -> the version that was tried."""

    def __init__(self, message: str, packages: Mapping[str, str]):
        super().__init__(message)
        self.packages = packages


@dataclass(frozen=True)
class Package:
    """`#r "nuget: NAME, VERSION"`; version '' is the one that the project uses, or the newest."""

    name: str
    version: str = ""


@dataclass(frozen=True)
class Project:
    """A project with the harness in it: its .csproj."""

    path: Path

    @property
    def library(self) -> Path:
        return runners.build_folder(self.path) / "out" / f"{self.path.stem}.dll"


@dataclass(frozen=True)
class Entry:
    """One contestant: a benchmark ("Class.Method") in a case ("N=10"; '' where there is one only).

    copy: it is run for comparison with itself.
    """

    benchmark: str
    case: str = ""
    baseline: bool = False
    copy: bool = False

    @property
    def title(self) -> str:
        copy = " (A/A copy)" if self.copy else ""
        return self.benchmark.partition(".")[2] + (f" [{self.case}]" if self.case else "") + copy


@dataclass(frozen=True)
class Wish:
    """What to run. full: BenchmarkDotNet's default job; otherwise launches that take turns.

    iterations, warmups: of a launch; order: [launch] -> numbers of `entries` in turn; entries: None
    for all that the project has, with a copy of each baseline.
    """

    full: bool = False
    launches: int = QUICK_LAUNCHES
    iterations: int = QUICK_ITERATIONS
    warmups: int = QUICK_WARMUPS
    iteration_seconds: float = QUICK_SECONDS
    seed: int = 0
    entries: Sequence[Entry] | None = None
    order: Sequence[Sequence[int]] | None = None

    def to_json(self, folder: Path) -> str:
        entries = self.entries and [
            {"benchmark": e.benchmark, "case": e.case, "copy": e.copy} for e in self.entries
        ]
        return json.dumps(
            {
                "report": str(folder / "report.json"),
                "artifacts": str(folder / "artifacts"),
                "full": self.full,
                "launches": self.launches,
                "iterations": self.iterations,
                "warmups": self.warmups,
                "iterationMilliseconds": self.iteration_seconds * 1000,
                "seed": self.seed % 2**31,  # as C# has it
                "entries": entries,
                "order": self.order,
            }
        )


@dataclass(frozen=True)
class Entries:
    """All that will be run, as the harness numbers it."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Began:
    """A launch of an entry starts. launch is None where BenchmarkDotNet decides on launches."""

    title: str
    launch: int | None = None
    entry: int | None = None


@dataclass(frozen=True)
class Iterated:
    """An iteration was timed; not yet without the overhead."""

    nanoseconds: float
    operations: int


@dataclass(frozen=True)
class Launched:
    """A launch of an entry has ended: (operations, nanoseconds) of each iteration, less overhead.

    words: the end of what it printed, where it failed (there are no iterations then).
    """

    launch: int
    entry: int
    iterations: tuple[tuple[int, float], ...]
    allocated_bytes: float | None = None
    words: str = ""


Event = Entries | Began | Iterated | Launched


@dataclass(frozen=True)
class Found:
    """One benchmark in BenchmarkDotNet's report.

    launches: [launch][iteration] -> (operations, nanoseconds).
    """

    entry: Entry
    job: str
    success: bool
    mean_ns: float | None
    allocated_bytes: float | None
    launches: tuple[tuple[tuple[int, float], ...], ...]

    @property
    def times_ns(self) -> list[list[float]]:
        """[launch][iteration] -> ns an operation; launches that gave nothing are left out."""
        launches = [[ns / operations for operations, ns in launch] for launch in self.launches]
        return [launch for launch in launches if launch]


@dataclass(frozen=True)
class Warning:
    """What BenchmarkDotNet's analysers say: kind is Error, Warning or Hint."""

    kind: str
    analyser: str
    message: str
    title: str


@dataclass(frozen=True)
class Report:
    """BenchmarkDotNet's report. own_jobs: the class says itself how it is to be run."""

    version: str
    header: str
    own_jobs: bool
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    groups: tuple[bool, ...]
    warnings: tuple[Warning, ...]
    found: tuple[Found, ...]
    artifacts: Path = field(default_factory=Path)


# ── Projects ─────────────────────────────────────────────────────────────────────────────────────


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
        "BenchbookHarness.cs": HARNESS.read_text(encoding="utf-8"),
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
    return Project(folder / f"{name}.csproj")


def central_packages() -> str:
    """The versions of the packages that Benchbook itself uses."""
    for root in (paths.root(), paths.PACKAGE.parent.parent):
        if (root / CENTRAL).is_file():
            return (root / CENTRAL).read_text(encoding="utf-8")
    raise MicroError(f"{CENTRAL} is missing", "it belongs in the folder of ./bench")


def stage_folder(
    project: Path, edits: Mapping[str, Path] = {}, without: Collection[str] = ()
) -> Project:
    """A project of a folder, with the files in `edits` (by name) instead of its own.

    What it refers to is copied, too. without: packages that can't be had here; for each of them
    the project finds the property Without… set, and leaves out what needs it.
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
    props = "".join(f"<Without{name}>true</Without{name}>" for name in sorted(without))
    return stage(files, referring(project, REFERENCES), central_packages(), props)


def sources(project: Path) -> list[Path]:
    """The .cs files in a project's folder."""
    found = sorted(project.parent.rglob("*.cs"))
    return [path for path in found if not runners.made(path, project.parent)]


def all_references(project: Path) -> list[Path]:
    """The projects that a project refers to, and those that they refer to."""
    found: dict[Path, None] = {}
    waiting = runners.references(project)
    while waiting:
        each = waiting.pop(0)
        if each not in found:
            found[each] = None
            waiting += runners.references(each)
    return list(found)


def referring(project: Path, folder: str) -> str:
    """The text of a .csproj whose references lie in `folder`, each in a folder by its name."""

    def moved(match: re.Match) -> str:
        path = Path(match[2].replace("\\", "/"))
        return f"{match[1]}{folder}/{path.parent.name}/{path.name}{match[3]}"

    text = project.read_text(encoding="utf-8")
    return re.sub(r'(<ProjectReference\s+Include=")([^"]+)(")', moved, text)


def build_cell(code: str, say: Say) -> Project:
    """A cell's class as a project, built. Raises MicroError with its errors, at the cell's lines.

    Of a package without a version the newest is taken that this .NET can use.
    """
    limits: dict[str, str] = {}
    while True:
        project = stage_cell(code, limits)
        try:
            build(project, say)
            return project
        except PackageTooNew as error:
            lower = {name.lower(): older_than(v) for name, v in error.packages.items()}
            named = {package.name.lower() for package in cell_packages(code) if not package.version}
            newly = {name: lower[name] for name in named & lower.keys()}
            if not newly.items() - limits.items():
                raise
            limits |= newly


def older_than(version: str) -> str:
    """The range in which an older version may ask for less: up to the major version before."""
    major = version.partition(".")[0]
    return f"[*,{version if major == '0' else f'{major}.0.0'})"


def cell_packages(code: str) -> list[Package]:
    """The packages that a cell names."""
    matches = filter(None, map(PACKAGE.match, code.splitlines()))
    return [Package(match[1], match[2] or "") for match in matches]


def stage_cell(code: str, limits: Mapping[str, str] = {}, first_line: int = 2) -> Project:
    """A project of a cell's class; errors are told at its lines (the magic is the first).

    limits: name of a package without a version, in lower case -> the range to take it from.
    """
    lines = ["" if PACKAGE.match(line) else line for line in code.splitlines()]
    packages = [
        replace(package, version=package.version or limits.get(package.name.lower(), ""))
        for package in cell_packages(code)
    ]
    source = "\n".join([f"#line {first_line}", *lines, ""])
    usings = "".join(f"global using {name};\n" for name in USINGS)
    central = central_packages()
    web = '\n    <FrameworkReference Include="Microsoft.AspNetCore.App" />'
    references = "".join(
        f"\n    {reference(package, central)}"
        for package in [Package("BenchmarkDotNet"), *packages]
    )
    project = f"""<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net{target()}</TargetFramework>
    <Nullable>annotations</Nullable>
    <AllowUnsafeBlocks>true</AllowUnsafeBlocks>
    <CentralPackageFloatingVersionsEnabled>true</CentralPackageFloatingVersionsEnabled>
    <SatelliteResourceLanguages>en</SatelliteResourceLanguages>
    <RollForward>Major</RollForward>
    <NuGetAudit>false</NuGetAudit>
  </PropertyGroup>
  <ItemGroup>{web if "Microsoft.AspNetCore" in code else ""}{references}
  </ItemGroup>
</Project>
"""
    return stage({CELL: source, "Usings.cs": usings}, project, central)


def target() -> str:
    """The version of .NET that projects are built for: that of the SDK."""
    return ".".join([(runners.dotnet_version() or "10.0").partition(".")[0], "0"])


def reference(package: Package, central: str) -> str:
    """A PackageReference: with its own version, or with the one that Benchbook uses."""
    known = f'Include="{package.name}"'.lower() in central.lower()
    version = package.version or ("" if known else "*")
    own = f" VersionOverride={quoteattr(version)}" if version else ""
    return f"<PackageReference Include={quoteattr(package.name)}{own} />"


def build(project: Project, say: Say) -> None:
    """Build a project in Release, unless that was done.

    Raises MicroError with its errors, PackageTooNew where packages need a newer .NET.
    """
    if reason := runners.Dotnet().missing():
        raise MicroError(reason)
    folder = runners.build_folder(project.path)
    if (folder / "built.txt").is_file():
        os.utime(folder)
        return
    forget_old()
    say("building the benchmarks")
    shutil.rmtree(folder, ignore_errors=True)
    command = ["dotnet", "build", str(project.path), "-c", "Release", "-o", str(folder / "out")]
    code, output = runners.run([*command, *runners.QUIET], project.path.parent)
    if code:
        reason = f"the benchmarks can't be built: {build_errors(output)}"
        if too_new := re.findall(r"NU1202: Package (\S+) (\S+) is not compatible", output):
            raise PackageTooNew(reason, dict(too_new))
        raise MicroError(reason)
    (folder / "built.txt").write_text("", encoding="utf-8")


def forget_old() -> None:
    """Remove builds that nobody used for an hour, but for the newest: each takes 70 MB and more."""
    builds = [(p.stat().st_mtime, p) for p in paths.builds().glob(f"{PREFIX}-*") if p.is_dir()]
    for used, folder in sorted(builds, reverse=True)[KEPT_BUILDS:]:
        if time.time() - used > 3600:
            shutil.rmtree(folder, ignore_errors=True)
            sources = folder.name.rpartition("-")[0]
            shutil.rmtree(paths.scratch() / sources, ignore_errors=True)


def build_errors(output: str) -> str:
    """The compiler's errors, each once, at the lines of the cell or the file."""
    found = {}
    for line in output.splitlines():
        match = re.search(r"([^/\\]+)\((\d+),(\d+)\): error (\w+): (.*?)(?: \[[^\]]*\])?$", line)
        if match:
            file, row, column, code, text = match.groups()
            place = "cell" if file == CELL else file
            found[f"{place}, line {row}, column {column}: {text} ({code})"] = None
    return "\n".join(["", *list(found)[:10]]) if found else runners.first_error(output)


def version(project: Project) -> str:
    """The version of BenchmarkDotNet that a project has, '' where it can't be told."""
    props = project.path.parent / CENTRAL
    match = re.search(rf'Include="{TOOL}"\s+Version="([^"]+)"', props.read_text(encoding="utf-8"))
    return match[1] if match else ""


# ── Running ──────────────────────────────────────────────────────────────────────────────────────


class Bench:
    """BenchmarkDotNet at work: iterate over events(), then read report().

    close() ends it and all its processes, however far it is.
    """

    def __init__(self, project: Project, wish: Wish, folder: Path, keeper: Keeper):
        self.folder, self.keeper = folder, keeper
        self.words: list[str] = []
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "wish.json").write_text(wish.to_json(folder), encoding="utf-8")
        self.process = keeper.start(
            ["dotnet", str(project.library), str(folder / "wish.json")],
            cwd=project.path.parent,  # where BenchmarkDotNet looks for the project
            env={
                **runners.building(),
                "UseSharedCompilation": "false",
                # BenchmarkDotNet's own job warms up as long as it takes, the quick one does not
                **({} if wish.full else runners.tiers()),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def lines(self) -> Iterator[str]:
        """What it prints, as it prints it."""
        with self.process.stdout as output:
            for line in output:
                text = line.decode("utf-8", "replace").rstrip()
                self.words = [*self.words[-199:], text]
                yield text

    def events(self) -> Iterator[Event]:
        """What happens, as it happens."""
        yield from read(self.lines())
        self.process.wait()

    def report(self) -> Report:
        """What BenchmarkDotNet reports at its end. Raises MicroError where it has nothing."""
        path = self.folder / "report.json"
        if not path.is_file():
            raise MicroError(f"BenchmarkDotNet failed:\n{self.last_words()}")
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["errors"]:
            raise MicroError("BenchmarkDotNet can't run this: " + "\n".join(document["errors"]))
        found = read_report(document, self.folder / "artifacts")
        if not any(each.launches and any(each.launches) for each in found.found):
            raise MicroError(f"no benchmark gave a result:\n{self.last_words()}")
        return found

    def last_words(self) -> str:
        return explain(self.words)

    def close(self) -> None:
        self.keeper.end(self.process)


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


def read(lines: Iterator[str]) -> Iterator[Event]:
    """The events in BenchmarkDotNet's log."""
    current: tuple[int, int] | None = None
    iterations: list[tuple[int, float]] = []
    allocated: float | None = None
    printed: list[str] = []

    def ended() -> Launched:
        words = "" if iterations else explain(printed)
        return Launched(*current, tuple(iterations), allocated, words)

    for line in lines:
        if line.startswith("// benchbook entries: "):
            listed = json.loads(line.partition(": ")[2])
            yield Entries(tuple(Entry(**each) for each in listed))
        elif match := BENCHMARK.match(line):
            if current:
                yield ended()
            launch = LAUNCH.fullmatch(match[2])
            current = (int(launch[1]), int(launch[2])) if launch else None
            iterations, allocated, printed = [], None, []
            title = match[1].partition(".")[2] + (f" [{match[3]}]" if match[3] else "")
            yield Began(title, *(current or ()))
        elif match := MEASURED.match(line):
            operations, nanoseconds = int(match[2]), float(match[3])
            if match[1] == "Actual":
                yield Iterated(nanoseconds, operations)
            else:
                iterations.append((operations, nanoseconds))
        elif match := COLLECTED.match(line):
            allocated = int(match[1]) / max(int(match[2]), 1)
        elif current and line.startswith("// Benchmark Process ") and line.endswith("code 0."):
            yield ended()
            current = None
        elif current and line.startswith("// ***** BenchmarkRunner: Finish"):
            yield ended()
            current = None
        printed = [*printed[-99:], line]
    if current:
        yield ended()


def read_report(document: dict[str, Any], artifacts: Path) -> Report:
    def entry(table: dict[str, Any]) -> Entry:
        baseline, copy = table.get("baseline", False), table.get("copy", False)
        return Entry(table["benchmark"], table["case"], baseline, copy)

    return Report(
        version=document["version"],
        header=document["header"],
        own_jobs=document["ownJobs"],
        columns=tuple(document["columns"]),
        rows=tuple(map(tuple, document["rows"])),
        groups=tuple(document["groups"]),
        warnings=tuple(
            Warning(w["kind"], w["analyser"], w["message"], entry(w).title)
            for w in document["warnings"]
        ),
        found=tuple(
            Found(
                entry(each),
                each["job"],
                each["success"],
                each["meanNanoseconds"],
                each["allocatedBytes"],
                tuple(tuple((int(n), ns) for n, ns in launch) for launch in each["launches"]),
            )
            for each in document["benchmarks"]
        ),
        artifacts=artifacts,
    )
