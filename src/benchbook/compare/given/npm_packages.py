"""`--npm fastify@4..fastify@5`: programs with several versions of npm packages.

Each set of packages gets a copy of the project, without its node_modules, into which npm installs
what its package.json asks for, and these packages: so a program's `import` finds them as it would
at home, and everything else that it imports.
"""

import json
import os
import shutil
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchbook.compare.given import typed
from benchbook.compare.given.typed import Spec
from benchbook.programs import npm
from benchbook.programs.readiness import Say
from benchbook_kernels.base.errors import BenchError, InputError

FLAG = "--npm"
LEFT_OUT = {"node_modules", ".git", ".hg", ".svn", ".venv", "__pycache__", ".benchbook"}
MOST_FILES, MOST_BYTES = 20_000, 500_000_000  # of a project that is copied


@dataclass(frozen=True)
class Packages:
    """One choice. specs: as npm takes them; label: in names; told: in titles."""

    specs: tuple[str, ...]
    label: str
    told: str


def sets(text: str, folder: Path) -> list[Packages]:
    """What is typed, in whole versions. folder: from which paths are read; one choice alone is
    compared with the version that is installed there.

    Raises InputError, and BenchError for a version that npm does not have.
    """
    wanted = typed.packages(text, FLAG)
    if len(wanted) == 1:
        wanted = [as_installed(wanted[0], folder), *wanted]
    return [whole(each, folder) for each in wanted]


def as_installed(packages: Sequence[Spec], folder: Path) -> tuple[Spec, ...]:
    """The same packages in the versions that are installed. Raises InputError where one is not."""
    found = []
    for each in packages:
        places = (
            up / "node_modules" / each.name / "package.json" for up in (folder, *folder.parents)
        )
        there = next((path for path in places if each.name and path.is_file()), None)
        if not there:
            shown = each.name or each.version
            problem = f"gives one version of {shown}, and none is installed here to compare it with"
            raise InputError(
                FLAG, "", problem, f"give two: {each.name or 'NAME'}@1..{each.name or 'NAME'}@2"
            )
        found.append(Spec(each.name, described(there.read_text("utf-8", "replace"), there)[1]))
    return tuple(found)


def whole(packages: Sequence[Spec], folder: Path) -> Packages:
    named = [known(each, folder) for each in packages]
    specs, labels, told = zip(*named, strict=True)
    return Packages(specs, " ".join(labels), ", ".join(told))


def known(package: Spec, folder: Path) -> tuple[str, str, str]:
    """(spec, label, told) of a package. Raises InputError, BenchError."""
    if package.name and not set("/\\:") & set(package.version):
        version = npm.newest(package.name, package.version)
        label = f"{package.name}@{version}"
        return label, label, f"{package.name} {version}"
    path = folder / package.version.removeprefix("file:")
    if not path.exists():
        if package.version[0] in "./" or package.version.endswith(("tgz", ".tar.gz")):
            raise InputError(FLAG, "", f"there is no {package.version}")
        both = f"{package.name}@{package.version}" if package.name else package.version
        return both, both, both  # an address, which npm knows how to read
    name, version = described(packed(path), path)
    return str(path.resolve()), f"{name}@{version}", f"{name} {version}"


def packed(path: Path) -> str:
    """The package.json of a package that is a file or a folder. Raises InputError."""
    try:
        if path.is_dir():
            return (path / "package.json").read_text("utf-8", "replace")
        with tarfile.open(path) as files:
            inside = (
                m for m in files if m.name.count("/") == 1 and m.name.endswith("/package.json")
            )
            file = next((files.extractfile(member) for member in inside), None)
            return file.read().decode("utf-8", "replace") if file else ""
    except (OSError, tarfile.TarError):
        raise InputError(FLAG, "", f"{path} is no package of npm's", "npm pack makes one") from None


def described(text: str, path: Path) -> tuple[str, str]:
    """Name and version, from a package.json. Raises InputError."""
    try:
        told = json.loads(text)
        return str(told["name"]), str(told["version"])
    except (ValueError, KeyError, TypeError):
        raise InputError(str(path), "", "has no package.json with a name and a version") from None


# ── Copies of a project ──────────────────────────────────────────────────────────────────────────


def project_of(folder: Path) -> Path:
    """The project that a folder is in: the nearest folder with a package.json, else itself."""
    ups = (folder, *folder.parents)
    return next((up for up in ups if (up / "package.json").is_file()), folder)


def copy(project: Path, target: Path) -> None:
    """Copy a project, but for what was installed in it. Raises InputError where it is too large to
    be one, OSError."""
    found = list(files_of(project))
    size = sum(path.stat().st_size for path in found if path.exists())
    if len(found) > MOST_FILES or size > MOST_BYTES:
        problem = f"{project} is copied for each version, but has {size / 1e6:,.0f} MB"
        remedy = "give the program a folder of its own, with a package.json"
        raise InputError(FLAG, "", f"{problem} in {len(found):,} files or more", remedy)
    target.mkdir(parents=True)
    for path in found:
        there = target / path.relative_to(project)
        there.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() and (path.is_dir() or not path.exists()):
            there.symlink_to(os.path.realpath(path))
        elif path.is_file():
            shutil.copy2(path, there)


def files_of(project: Path) -> Iterator[Path]:
    """The files of a project, and its links to folders, up to one more than it may have."""
    count = 0
    for folder, names, files in os.walk(project):
        links = [name for name in names if Path(folder, name).is_symlink()]
        names[:] = [name for name in names if name not in LEFT_OUT and name not in links]
        for name in [*files, *(each for each in links if each not in LEFT_OUT)]:
            yield Path(folder, name)
            count += 1
            if count > MOST_FILES:
                return


def install(packages: Packages, project: Path, say: Say) -> None:
    """Have npm install packages into the copy of a project. Raises BenchError."""
    say(f"installing {packages.told} with npm")
    npm.install(packages.specs, project)
    for spec in packages.specs:
        name = typed.package(spec).name
        if name and not (project / "node_modules" / name).is_dir():
            raise BenchError(f"npm says that it installed {spec}, but it is not there")
