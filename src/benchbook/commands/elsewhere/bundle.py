"""`./bench bundle DIR`: everything that set-up fetches, in a folder, for machines without network.

A bundle is for one platform and one state of the lock files: npm's cache, the NuGet packages of
the notebooks' C# session and of every experiment, and wheels (pip route) or Debian packages with
all that they depend on. `./bench setup --from DIR` uses it (setup/bundle.py). The .NET SDK is not
in it, nor is Node.js, except where apt has it: bring their installers along with the stick.
"""

import json
import os
import re
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import gmtime, strftime
from urllib.parse import urlsplit
from xml.etree import ElementTree

import click

from benchbook.model import experiments
from benchbook.programs import app_builds
from benchbook.setup import installation, record
from benchbook.setup.bundle import (
    DEBS,
    FORMAT,
    MANIFEST,
    NPM,
    NUGET,
    PARTIAL,
    QUIET_DOTNET,
    WHEELS,
    sha256,
    this_platform,
)
from benchbook.setup.routes import pythons
from benchbook.setup.routes.apt import apt_sections, has_apt
from benchbook.setup.routes.pip import FROM_SYSTEM, bundled_pip, choose_pip_python, pip_environment
from benchbook.setup.steps import Setup, SetupError, SetupOptions
from benchbook.setup.tools import node
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.file_based import directives
from benchbook_kernels.base.platforms import major
from benchbook_kernels.base.running import output_of, run
from benchbook_kernels.commands.options import NamedPlace
from benchbook_kernels.install.remedies import MINIMUM_NODE
from benchbook_kernels.notebook.sessions import csharp

KINDS = (NPM, NUGET, WHEELS, DEBS)
LISTED = (MANIFEST, PARTIAL, *KINDS)


@dataclass
class Making:
    """A bundle under way.

    lacking: what could not be had, with the reason; nuget: name and version of each package, by
    file; registry: the address that npm's cache is by; python: the version that wheels are for.
    """

    setup: Setup
    folder: Path
    route: str
    scratch: Path
    with_browser: bool = False
    lacking: list[str] = field(default_factory=list)
    nuget: dict[str, list[str]] = field(default_factory=dict)
    registry: str = ""
    python: str = ""


def make(
    folder: Path, route: str = "", with_browser: bool = False, verbose: bool = False
) -> Making:
    """Make the bundle, in place of an older one; a stopped one is made anew by the next call.

    Raises InputError for a folder that holds other things, SetupError where a step fails.
    """
    paths.need_checkout()
    check_folder(folder)
    taken = route or record.route_taken(paths.root())[0]
    if taken not in ("pip", "debian"):
        problem = f"route '{taken}' can't be bundled" if taken else "nothing is set up yet"
        remedy = "give --route pip (any system) or --route debian; conda has conda-pack for this"
        raise InputError("--route", "", problem, remedy)
    setup = Setup(paths.root(), SetupOptions(verbose=verbose))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PARTIAL).write_text("./bench bundle writes here\n", encoding="utf-8")
    for name in (MANIFEST, *KINDS):
        remove(folder / name)
    with (
        installation.locked(setup),
        tempfile.TemporaryDirectory(dir=setup.state, prefix="bundle-") as scratch,
    ):
        making = Making(setup, folder.absolute(), taken, Path(scratch), with_browser)
        bundle_npm(making)
        bundle_nuget(making)
        if taken == "pip":
            bundle_wheels(making)
        if has_apt():
            bundle_debs(making)
        write_manifest(making)
    (folder / PARTIAL).unlink()
    return making


def check_folder(folder: Path) -> None:
    """Raises InputError where the folder is in the way."""
    if folder.exists() and not folder.is_dir():
        raise InputError(folder, "", "is not a folder", "name a new folder, or one on the stick")
    there = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    ours = {MANIFEST, PARTIAL} & there
    other = sorted(name for name in there - set(LISTED) if not name.startswith("."))
    if other or (there - {name for name in there if name.startswith(".")} and not ours):
        shown = ", ".join(other[:3]) or "files"
        raise InputError(
            folder, "", f"contains {shown}, which a bundle does not have", "name a new folder"
        )


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def bundle_npm(making: Making) -> None:
    """A cache of npm with all that package-lock.json names for this platform, in one file."""
    root, work = making.setup.root, making.scratch / "npm"
    npm = shutil.which("npm") or "npm"  # on Windows a .cmd, which is found by its whole name only
    work.mkdir()
    for name in ("package.json", "package-lock.json"):
        shutil.copy2(root / name, work)
    registry = output_of([npm, "config", "get", "registry"])
    if not registry:
        raise BenchError("npm does not say where it gets packages from", "npm config get registry")
    parts = urlsplit(registry.splitlines()[-1])
    making.registry = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
    with making.setup.step("npm packages"):
        command = [npm, "ci", "--include=dev", "--ignore-scripts", *quiet]
        making.setup.run(
            [*command, "--cache", making.scratch / "npm-cache"],
            cwd=work,
            remedy="is the network there? npm config list shows npm's settings",
        )
        with tarfile.open(making.folder / NPM, "w") as packed:
            packed.add(making.scratch / "npm-cache" / "_cacache", "_cacache")


def bundle_nuget(making: Making) -> None:
    """The packages that the C# session and every experiment's programs are restored with."""
    dotnet = shutil.which("dotnet")
    if not dotnet:
        making.lacking.append("NuGet packages: there is no .NET SDK here that could fetch them")
        return
    store = making.scratch / "nuget"
    env = {**os.environ, **QUIET_DOTNET, "NUGET_PACKAGES": str(store)}
    with making.setup.step("NuGet packages (a minute or two)"):
        for source, publishes, versions in restorable(making.setup.root):
            command: list[str | Path] = [dotnet, "restore", source, "--disable-build-servers"]
            command += ["-p:NuGetAudit=false"]
            command += ["-p:_IsPublishing=true"] if publishes else []  # what only publishing needs
            command += [f"-p:{each}" for each in versions]
            try:
                making.setup.run(command, env=env, cwd=source.parent, timeout=600)
            except SetupError as error:
                found = re.search(r"error (NU\d+.*?)(?: \[|$)", str(error), re.MULTILINE)
                reason = found[1] if found else str(error).splitlines()[0]
                name = source.relative_to(making.setup.root)
                making.lacking.append(f"NuGet packages of {name}: {reason}")
    target = making.folder / NUGET
    target.mkdir()
    for package in sorted(store.glob("*/*/*.nupkg")):
        shutil.copyfile(package, target / package.name)
        making.nuget[package.name] = list(identity(package))


def restorable(root: Path) -> Iterator[tuple[Path, bool, tuple[str, ...]]]:
    """Each project, and a file-based app for each different set of #: lines; is it published? Last
    the apps with packages in other versions than usual, as properties."""
    yield csharp.PROJECT, False, ()
    yield csharp.PROJECT, False, csharp.AHEAD
    every = experiments.load_all()
    variants = [variant for each in every for variant in each.variants]
    published = {variant.path for variant in variants if variant.publish}
    published |= {project for each in every for project in each.kind.published}
    seen = set()
    for path in sorted((root / "snippets").rglob("*.cs*")):
        if {"bin", "obj", "node_modules"} & set(path.relative_to(root).parts):
            continue
        if path.suffix == ".csproj":
            yield path, path.resolve() in published, ()
        elif path.suffix == ".cs":
            text = path.read_text(encoding="utf-8")
            lines = frozenset(re.findall(r"(?m)^#:(?:sdk|package|property|project) .*", text))
            key = (lines, path.resolve() in published)
            if lines and key not in seen:
                seen.add(key)
                yield path, key[1], ()
    chosen = {(v.path, v.publish, app_builds.chosen(v)) for v in variants}
    yield from sorted(each for each in chosen if each[2] and directives(each[0]))


def identity(package: Path) -> tuple[str, str]:
    """Name and version of a NuGet package, from the .nuspec in it."""
    with zipfile.ZipFile(package) as packed:
        name = next(n for n in packed.namelist() if n.endswith(".nuspec") and "/" not in n)
        root = ElementTree.fromstring(packed.read(name))
    return first_text(root, "id"), first_text(root, "version")


def first_text(root: ElementTree.Element, name: str) -> str:
    """The text of metadata's own element (dependencies have elements of such names, too)."""
    for element in root.iter():
        if element.tag.rpartition("}")[2] == "metadata":
            for child in element:
                if child.tag.rpartition("}")[2] == name:
                    return (child.text or "").strip()
    return ""


def bundle_wheels(making: Making) -> None:
    """Wheels of requirements.txt, with what they depend on, for the Python of the pip route."""
    setup = making.setup
    try:
        choice = choose_pip_python(setup, True)
    except SetupError as error:
        raise SetupError(f"there are no wheels to bundle: {error}", error.remedy) from None
    names = (setup.root / "requirements.txt").read_text(encoding="utf-8").splitlines()
    wanted = [line.split("#")[0].strip() for line in names if line.split("#")[0].strip()]
    if choice.system_packages:
        pattern = re.compile(rf"({'|'.join(FROM_SYSTEM)})\b")
        wanted = [line for line in wanted if not pattern.match(line)]
        making.lacking.append(
            f"wheels of {' and '.join(FROM_SYSTEM)}: pip finds none here; on Debian "
            "and Ubuntu they come from the system's packages, which are in the bundle"
        )
    if not pythons.modules_missing(choice.python, ["pip"]):
        pip: list[str | Path] = [choice.python, "-m", "pip"]
    else:
        pip = [choice.python, bundled_pip(choice.python) or "pip"]
    making.python = pythons.version_of(choice.python)
    requirements = making.scratch / "requirements.txt"
    requirements.write_text("\n".join(wanted) + "\n", encoding="utf-8")
    target = making.folder / WHEELS
    target.mkdir()
    with setup.step(f"wheels for {choice.python}"):
        command = [*pip, "download", "--only-binary", ":all:", "--dest", target]
        setup.run(
            [*command, "--requirement", requirements],
            env=pip_environment(),
            cwd=making.scratch,
            remedy="check the network and PIP_FIND_LINKS",
        )


def bundle_debs(making: Making) -> None:
    """Debian packages and all that they depend on, as if nothing were installed, with an index."""
    sections = apt_sections(making.setup.root)
    wanted = sections["tools"] + (sections["browser"] if making.with_browser else [])
    required = sections["python"] if making.route == "debian" else sections["pip"]
    if making.route == "pip":
        required = [*required, "python3-venv"]
    target = making.folder / DEBS
    target.mkdir()
    with making.setup.step("Debian packages"):
        if not download_debs(making, target, [*required, *wanted]):
            for package in wanted:
                if not download_debs(making, target, [package]):
                    making.lacking.append(f"Debian package {package}: apt can't download it")
            if not download_debs(making, target, required):
                raise SetupError(
                    f"apt can't download {' '.join(required)} with what they need",
                    "sudo apt-get update, then again; the end of .benchbook/setup.log says why",
                )
        if not bundle_node(making, target):
            making.lacking.append(
                f"Node.js {MINIMUM_NODE} or newer: apt has none that can be downloaded; bring an "
                "installer from nodejs.org"
            )
        (target / "Packages").write_text(index(target), encoding="utf-8")


def bundle_node(making: Making, target: Path) -> bool:
    """Node.js, where apt has a version that is new enough (Debian 12's own is not)."""
    status = making.scratch / "status"
    told = output_of(["apt-cache", "-o", f"Dir::State::status={status}", "policy", "nodejs"]) or ""
    found = re.search(r"Candidate: (?:\d+:)?(\S+)", told)
    if not found or major(found[1]) < MINIMUM_NODE:
        return False
    brings_npm = "nodesource" in found[1]
    return download_debs(making, target, ["nodejs"] if brings_npm else ["nodejs", "npm"])


def download_debs(making: Making, target: Path, packages: list[str]) -> bool:
    """apt-get with an empty status file, so that it takes dependencies that are installed here."""
    status = making.scratch / "status"
    status.touch()
    archives = making.scratch / "archives"
    (archives / "partial").mkdir(parents=True, exist_ok=True)
    settings = {
        "Dir::State::status": status,
        "Dir::Cache::archives": f"{archives}/",
        "Dir::Cache::pkgcache": "",
        "Dir::Cache::srcpkgcache": "",
        "Debug::NoLocking": "true",
        "APT::Sandbox::User": "root",
    }
    command = ["apt-get", "-q", "-y", "--download-only", "--no-install-recommends"]
    for name, value in settings.items():
        command += ["-o", f"{name}={value}"]
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    if making.setup.run([*command, "install", *packages], env=env, check=False):
        return False
    for package in archives.glob("*.deb"):
        if not (target / package.name).exists():
            shutil.copyfile(package, target / package.name)
    return True


def index(folder: Path) -> str:
    """The Packages file that makes a folder of .debs a source of apt (deb822, sources.list(5))."""
    paragraphs = []
    for package in sorted(folder.glob("*.deb")):
        done = run(["dpkg-deb", "--field", package], timeout=20)
        done.check_returncode()
        told = done.stdout.rstrip("\n")
        more = f"Filename: ./{package.name}\nSize: {package.stat().st_size}\n"
        paragraphs.append(f"{told}\n{more}SHA256: {sha256(package)}\n")
    return "\n".join(paragraphs)


def write_manifest(making: Making) -> None:
    folder = making.folder
    with making.setup.step("SHA-256 of every file"):
        found = [p for kind in KINDS for p in [folder / kind, *(folder / kind).glob("*")]]
        files = {p.relative_to(folder).as_posix(): sha256(p) for p in found if p.is_file()}
    document = {
        "format": FORMAT,
        "made": strftime("%Y-%m-%dT%H:%M:%SZ", gmtime()),
        "platform": {**this_platform(), "python": making.python},
        "route": making.route,
        "lock": node.lock_digest(making.setup.root),
        "npm_registry": making.registry,
        "lacking": making.lacking,
        "nuget": making.nuget,
        "files": dict(sorted(files.items())),
    }
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")


@click.command("bundle")
@click.argument("folder", metavar="DIR", type=NamedPlace("folder"))
@click.option("--route", type=click.Choice(["pip", "debian"]), help="Default: the one taken here.")
@click.option("--with-browser", is_flag=True, help="Chromium too (Debian, Ubuntu), for pictures.")
@click.option("--verbose", "-v", is_flag=True, help="Show what the tools print.")
def command(folder: Path, route: str | None, with_browser: bool, verbose: bool) -> None:
    """Put all that set-up fetches into one folder.

    From it `./bench setup --from DIR` needs no network: a USB stick will do.
    """
    try:
        made = make(folder, route or "", with_browser, verbose)
    except SetupError as error:
        raise BenchError(str(error), error.remedy) from None
    for lack in made.lacking:
        click.echo(f"not in it: {lack}")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    click.echo(f"{folder}: {size / 2**20:,.0f} MiB for {describe()}; use it with")
    click.echo(f"  ./bench setup --from {folder}")


def describe() -> str:
    here = this_platform()
    return f"{here['distribution'] or here['system']} on {here['machine']}"
