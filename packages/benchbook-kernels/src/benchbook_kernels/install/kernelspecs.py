"""Installs the kernelspecs into an environment, or wherever else Jupyter looks for kernels."""

import json
import sys
from pathlib import Path
from typing import Any

from benchbook_kernels.base import paths
from benchbook_kernels.base.files import write_atomically
from benchbook_kernels.base.platforms import WINDOWS
from benchbook_kernels.install.languages import Language, declared

MODULE = "benchbook_kernels"  # what a kernelspec of ours starts
FORMER = "benchbook.notebook"  # what those of earlier versions start
ASSETS = Path(__file__).with_name("assets")
PLOTLY = "plotly-basic.min.js"
KERNEL_JS = """\
define(['require', 'base/js/namespace', 'notebook/js/outputarea'], (require, Jupyter, found) => {{
{figure}
{notebook}
  const address = require.toUrl('./{plotly}');
  return {{ onload: () => drawFigures(Jupyter.notebook, found.OutputArea, address) }};
}});
"""

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
FILES = ("kernel.json", "kernel.js", PLOTLY, "logo-svg.svg")  # that we write

# Front ends then ask the kernel to interrupt itself: on Windows, where there is no SIGINT, VS Code
# would end a kernel that is not Python's instead.
BY_MESSAGE = "message"

# by the name of the kernelspec
KERNELS: dict[str, Language] = {each.kernel: each for each in declared().values()}


def folder_in(prefix: str | Path) -> Path:
    """Where Jupyter looks for the kernelspecs of an environment."""
    return Path(prefix) / "share" / "jupyter" / "kernels"


def install(prefix: str | Path = sys.prefix, packages: Path = paths.OWN) -> list[Path]:
    """Write the kernelspecs below an environment's prefix; returns their directories.

    packages: the folder whose node_modules has plotly.js. Raises OSError where something can't be
    written.
    """
    return [write(folder_in(prefix), name, packages=packages) for name in KERNELS]


def mend() -> bool:
    """Install again what set-up installed and somebody removed; whether there was anything."""
    gone = [name for name in KERNELS if not is_ours(folder_in(sys.prefix) / name)]
    for name in gone:
        write(folder_in(sys.prefix), name)
    return bool(gone)


def write(folder: Path, name: str, alias: str = "", packages: Path = paths.OWN) -> Path:
    """Write one of KERNELS into a folder of kernelspecs, perhaps under another name.

    packages: as for `install`. Returns its directory. Raises OSError where it can't be written.
    """
    directory = folder / (alias or name)
    spec = _spec(name)
    if alias:
        spec["display_name"] += f" as {alias}"
    directory.mkdir(parents=True, exist_ok=True)
    write_atomically(directory / "logo-svg.svg", LOGO)
    plotly = packages / "node_modules" / "plotly.js-basic-dist-min" / PLOTLY
    if plotly.is_file():  # for Notebook 6; without it figures are pictures there
        write_atomically(directory / PLOTLY, plotly.read_bytes())
        write_atomically(directory / "kernel.js", kernel_js())
    write_atomically(directory / "kernel.json", json.dumps(spec, indent=2) + "\n")
    return directory


def kernel_js() -> str:
    """The script that Notebook 6 loads with a kernel: it draws figures (assets/notebook.js)."""
    figure, notebook = ((ASSETS / name).read_text("utf-8") for name in ("figure.js", "notebook.js"))
    return KERNEL_JS.format(figure=figure, notebook=notebook, plotly=PLOTLY)


def remove(directory: Path) -> None:
    """Remove a kernelspec, but no file that is not of ours. Raises OSError where it can't be."""
    for name in FILES:
        (directory / name).unlink(missing_ok=True)
    if not any(directory.iterdir()):
        directory.rmdir()


def is_ours(directory: Path) -> bool:
    """Is there a kernelspec that starts a kernel of Benchbook, whichever installation's?"""
    try:
        command = json.loads((directory / "kernel.json").read_text("utf-8"))["argv"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return isinstance(command, list) and not {MODULE, FORMER}.isdisjoint(command)


def ours(folder: Path) -> list[Path]:
    """The directories of Benchbook's kernelspecs in a folder of kernelspecs."""
    return [file.parent for file in sorted(folder.glob("*/kernel.json")) if is_ours(file.parent)]


def display_name(language: str) -> str:
    """What a language's kernel is called in menus."""
    return f"Benchbook ({declared()[language].title})"


def portable(name: str) -> dict[str, Any]:
    """The kernelspec that a wheel brings: Jupyter puts its own Python in the place of `python`."""
    spec = _spec(name)
    spec["argv"][0] = "python"
    del spec["env"]
    spec["interrupt_mode"] = BY_MESSAGE  # a wheel is for every system
    return spec


def _spec(name: str) -> dict[str, Any]:
    kernel = KERNELS[name]
    command = [sys.executable, "-Xfrozen_modules=off", "-m", MODULE, kernel.name]
    return {
        "argv": [*command, "-f", "{connection_file}"],
        "display_name": display_name(kernel.name),
        "language": kernel.syntax,
        "interrupt_mode": BY_MESSAGE if WINDOWS else "signal",
        "env": {"PYTHONPATH": paths.pythonpath()},
        "metadata": {"debugger": False},
    }


if __name__ == "__main__":
    install()
