"""Builds of variants: with packages in other versions, and many programs at once."""

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from benchbook.model.variants import Variant
from benchbook.programs import dotnet_versions
from benchbook.system import paths
from benchbook_kernels.base import dotnet, kept_builds
from benchbook_kernels.base.builds import (
    ABOVE,
    BuildError,
    build_folder,
    dotnet_version,
    references,
    run_dotnet,
    there,
    there_now,
)
from benchbook_kernels.base.file_based import directives, is_on, nearest, stated


def versions(needs: Sequence[str]) -> tuple[str, ...]:
    """The properties of a build that needs packages in other versions than all else here does:
    nuget:MessagePack@3.1.12 is MessagePackVersion=3.1.12, which Directory.Packages.props reads."""
    named = [need.removeprefix("nuget:") for need in needs if need.startswith("nuget:")]
    return tuple(f"{plain_name(n)}Version={n.partition('@')[2]}" for n in named if "@" in n)


def chosen(variant: Variant) -> tuple[str, ...]:
    """The properties of the build of just this variant: versions of packages and of .NET."""
    given = *dotnet_versions.properties(variant.needs), *variant.properties
    if given and variant.path.suffix == ".csproj":  # whose own intermediate files are left alone
        digest = hashlib.sha256(" ".join([str(variant.path), *given]).encode()).hexdigest()[:16]
        given = *given, f"ArtifactsPath={paths.builds() / 'artifacts' / digest}"
    return *versions(variant.needs), *given


def without(needs: Iterable[str]) -> list[str]:
    """The properties of a build that leaves out packages which can't be had: nuget:MemoryPack is
    WithoutMemoryPack=true. A package in another version than usual is no reason for one."""
    named = {n.removeprefix("nuget:") for n in needs if n.startswith("nuget:") and "@" not in n}
    return [f"Without{name}=true" for name in sorted(map(plain_name, named))]


def props(properties: Iterable[str]) -> str:
    """Properties ("AOT=true") as the elements of a project's PropertyGroup."""
    pairs = [each.split("=", 1) for each in properties]
    return "".join(f"<{name}>{value}</{name}>" for name, value in pairs)


def plain_name(package: str) -> str:
    """The name of a package, without its version, as a property of MSBuild may have it."""
    return package.partition("@")[0].replace(".", "")


def build_together(programs: Mapping[Path, str], begin: Callable[[], None]) -> None:
    """Build the file-based apps that are not built yet with one MSBuild and one compiler process;
    `begin` is called where there are several. One after the other they take six times as long.

    programs: "build" or "publish", by path. One that is not built so, because it has an error or is
    no plain app, is left to `build`.
    """
    alike = {path: verb for path, verb in programs.items() if plain(path, verb)}
    folders = {path: build_folder(path, verb=verb) for path, verb in alike.items()}
    missing = {path: folder for path, folder in folders.items() if not there(folder)}
    if len(missing) < 2:
        return
    begin()
    with dotnet.one_build(paths.builds()), tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        missing = {path: folder for path, folder in missing.items() if not there_now(folder)}
        try:
            made = {write_project(p, programs[p], folder): p for p, folder in missing.items()}
            verbs = {project: programs[path] for project, path in made.items()}
            every = write(all_of(verbs), Path(scratch) / "every.proj")
            run_dotnet("build", every)
        except BuildError:
            pass  # it did not end in time: each is left to `build`
        finally:
            for folder in missing.values():
                built = there_now(folder)
                shutil.rmtree(folder / "project" if built else folder, ignore_errors=True)
                if built:
                    kept_builds.keep(folder)


def plain(path: Path, verb: str) -> bool:
    """Is it a file-based app whose project follows from its directives alone?"""
    if path.suffix != ".cs" or not path.is_file():
        return False
    if verb == "publish" and is_on(["true", *stated(path)][-1]):
        return False  # a native program is made for this system, which `dotnet publish` finds out
    kinds = [kind for kind, _ in directives(path)]
    if kinds.count("sdk") > 1 or not set(kinds) <= {"sdk", "property", "package", "project"}:
        return False
    return not any([*path.parent.glob("wwwroot"), *path.parent.glob("appsettings*.json")])


def write_project(path: Path, verb: str, folder: Path) -> Path:
    """Write the project that the SDK makes of a file-based app into folder/project.

    It builds into folder/out, and writes folder/built.txt in the end.
    https://github.com/dotnet/sdk/blob/main/documentation/general/dotnet-run-file.md
    """
    sdk = next((value for kind, value in directives(path) if kind == "sdk"), "Microsoft.NET.Sdk")
    imported = {"Sdk": sdk.replace("@", "/")}
    project = ElementTree.Element("Project")
    add_properties(project, found_above(path) | defaults())
    add(project, "Import", Project="Sdk.props", **imported)  # and Directory.Build.props
    place = "OutDir" if verb == "build" else "PublishDir"
    add_properties(project, properties(path) | {place: f"{folder / 'out'}/"})
    add_items(project, path)
    add(project, "Import", Project="Sdk.targets", **imported)
    built = add(project, "Target", Name="Built", AfterTargets=verb.title())
    add(built, "WriteLinesToFile", File=str(folder / "built.txt"))
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "project").mkdir(parents=True)
    return write(project, folder / "project" / f"{path.stem}.csproj")


def found_above(path: Path) -> dict[str, str]:
    """Where MSBuild finds the files of ABOVE, and NuGet its settings, as properties: the project
    lies elsewhere."""
    made = {"RestoreRootConfigDirectory": str(path.parent)}
    for name, key in ABOVE.items():
        found = nearest(path, name)
        made |= {f"{key}Path": str(found)} if found else {f"Import{key}": "false"}
    return made


def defaults() -> dict[str, str]:
    """What the SDK gives a file-based app where nobody says otherwise."""
    return {
        "OutputType": "Exe",
        "TargetFramework": f"net{dotnet_version().partition('.')[0]}.0",
        "ImplicitUsings": "enable",
        "Nullable": "enable",
        "PublishAot": "true",
    }


def properties(path: Path) -> dict[str, str]:
    """What makes a file-based app of a project, and the app's own properties."""
    made = {"Features": "$(Features);FileBasedProgram", "EnableDefaultItems": "false"}
    for kind, value in directives(path):
        if kind == "property":
            key, _, text = value.partition("=")
            made[key.strip()] = text.strip()
    return made


def add_items(project: ElementTree.Element, path: Path) -> None:
    """What a file-based app is made of: its file, packages, and projects."""
    items = add(project, "ItemGroup")
    add(items, "Compile", Include=str(path))
    for reference in references(path):
        add(items, "ProjectReference", Include=str(reference))
    for kind, value in directives(path):
        if kind == "package":
            name, _, version = value.partition("@")
            add(
                items, "PackageReference", Include=name, **({"Version": version} if version else {})
            )
    for name, told in {"FilePath": path, "FileDirectoryPath": path.parent}.items():
        option = {"Include": f"EntryPoint{name}", "Value": str(told)}
        add(items, "RuntimeHostConfigurationOption", **option)


def all_of(verbs: Mapping[Path, str]) -> ElementTree.Element:
    """An MSBuild project that restores, builds and publishes others, each by its verb.

    One that fails keeps no other from it.
    """
    project = ElementTree.Element("Project", DefaultTargets="Build")
    items = add(project, "ItemGroup")
    for path, verb in verbs.items():
        publishing = "true" if verb == "publish" else "false"
        add(items, "Each", Include=str(path), Verb=verb, Publishing=publishing)
    asked = "Configuration=Release;_IsPublishing=%(Each.Publishing)"
    task = {"Projects": "@(Each)", "Properties": asked, "ContinueOnError": "true"}
    for name, targets in {"Restore": "Restore", "Build": "%(Each.Verb)"}.items():
        add(add(project, "Target", Name=name), "MSBuild", Targets=targets, **task)
    return project


def add(parent: ElementTree.Element, name: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.SubElement(parent, name, attributes)


def add_properties(project: ElementTree.Element, values: Mapping[str, str]) -> None:
    group = add(project, "PropertyGroup")
    for name, value in values.items():
        add(group, name).text = value


def write(project: ElementTree.Element, path: Path) -> Path:
    ElementTree.indent(project)
    path.write_text(ElementTree.tostring(project, "unicode"), encoding="utf-8")
    return path
