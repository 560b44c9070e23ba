"""Installs the kernelspecs into an environment (never into the user's home)."""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[2]  # the directory that holds the benchbook package

LOGO = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
  <rect width="64" height="64" rx="10" fill="#215732"/>
  <g fill="#fff">
    <rect x="12" y="36" width="9" height="16"/>
    <rect x="27" y="24" width="9" height="28"/>
    <rect x="42" y="12" width="9" height="40"/>
  </g>
</svg>
"""

KERNELS = {
    "benchbook-node": {
        "argument": "node",
        "display_name": "Benchbook (Node.js)",
        "language": "javascript",
    },
    "benchbook-csharp": {
        "argument": "csharp",
        "display_name": "Benchbook (C#)",
        "language": "C#",
    },
}


def install(prefix: str | Path = sys.prefix) -> list[Path]:
    """Write the kernelspecs below an environment's prefix; returns their directories.

    Raises OSError where they can't be written.
    """
    return [_install(name, Path(prefix)) for name in KERNELS]


def installed(prefix: str | Path = sys.prefix, name: str = "benchbook-node") -> Path | None:
    """The directory of a kernelspec that is there and starts this package; None otherwise."""
    directory = _directory(name, Path(prefix))
    try:
        found = json.loads((directory / "kernel.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return directory if found == _spec(name) else None


def _install(name: str, prefix: Path) -> Path:
    directory = _directory(name, prefix)
    directory.mkdir(parents=True, exist_ok=True)
    _write(directory / "logo-svg.svg", LOGO)
    _write(directory / "kernel.json", json.dumps(_spec(name), indent=2) + "\n")
    return directory


def _directory(name: str, prefix: Path) -> Path:
    return prefix / "share" / "jupyter" / "kernels" / name


def _spec(name: str) -> dict[str, Any]:
    kernel = KERNELS[name]
    command = [sys.executable, "-Xfrozen_modules=off", "-m", "benchbook.kernel", kernel["argument"]]
    return {
        "argv": [*command, "-f", "{connection_file}"],
        "display_name": kernel["display_name"],
        "language": kernel["language"],
        "interrupt_mode": "signal",
        "env": {"PYTHONPATH": str(SOURCE)},
        "metadata": {"debugger": False},
    }


def _write(path: Path, text: str) -> None:
    """All or nothing, also for a reader at the same time."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
