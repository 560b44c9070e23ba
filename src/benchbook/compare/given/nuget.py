"""`--nuget MessagePack@2.5.307,3.1.12`: programs with several versions of NuGet packages.

Nothing is copied: the version is set by a file that MSBuild imports after a project's own lines
(https://learn.microsoft.com/visualstudio/msbuild/customize-your-build), so it replaces that in a
`#:package` line, in a .csproj, in what that refers to, or in a Directory.Packages.props.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import quoteattr

from benchbook.compare.given import typed
from benchbook.compare.given.choice import Axis, Choice
from benchbook.compare.given.runtimes import is_dotnet
from benchbook.compare.given.typed import Spec
from benchbook.model.variants import Variant
from benchbook.programs import nuget, runners
from benchbook.system import paths
from benchbook_kernels.base import builds
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.files import write_atomically

FLAG = "--nuget"
TARGETS = """<Project>
  <!-- Written by Benchbook: versions of packages that a build is given. -->
  <ItemGroup Condition="'$(ManagePackageVersionsCentrally)' != 'true'">
    {references}
  </ItemGroup>
  <ItemGroup Condition="'$(ManagePackageVersionsCentrally)' == 'true'">
    {versions}
  </ItemGroup>
</Project>
"""


def wanted(text: str) -> list[tuple[Spec, ...]]:
    """The packages of each choice, as typed. Raises InputError for one without a version."""
    found = typed.packages(text, FLAG)
    for each in [package for packages in found for package in packages]:
        if not each.name or not each.version[:1].isdigit():
            shown = each.version or each.name
            raise InputError(FLAG, "", f"'{shown}' is no version", "write NAME@1.2,1.3")
    return found


def axis(text: str) -> Axis:
    """Versions of packages; one alone is compared with what programs ask for. Raises InputError,
    and BenchError for a version that can't be had."""
    if missing := runners.Dotnet().missing():
        raise BenchError(missing)
    whole = [
        tuple(Spec(p.name, nuget.newest(p.name, p.version)) for p in each) for each in wanted(text)
    ]
    names = {package.name for packages in whole for package in packages}

    def refused(variant: Variant) -> str:
        if variant.words or not is_dotnet(variant):
            return "it is no .NET program"
        lacking = [name for name in sorted(names) if not refers(variant.path, name)]
        return f"it has no #:package or PackageReference {lacking[0]}" if lacking else ""

    unchanged = Choice("unchanged", "unchanged", lambda variant: variant)
    found = (*([unchanged] if len(whole) == 1 else []), *map(choice, whole))
    return Axis(FLAG, found, refused)


def refers(path: Path, package: str) -> bool:
    """Does a program, or what it refers to, ask for a package of just this name? Case does not
    count, as for NuGet."""
    name = re.escape(package)
    asking = re.compile(
        rf"""^\s*\#:package\s+{name}(?=[@\s]|$)
        | PackageReference\s[^>]*\b(?:Include|Update)\s*=\s*["']([^"']*;)?\s*{name}\s*["';]""",
        re.IGNORECASE | re.MULTILINE | re.VERBOSE,
    )
    return any(asking.search(text.read_text("utf-8", "replace")) for text in builds.sources(path))


def choice(packages: Sequence[Spec]) -> Choice:
    """These packages in these versions, which are whole."""
    label = " ".join(f"{each.name}@{each.version}" for each in packages)
    told = ", ".join(f"{each.name} {each.version}" for each in packages)
    given = properties(packages)

    def change(variant: Variant) -> Variant:
        return replace(variant, properties=(*variant.properties, *given))

    return Choice(label, told, change)


def properties(packages: Sequence[Spec]) -> tuple[str, ...]:
    """The property that has a build import the versions, from a file among the builds."""
    lines = {
        element: "\n    ".join(
            f"<{element} Update={quoteattr(p.name)} Version={quoteattr(f'[{p.version}]')} />"
            for p in packages
        )
        for element in ("PackageReference", "PackageVersion")
    }
    text = TARGETS.format(references=lines["PackageReference"], versions=lines["PackageVersion"])
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    path = paths.builds() / "given" / f"{name}.targets"
    if not path.is_file():
        write_atomically(path, text)
    return (f"CustomAfterMicrosoftCommonTargets={path}",)
