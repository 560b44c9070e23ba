"""`kernels install`, `remove` and `list`: where Jupyter finds the kernels, and under which name.

`--as .net-csharp` is for notebooks of .NET Interactive, which ask for a kernel of that name. What
another program installed under a name is never replaced and never removed.
"""

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from jupyter_client import kernelspec

from benchbook_kernels.base import paths
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.files import write_atomically
from benchbook_kernels.base.running import run
from benchbook_kernels.commands.options import NamedPlace, Subcommands
from benchbook_kernels.install import kernelspecs, languages, remedies
from benchbook_kernels.notebook.interactive import directives
from benchbook_kernels.notebook.sessions import csharp
from benchbook_kernels.notebook.sessions.session import SessionError

NAME = re.compile(r"[a-z0-9._-]+", re.IGNORECASE)  # what Jupyter takes for a kernel's name
NODE_PACKAGES = ("acorn", "plotly.js-basic-dist-min")  # for imports in cells, for figures
NPM_SECONDS = 300
CSHARP = languages.CSHARP.kernel

Manager: Any = kernelspec.KernelSpecManager  # which has no types

F = TypeVar("F", bound=Callable[..., Any])


def place(function: F) -> F:
    """The options that say where kernels are installed."""
    prefix = NamedPlace("folder")
    for option in (
        click.option("--prefix", type=prefix, metavar="DIR", help="For the environment in DIR."),
        click.option("--user", is_flag=True, help="For every Jupyter of yours on this machine."),
    ):
        function = option(function)
    return function


@click.group("kernels", cls=Subcommands)
def command() -> None:
    """Install the notebook kernels for Jupyter, or remove them.

    Without --user and --prefix that is the environment of this Python.
    """


@command.command("install")
@place
@click.option(
    "--as", "alias", metavar="NAME", help="The C# kernel under this name, too: .net-csharp."
)
def install(user: bool, prefix: Path | None, alias: str | None) -> None:
    """Install the kernels and make their sessions ready, which needs the network once.

    Exits with 1 where a session can't be made ready: the C# session with --as, else any.
    """
    folder = folder_of(user, prefix)
    if alias is not None:
        check_name(alias)
        check_free(alias, folder)
    no_csharp, no_node = csharp_session(), node_packages()
    packages = paths.checkout() or paths.home()  # of which a figure in Notebook 6 needs one
    for name in kernelspecs.KERNELS:
        click.echo(f"installed {kernelspecs.write(folder, name, packages=packages)}")
    if alias:
        click.echo(f"installed {kernelspecs.write(folder, CSHARP, alias, packages)}")
    if folder not in map(Path, Manager().kernel_dirs):
        click.echo(f"bench: Jupyter of this Python does not look into {folder}", err=True)
    for problem in filter(None, (no_csharp, no_node)):
        click.echo(f"bench: {problem}", err=True)
    if no_csharp or (no_node and not alias):
        sys.exit(1)


@command.command("remove")
@place
@click.option("--as", "alias", metavar="NAME", help="Only the kernel of this name.")
def remove(user: bool, prefix: Path | None, alias: str | None) -> None:
    """Remove Benchbook's kernels, under whatever names, and nobody else's."""
    folder = folder_of(user, prefix)
    found = kernelspecs.ours(folder)
    if alias is not None:
        if (folder / alias).exists() and folder / alias not in found:
            raise not_ours(folder / alias)
        found = [directory for directory in found if directory.name == alias]
    for directory in found:
        kernelspecs.remove(directory)
        click.echo(f"removed {directory}")
    if not found:
        click.echo(f"no kernel of Benchbook is in {folder}")


@command.command("list")
def listing() -> None:
    """List Benchbook's kernels that Jupyter of this Python finds."""
    found = {name: Path(at) for name, at in sorted(Manager().find_kernel_specs().items())}
    ours = {name: at for name, at in found.items() if kernelspecs.is_ours(at)}
    for name, at in ours.items():
        click.echo(f"{name}  {at}")
    if not ours:
        click.echo(f"none; {paths.typed('./bench kernels install')} installs them")


def folder_of(user: bool, prefix: Path | None) -> Path:
    """The folder of kernelspecs that the options name. Raises UsageError where they name two."""
    if user and prefix:
        raise click.UsageError("name --user or --prefix DIR, not both")
    if user:
        return Path(Manager().user_kernel_dir)
    return kernelspecs.folder_in(prefix.resolve() if prefix else sys.prefix)


def check_name(alias: str) -> None:
    """Raises InputError for a name that Jupyter refuses, our own, or that of another language."""
    if not NAME.fullmatch(alias):
        raise InputError("--as", "", f"'{alias}' is no kernel's name", "write --as .net-csharp")
    if alias in kernelspecs.KERNELS:
        raise InputError("--as", "", f"'{alias}' is installed anyway", "leave --as out")
    if title := directives.foreign(alias.removeprefix(".net-")):
        raise InputError(
            "--as",
            "",
            f"'{alias}' is for {title} notebooks, and Benchbook has no {title} kernel",
            "--as .net-csharp is for C#; benchbook-kernels convert keeps other cells as text",
        )


def check_free(alias: str, folder: Path) -> None:
    """Raises BenchError where Jupyter has somebody else's kernel of that name, here or elsewhere:
    one of the two would hide the other."""
    elsewhere = Manager().find_kernel_specs().get(alias.lower())
    for directory in (folder / alias, *([Path(elsewhere)] if elsewhere else [])):
        if directory.exists() and not kernelspecs.is_ours(directory):
            raise not_ours(directory)


def not_ours(directory: Path) -> BenchError:
    remedy = f"to give it up: jupyter kernelspec remove {directory.name}"
    return BenchError(f"{directory} is not Benchbook's kernel, so it stays as it is", remedy)


def csharp_session() -> str:
    """Build the C# session unless it is built; why that failed, '' where it did not."""
    begun = time.monotonic()
    try:
        if csharp.built() is None:
            csharp.build(lambda text: click.echo(f"… {text}: a minute, once", err=True))
    except SessionError as error:
        return str(error)
    click.echo(f"the C# session is built ({time.monotonic() - begun:.0f} s)")
    return ""


def node_packages() -> str:
    """Get the npm packages of the Node.js session; why that failed, '' where it did not.

    In a checkout set-up has done that.
    """
    if paths.checkout():
        return ""
    wanted = json.loads(paths.beside_bench("package.json").read_text(encoding="utf-8"))
    versions = {name: wanted["dependencies"][name] for name in NODE_PACKAGES}
    root = paths.home()
    write_atomically(root / "package.json", json.dumps({"private": True, "dependencies": versions}))
    npm = shutil.which("npm")
    options = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    if npm is None:
        return f"JavaScript cells need Node.js with npm, not found\n  → {remedies.remedy('node')}"
    click.echo(f"… getting {', '.join(NODE_PACKAGES)} with npm", err=True)
    try:
        done = run([npm, *options], timeout=NPM_SECONDS, cwd=root)
        if done.returncode == 0:
            return ""
        reason = (done.stderr or done.stdout).strip() or "npm failed"
    except subprocess.TimeoutExpired:
        reason = f"npm did not end in {NPM_SECONDS} s"
    what = f"npm could not get {', '.join(NODE_PACKAGES)}: {reason.splitlines()[0]}"
    return f"{what}\n  → cd {root} && npm install"
