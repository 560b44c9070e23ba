"""Mono, which brings .NET Framework's System.Web, MVC and Web API to Linux and macOS.

A program for it, NAME.mono.cs, begins with the command that compiles it: `// mcs -r:… FILES`. It is
built into a folder bin/, where System.Web looks for the assemblies of a site.
https://www.mono-project.com
"""

import re
import shlex
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

from benchbook.setup.tools import remedies
from benchbook.system import paths, versions
from benchbook_kernels.base import builds

# What Mono's own web.config has every site load, and Debian's System.Web does not bring along.
EVERY_SITE = (
    "System.Data.DataSetExtensions",
    "System.ServiceModel.Web",
    "System.Web.DynamicData",
    "System.Xaml",
)


def missing() -> str:
    """Why nothing runs on Mono here, with the remedy; '' where it does."""
    if shutil.which("mono") and shutil.which("mcs"):
        return ""
    return f"Mono (mono, mcs) is not installed; get it with: {remedies.remedy('mono')}"


def lacks(assembly: str) -> str:
    """Why an assembly of Mono's, or with System.Web what every site loads, is not there, with the
    remedy; '' where all is."""
    if reason := missing():
        return reason
    known = Path(shutil.which("mono") or "").resolve().parents[1] / "lib" / "mono" / "gac"
    for name in (assembly, *(EVERY_SITE if assembly.startswith("System.Web") else ())):
        if not any((known / name).glob("*/*.dll")):
            return f"Mono here has no {name}; get it with: {remedies.remedy('mono')}"
    return ""


def arguments(path: Path) -> list[str]:
    """What `mcs` is given to compile a program, by the program's first line."""
    first, _, _ = path.read_text("utf-8", "replace").partition("\n")
    match = re.match(r"// mcs (\S.*)", first)
    if not match:
        problem = f"{path.name} does not begin with the command that compiles it"
        raise builds.BuildError(problem, f"as // mcs -r:System.Web.dll {path.name}")
    return shlex.split(match[1])


def build_folder(path: Path) -> Path:
    """Where the build of a program goes: a folder for each state of its files."""
    names = [each for each in arguments(path) if each.endswith(".cs")]
    files = [path, *(path.parent / name for name in names if path.parent / name != path)]
    return builds.folder_for(path, version(), [file for file in files if file.is_file()])


def program(path: Path, folder: Path) -> Path:
    """The program in a folder. A site's assemblies are libraries, by their names."""
    return folder / "bin" / f"{path.name.removesuffix('.mono.cs')}.dll"


def build(path: Path, begin: Callable[[], None]) -> None:
    """Compile a program, as builds.build_once."""
    folder = build_folder(path)

    def make() -> tuple[int, str]:
        out = program(path, folder / "out")
        out.parent.mkdir(parents=True)
        options = ["-optimize+", f"-out:{out}", *arguments(path)]
        return builds.run(["mcs", *options], path.parent)

    builds.build_once(folder, make, by_hand(path), begin)


def by_hand(path: Path) -> str:
    """The commands that compile a program."""
    out = program(path, Path())
    compiled = shlex.join(["mcs", f"-out:{out}", *arguments(path)])
    return f"cd {paths.relative(path.parent)}/ && mkdir -p bin && {compiled}"


@cache
def version() -> str:
    """The version of Mono, '' where there is none."""
    return versions.tool_version("mono") or ""
