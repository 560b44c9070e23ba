"""The NuGet packages that this machine has, for Tab after `#r "nuget: `: nothing is asked online.

They are those of Directory.Packages.props and those of NuGet's own folder.
https://learn.microsoft.com/nuget/consume-packages/managing-the-global-packages-and-cache-folders
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from benchbook_kernels.base import paths

CENTRAL = "Directory.Packages.props"
PACKAGE = re.compile(r'<PackageVersion\s+Include="([^"]+)"\s+Version="([^"]+)"')
ID = re.compile(r"<id>\s*([^<]+?)\s*</id>")
REFERENCE = re.compile(r"""^[ \t]*#r[ \t]+["']nuget:[ \t]*([\w.\-]*)(?:,[ \t]*([\w.\-+]*))?$""")


def complete(line: str) -> tuple[list[str], str] | None:
    """What may stand at the end of a line, and what of it is written; None where it refers to no
    package."""
    match = REFERENCE.match(line)
    if match is None:
        return None
    name, version = match.groups()
    if version is None:
        return names(name), name
    return [each for each in versions(name) if each.startswith(version)], version


def names(beginning: str) -> list[str]:
    """The packages whose name begins so, whatever the case of its letters."""
    known = {name.lower(): name for name in central()}
    for folder in saved():
        if folder.name not in known and folder.name.startswith(beginning.lower()):
            known[folder.name] = written(folder)
    return sorted(name for key, name in known.items() if key.startswith(beginning.lower()))


def versions(name: str) -> list[str]:
    """The versions of a package, the one that everything here uses first, then the newest."""
    used = [version for each, version in central().items() if each.lower() == name.lower()]
    folder = cache() / name.lower()
    kept = [each.name for each in folder.iterdir() if each.is_dir()] if folder.is_dir() else []
    return list(dict.fromkeys([*used, *sorted(kept, key=parts, reverse=True)]))


def parts(version: str) -> list[tuple[int, str]]:
    """To sort versions: 10.0 is newer than 9.1."""
    return [(int(n or 0), text) for n, text in re.findall(r"(\d*)([^\d.]*)\.?", version)]


def central() -> dict[str, str]:
    try:
        text = paths.beside_bench(CENTRAL).read_text(encoding="utf-8")
    except OSError:
        return {}
    return dict(PACKAGE.findall(text))


def cache() -> Path:
    return Path(os.environ.get("NUGET_PACKAGES") or Path.home() / ".nuget" / "packages")


def saved() -> Iterator[Path]:
    """The folder of each package in NuGet's cache, whose name is in lower case."""
    if cache().is_dir():
        yield from (each for each in cache().iterdir() if each.is_dir() and each.name[0] != ".")


def written(folder: Path) -> str:
    """A package's name as its author writes it."""
    for description in sorted(folder.glob("*/*.nuspec")):
        if match := ID.search(description.read_text(encoding="utf-8", errors="replace")):
            return match[1]
    return folder.name
