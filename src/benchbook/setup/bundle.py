"""Set-up from a bundle: a folder or USB stick that `./bench bundle` made, with no network at all.

A bundle holds packages for one platform in folders by kind, and manifest.json with the SHA-256 of
every file. All of it is checked before any of it is used. Standard library only.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import shutil
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

from benchbook.setup.routes import pythons
from benchbook.setup.steps import Setup, SetupError
from benchbook_kernels.base import dotnet

FORMAT = "benchbook-bundle/1"
MANIFEST = "manifest.json"
PARTIAL = "unfinished-bundle"  # there while a bundle is being made
NPM, NUGET, WHEELS, DEBS = "npm.tar", "nuget", "wheels", "debs"
MAKE_IT = "make it again where there is a network: ./bench bundle DIR"
QUIET_DOTNET = {
    **dotnet.QUIET,
    "NUGET_CERT_REVOCATION_MODE": "offline",
}  # signatures, asking nobody


@dataclass(frozen=True)
class Bundle:
    """A bundle whose every file has been checked."""

    folder: Path
    manifest: dict[str, Any]

    @property
    def route(self) -> str:
        return str(self.manifest["route"])

    def has(self, kind: str) -> bool:
        return any(name.split("/")[0] == kind for name in self.manifest["files"])


def this_platform() -> dict[str, str]:
    """What packages depend on: system, processor, distribution ('' where there is none)."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    distribution = f"{release.get('ID', '')} {release.get('VERSION_ID', '')}".strip()
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "distribution": distribution,
    }


def open_bundle(folder: Path, lock: str) -> Bundle:
    """Read and check a bundle; `lock` is the digest of this checkout's package-lock.json.

    Raises SetupError for a folder that is not a bundle, is damaged, or is for another platform.
    """
    manifest = read_manifest(folder)
    where = folder / MANIFEST
    made_for, here = manifest["platform"], this_platform()
    for name in ("system", "machine"):
        if made_for[name] != here[name]:
            raise SetupError(
                f"{where}: platform.{name}: the bundle is for {made_for[name]}, this is "
                f"{here[name]}",
                "make one on a machine like this: ./bench bundle DIR",
            )
    if manifest["route"] == "debian" and made_for["distribution"] != here["distribution"]:
        raise SetupError(
            f"{where}: platform.distribution: the packages are for {made_for['distribution']}, "
            f"this is {here['distribution'] or 'not Debian'}",
            "make one on a machine like this, or for any distribution: "
            "./bench bundle DIR --route pip",
        )
    wheels_for = made_for.get("python")
    here_too = pythons.candidate_pythons() if wheels_for else []
    if here_too and wheels_for not in map(pythons.version_of, here_too):
        raise SetupError(
            f"{where}: platform.python: the wheels are for Python {wheels_for}, which is not here",
            f"install Python {wheels_for}, or name it: BENCHBOOK_PYTHON=PATH",
        )
    if manifest["lock"] != lock:
        raise SetupError(
            f"{where}: lock: the bundle is for another state of package-lock.json than this "
            "checkout's",
            f"take the checkout that it was made from, or {MAKE_IT}",
        )
    check_files(folder, manifest["files"])
    return Bundle(folder, manifest)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest. Raises SetupError where there is none that can be used."""
    where = folder / MANIFEST
    if not folder.is_dir():
        raise SetupError(f"{folder} is not a folder", "is the stick plugged in and mounted?")
    if (folder / PARTIAL).exists():
        raise SetupError(f"{folder} is a bundle that was never finished", MAKE_IT)
    try:
        manifest = json.loads(where.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SetupError(f"{folder} is not a bundle: it has no {MANIFEST}", MAKE_IT) from None
    except (OSError, ValueError, RecursionError) as error:
        raise SetupError(f"{where} can't be read: {error}", MAKE_IT) from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        found = manifest.get("format") if isinstance(manifest, dict) else type(manifest).__name__
        raise SetupError(f"{where}: format: {found!r}, but {FORMAT!r} is expected", MAKE_IT)
    kinds = {"platform": dict, "route": str, "lock": str, "npm_registry": str}
    kinds |= {"nuget": dict, "files": dict}
    for name, kind in kinds.items():
        if not isinstance(manifest.get(name), kind):
            raise SetupError(f"{where}: {name}: is missing, or is not a {kind.__name__}", MAKE_IT)
    for name in ("system", "machine", "distribution"):
        if not isinstance(manifest["platform"].get(name), str):
            raise SetupError(f"{where}: platform.{name}: is missing, or is not text", MAKE_IT)
    for name, digest in manifest["files"].items():
        if not isinstance(digest, str):
            raise SetupError(f"{where}: files.{name}: is not a SHA-256", MAKE_IT)
        package = manifest["nuget"].get(name.partition("/")[2])
        if is_nuget(name) and not is_name_and_version(package):
            raise SetupError(f"{where}: nuget: '{name}' has no name and version there", MAKE_IT)
    return manifest


def is_name_and_version(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(v, str) for v in value)


def check_files(folder: Path, files: dict[str, str]) -> None:
    """Every file is there, whole and listed. Raises SetupError, which names the file."""
    for name, digest in files.items():
        path = folder / name
        if ".." in Path(name).parts or Path(name).is_absolute():
            raise SetupError(f"{folder / MANIFEST}: files: '{name}' lies outside", MAKE_IT)
        if not path.is_file():
            raise SetupError(f"{path} is missing from the bundle", f"copy it again, or {MAKE_IT}")
        if sha256(path) != digest:
            problem = f"{path} is damaged: it does not have the SHA-256 of {MANIFEST}"
            raise SetupError(problem, f"copy it again, or {MAKE_IT}")
    if NPM not in files:
        raise SetupError(f"{folder / MANIFEST}: files: '{NPM}' is not listed", MAKE_IT)
    for kind in (NUGET, WHEELS, DEBS):  # what is there would be taken, whoever put it there
        for path in sorted((folder / kind).glob("*")):
            if f"{kind}/{path.name}" not in files and not path.name.startswith("."):
                raise SetupError(f"{path} is not in {MANIFEST}", "remove it from the bundle")


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def in_use(setup: Setup, bundle: Bundle) -> Iterator[None]:
    """While it lasts, pip, npm and apt take packages from the bundle and nowhere else."""
    variables = {
        **npm_variables(setup, bundle),
        **(pip_variables(bundle) if bundle.has(WHEELS) else {}),
        **(apt_variables(setup, bundle) if bundle.has(DEBS) else {}),
    }
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def pip_variables(bundle: Bundle) -> dict[str, str]:
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": (bundle.folder / WHEELS).absolute().as_uri()}


def npm_variables(setup: Setup, bundle: Bundle) -> dict[str, str]:
    """npm's cache, unpacked: npm writes to it, and a stick may be read-only."""
    cache = setup.state / "npm-cache"
    where = bundle.folder / NPM
    try:
        with tarfile.open(where) as packed:
            members = packed.getmembers()
            for member in members:  # by hand: Debian 12's Python 3.11.2 has no filters yet
                name = PurePosixPath(member.name)
                if name.is_absolute() or ".." in name.parts or "\\" in member.name:
                    raise SetupError(f"{where}: '{member.name}' lies outside", MAKE_IT)
                if not (member.isfile() or member.isdir()):
                    raise SetupError(
                        f"{where}: '{member.name}' is neither file nor folder", MAKE_IT
                    )
                member.mode = 0o755 if member.isdir() else 0o644
            packed.extractall(cache, members)
    except (tarfile.TarError, EOFError) as error:
        raise SetupError(f"{where} can't be unpacked: {error}", MAKE_IT) from None
    return {
        "npm_config_cache": str(cache),
        "npm_config_offline": "true",
        "npm_config_registry": bundle.manifest["npm_registry"],  # the cache is by address
    }


def apt_variables(setup: Setup, bundle: Bundle) -> dict[str, str]:
    """A configuration of apt in which the bundle is the only source.

    [trusted=yes]: apt asks for no signature, because every file has just been checked.
    Another distribution's packages are not for this one: there apt stays as it is.
    """
    if bundle.manifest["platform"]["distribution"] != this_platform()["distribution"]:
        return {}
    folder = setup.state / "apt"
    for name in ("lists/partial", "archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    source = quote(str((bundle.folder / DEBS).absolute()))
    (folder / "sources.list").write_text(f"deb [trusted=yes] file:{source} ./\n", "utf-8")
    settings = {
        "Dir::Etc::SourceList": folder / "sources.list",
        "Dir::Etc::SourceParts": "-",
        "Dir::State::Lists": f"{folder}/lists/",
        "Dir::Cache::Archives": f"{folder}/archives/",
        "Dir::Cache::pkgcache": "",
        "Dir::Cache::srcpkgcache": "",
        "APT::Sandbox::User": "root",
    }
    lines = [f'{name} "{value}";\n' for name, value in settings.items()]
    (folder / "apt.conf").write_text("".join(lines), "utf-8")
    return {"APT_CONFIG": str(folder / "apt.conf")}


def unpack_nuget(setup: Setup, bundle: Bundle, command: str) -> None:
    """Put the packages where NuGet keeps those that it has, and into a folder of the checkout that
    later builds have as a source (builds.building): the stick is gone then."""
    packages = [name.split("/", 1)[1] for name in bundle.manifest["files"] if is_nuget(name)]
    if not packages:
        return
    folder = setup.state / "nuget"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "feed").mkdir(parents=True)
    for name in packages:
        shutil.copyfile(bundle.folder / NUGET / name, folder / "feed" / name)
    versions: dict[str, list[str]] = {}  # one item a package: of two, the last would be taken
    for name in packages:
        identity, version = bundle.manifest["nuget"][name]
        versions.setdefault(identity, []).append(f"[{version}]")
    items = [
        f"    <PackageDownload Include={quoteattr(name)} Version={quoteattr(';'.join(wanted))} />\n"
        for name, wanted in versions.items()
    ]
    project = folder / "packages.csproj"
    project.write_text(
        '<Project Sdk="Microsoft.NET.Sdk">\n'
        "  <PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup>\n"
        f"  <ItemGroup>\n{''.join(items)}  </ItemGroup>\n</Project>\n",
        encoding="utf-8",
    )
    with setup.step(f"{len(packages)} NuGet packages from the bundle"):
        options = ["-p:ImportDirectoryPackagesProps=false", "-p:NuGetAudit=false"]
        options.append("--disable-build-servers")
        setup.run(
            [command, "restore", project, "--source", folder / "feed", *options],
            env={**os.environ, **QUIET_DOTNET},
            cwd=folder,
            remedy=f"the .NET SDK here may be another than the bundle's; {MAKE_IT}",
            timeout=600,
        )


def is_nuget(name: str) -> bool:
    return name.startswith(f"{NUGET}/") and name.endswith(".nupkg")
