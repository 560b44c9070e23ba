"""Builds the wheel (PEP 517): the package with all that it needs where there is no checkout.

Written here because it is short and needs nothing: `pip wheel .` works without a network, and what
is in the wheel is said in one place.
https://packaging.python.org/specifications/binary-distribution-format/
"""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import tomllib

from benchbook.setup import jupyter_server
from benchbook_kernels.install import kernelspecs

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = "benchbook"
MADE = {"__pycache__", "bin", "obj", ".ipynb_checkpoints"}  # folders that builds and runs make
SHIPPED = ("Directory.Packages.props", "package.json")  # which versions of packages we use
STAMP = (2020, 1, 1, 0, 0, 0)  # the same files make the same wheel

Settings = Mapping[str, Any] | None


def build_wheel(folder: str, settings: Settings = None, metadata: str | None = None) -> str:
    """Write the wheel into a folder; returns its file name."""
    return write_wheel(Path(folder), dict(content()))


def build_editable(folder: str, settings: Settings = None, metadata: str | None = None) -> str:
    """As build_wheel, but the package is imported from the checkout (pip install --editable)."""
    return write_wheel(Path(folder), {f"{PACKAGE}.pth": f"{ROOT / 'src'}\n".encode()})


def build_sdist(folder: str, settings: Settings = None) -> str:
    """There is none: the repository is the source."""
    raise NotImplementedError("benchbook has no source distribution: build from a checkout")


def content() -> Iterator[tuple[str, bytes]]:
    """The files of the wheel, by their names in it: the package, and what Jupyter reads of it."""
    source = ROOT / "src"
    for path in sorted((source / PACKAGE).rglob("*")):
        name = path.relative_to(source)
        if path.is_file() and not MADE & set(name.parts):
            yield name.as_posix(), path.read_bytes()
    for shipped in SHIPPED:
        yield f"{PACKAGE}/shipped/{shipped}", (ROOT / shipped).read_bytes()
    prefix = f"{stem(project())}.data/data"
    kernels = f"{prefix}/share/jupyter/kernels"
    for kernel in kernelspecs.KERNELS:
        text = json.dumps(kernelspecs.portable(kernel), indent=2) + "\n"
        yield f"{kernels}/{kernel}/kernel.json", text.encode()
        yield f"{kernels}/{kernel}/logo-svg.svg", kernelspecs.LOGO.encode()
    yield f"{prefix}/{jupyter_server.FILE}", jupyter_server.TEXT.encode()


def project() -> dict[str, Any]:
    """The table [project] of pyproject.toml."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: dict[str, Any] = tomllib.load(file)["project"]
    return found


def stem(about: Mapping[str, Any]) -> str:
    return f"{about['name']}-{about['version']}"


def write_wheel(folder: Path, files: dict[str, bytes]) -> str:
    """Zip the files with the metadata that pip reads; returns the wheel's file name."""
    about = project()
    info = f"{stem(about)}.dist-info"
    scripts = "".join(f"{name} = {value}\n" for name, value in about["scripts"].items())
    files = {
        **files,
        f"{info}/METADATA": metadata_text(about).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: benchbook\nRoot-Is-Purelib: true\n"
        b"Tag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{scripts}".encode(),
    }
    if (license_file := ROOT / "LICENSE").is_file():
        files[f"{info}/LICENSE"] = license_file.read_bytes()
    record = [f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items()]
    files[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()
    wheel = f"{stem(about)}-py3-none-any.whl"
    with zipfile.ZipFile(folder / wheel, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, STAMP)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, data)
    return wheel


def digest(data: bytes) -> str:
    """SHA-256 as RECORD has it."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def metadata_text(about: Mapping[str, Any]) -> str:
    """The file METADATA. https://packaging.python.org/specifications/core-metadata/"""
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {about['name']}",
        f"Version: {about['version']}",
        f"Summary: {about['description']}",
        f"License: {about['license']['text']}",
        f"Requires-Python: {about['requires-python']}",
        *(f"Requires-Dist: {needed}" for needed in about["dependencies"]),
    ]
    for extra, wanted in about["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {needed}; extra == '{extra}'" for needed in wanted]
    readme = (ROOT / about["readme"]).read_text(encoding="utf-8")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])
