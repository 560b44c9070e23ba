"""C# files of the reader's own, each built into a program, with what finds and times its methods.

A file is compiled where it lies, as the file-based app that it may be: its `#:` lines are read. So
it has the switches of native AOT (docs/csharp-cells.md) unless it says otherwise, or has USUAL.
What is added is an entry point, where it has none, and the attributes of BenchmarkDotNet, where it
needs no more of that than these. Methods.cs is an assembly of its own, which the runtime loads
first.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from benchbook.model.variants import Variant
from benchbook.programs import app_builds, dotnet_versions, runners
from benchbook.programs.app_builds import add, add_properties
from benchbook.programs.readiness import Say
from benchbook.race.kinds.functions import dotnet_project
from benchbook.system import paths
from benchbook_kernels.base import builds, dotnet, file_based, kept_builds
from benchbook_kernels.base.errors import BenchError

FOLDER = paths.PACKAGE / "race" / "kinds" / "functions"
METHODS = FOLDER / "files" / "Methods.cs"
HARNESS = (METHODS, FOLDER / "Slices.cs", FOLDER / "Unfinished.cs")
# As traces name them, whichever clone they were built in
OURS = [os.path.join("", *path.parts[-3:]) for path in HARNESS]
ATTRIBUTES, ENTRY = FOLDER / "files" / "Attributes.cs", FOLDER / "files" / "Entry.cs"
PACKAGE = "BenchmarkDotNet"
MORE_OF_IT = re.compile(rf"\b{PACKAGE}\.(?!Attributes\b)\w")  # than its attributes
MAIN = re.compile(r"\bstatic\s+(?:async\s+)?(?:void|int|Task(?:\s*<\s*int\s*>)?)\s+Main\s*\(")
SCRIPT_PACKAGE = re.compile(r'(?m)^#r\s+"nuget:\s*([\w.-]+)(?:\s*,\s*([^"]+?))?\s*"\s*$')
ERROR = re.compile(
    r"^\s*(?P<file>.+?)\((?P<row>\d+),(?P<column>\d+)\): error (?P<code>\w+): (?P<text>.*?)"
    r"(?: \[[^\]]*\])?$"
)
MOST_ERRORS = 10
SDK = "Microsoft.NET.Sdk"
USUAL = ("PublishAot=false",)  # of a build: the .NET of projects, whatever the file says


@dataclass(frozen=True)
class MethodsFile:
    """A C# file with methods that are timed; needs: as a variant has them, of which the packages
    count here (nuget:NAME@VERSION); given: properties of its build ("Name=value")."""

    path: Path
    needs: tuple[str, ...] = ()
    given: tuple[str, ...] = ()

    @classmethod
    def of(cls, variant: Variant) -> "MethodsFile":
        """The file of a variant, with what its build is given."""
        given = *dotnet_versions.properties(variant.needs), *variant.properties
        return cls(variant.path, variant.needs, given)

    @property
    def properties(self) -> dict[str, str]:
        """Of its build: its own, and what it is given."""
        pairs = (each.split("=", 1) for each in self.given)
        return app_builds.properties(self.path) | {name: value for name, value in pairs}

    @property
    def folder(self) -> Path:
        """Where its build goes: a folder for each state of the code."""
        said = [builds.dotnet_version(), *self.needs, *self.given]
        files = [*builds.sources(self.path), ATTRIBUTES, ENTRY]
        return builds.folder_for(self.path, " ".join(said), files)

    @property
    def library(self) -> Path:
        return self.folder / "out" / f"{self.path.stem}.dll"

    @property
    def harness(self) -> Path:
        """What is loaded before it, of the same .NET."""
        return harness_folder(self.framework) / "out" / f"{METHODS.stem}.dll"

    @property
    def framework(self) -> str:
        return self.properties.get("TargetFramework") or usual_framework()

    @property
    def sdk(self) -> str:
        named = [value for kind, value in file_based.directives(self.path) if kind == "sdk"]
        return named[0].replace("@", "/") if named else SDK

    @property
    def central(self) -> bool:
        """Are the versions of packages in a file above it?"""
        return file_based.nearest(self.path, "Directory.Packages.props") is not None

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def packages(self) -> dict[str, str]:
        """The packages that it names, with their versions ('' for any); those of its needs win."""
        found = {}
        for kind, value in file_based.directives(self.path):
            if kind == "package":
                name, _, version = value.partition("@")
                found[name] = version
        found.update(SCRIPT_PACKAGE.findall(self.text))
        for need in self.needs:
            name, _, version = need.removeprefix("nuget:").partition("@")
            if need.startswith("nuget:") and version:
                found = {n: v for n, v in found.items() if n.lower() != name.lower()}
                found[name] = version
        return found


def usual_framework() -> str:
    return app_builds.defaults()["TargetFramework"]


def harness_folder(framework: str) -> Path:
    return builds.folder_for(METHODS, f"{builds.dotnet_version()} {framework}", HARNESS)


def build(files: Sequence[MethodsFile], say: Say) -> None:
    """Build files and the harness, with one MSBuild and one compiler process, unless that was done.

    Raises BenchError with the compiler's errors at the lines of the files.
    """
    if reason := runners.Dotnet().missing():
        raise BenchError(reason)
    if all([builds.there(folder) for folder in missing(files)]):
        return
    say("building the methods")
    with dotnet.one_build(paths.builds()), tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        wanted = missing(files)
        made = [write(folder, file) for folder, file in wanted.items()]
        task = app_builds.all_of({project: "build" for project in made})
        _, output = builds.run_dotnet("build", app_builds.write(task, Path(scratch) / "every.proj"))
        for folder in filter(builds.there_now, wanted):
            shutil.rmtree(folder / "project", ignore_errors=True)
            kept_builds.keep(folder)
    if missing(files):
        raise BenchError(f"the methods can't be built: {errors(output)}")


def missing(files: Sequence[MethodsFile]) -> dict[Path, MethodsFile | str]:
    """What is not built: files, and the framework of a harness, by the folders where they go."""
    wanted: dict[Path, MethodsFile | str] = {file.folder: file for file in files}
    wanted |= {harness_folder(file.framework): file.framework for file in files}
    return {folder: what for folder, what in wanted.items() if not builds.there_now(folder)}


def write(folder: Path, what: MethodsFile | str) -> Path:
    """Write a project into folder/project that builds into folder/out."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "project").mkdir(parents=True)
    project = ElementTree.Element("Project")
    if isinstance(what, str):
        name, sdk = METHODS.stem, SDK
        nobody = {f"Import{key}": "false" for key in builds.ABOVE.values()}
        before = nobody | app_builds.defaults() | {"OutputType": "Library", "PublishAot": "false"}
        after = {"TargetFramework": what, "EnableDefaultItems": "false", "LangVersion": "latest"}
    else:
        name, sdk = what.path.stem, what.sdk
        before = app_builds.found_above(what.path) | app_builds.defaults()
        after = what.properties
    add_properties(project, before)
    add(project, "Import", Project="Sdk.props", Sdk=sdk)
    out = {"OutDir": f"{folder / 'out'}/", "StartupHookSupport": "true"}
    add_properties(project, after | out)
    items = add(project, "ItemGroup")
    if isinstance(what, str):
        for path in HARNESS:
            add(items, "Compile", Include=str(path))
    else:
        add_sources(items, what, folder / "project")
    add(project, "Import", Project="Sdk.targets", Sdk=sdk)
    built = add(project, "Target", Name="Built", AfterTargets="Build")
    add(built, "WriteLinesToFile", File=str(folder / "built.txt"))
    return app_builds.write(project, folder / "project" / f"{name}.csproj")


def add_sources(items: ElementTree.Element, file: MethodsFile, folder: Path) -> None:
    """What a file is compiled with. A script's `#r` lines are left out, in a copy in this folder
    whose lines are those of the file."""
    source, text = file.path, file.text
    if SCRIPT_PACKAGE.search(text):
        source = folder / file.path.name
        kept = re.sub(r"(?m)^#[:r!].*$", "", text)
        source.write_text(f'#line 1 "{file.path}"\n{kept}', encoding="utf-8")
    packages = file.packages
    own = {name for name in packages if name.lower() == PACKAGE.lower()}
    if not MORE_OF_IT.search(text):
        packages = {name: v for name, v in packages.items() if name not in own}
        own = set()
    extra = [*([] if own else [ATTRIBUTES]), *([] if MAIN.search(text) else [ENTRY])]
    for path in (source, *extra):
        add(items, "Compile", Include=str(path))
    for reference in builds.references(file.path):
        add(items, "ProjectReference", Include=str(reference))
    for name, version in packages.items():
        given = {"VersionOverride" if file.central else "Version": version} if version else {}
        add(items, "PackageReference", Include=name, **given)


def errors(output: str) -> str:
    """The compiler's errors, each once, with the lines of the files; else the first of another."""
    found: dict[str, None] = {}
    for line in output.splitlines():
        if match := ERROR.match(line):
            path, row, column = Path(match["file"]), int(match["row"]), int(match["column"])
            place = f"{paths.near(path)}, line {row}, column {column}"
            shown = dotnet_project.pointed_at(path, row, column)
            found[f"{place}: {match['text']} ({match['code']}){shown}"] = None
    return "\n".join(["", *list(found)[:MOST_ERRORS]]) if found else builds.first_error(output)
