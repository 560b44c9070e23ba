"""Installs the kernelspecs into an environment (never into the user's home)."""

import json
import sys
from pathlib import Path
from typing import Any

from benchbook.setup.files import write_atomically
from benchbook.setup.languages import Language, declared

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

# by the name of the kernelspec
KERNELS: dict[str, Language] = {each.kernel: each for each in declared().values()}


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
    write_atomically(directory / "logo-svg.svg", LOGO)
    write_atomically(directory / "kernel.json", json.dumps(_spec(name), indent=2) + "\n")
    return directory


def _directory(name: str, prefix: Path) -> Path:
    return prefix / "share" / "jupyter" / "kernels" / name


def portable(name: str) -> dict[str, Any]:
    """The kernelspec that a wheel brings: Jupyter puts its own Python in the place of `python`."""
    spec = _spec(name)
    spec["argv"][0] = "python"
    del spec["env"]
    return spec


def _spec(name: str) -> dict[str, Any]:
    kernel = KERNELS[name]
    command = [
        sys.executable,
        "-Xfrozen_modules=off",
        "-m",
        "benchbook.notebook",
        kernel.name,
    ]
    return {
        "argv": [*command, "-f", "{connection_file}"],
        "display_name": f"Benchbook ({kernel.title})",
        "language": kernel.syntax,
        "interrupt_mode": "signal",
        "env": {"PYTHONPATH": str(SOURCE)},
        "metadata": {"debugger": False},
    }


if __name__ == "__main__":
    install()
