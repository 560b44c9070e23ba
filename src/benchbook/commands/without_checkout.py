"""`benchbook setup` of an installed wheel: makes the kernels ready to use."""

import json
import shutil
from collections.abc import Sequence

import click

from benchbook.notebook.sessions import csharp
from benchbook.notebook.sessions.session import SessionError
from benchbook.setup import kernelspecs
from benchbook.setup.files import write_atomically
from benchbook.setup.running import run
from benchbook.system import paths

NODE_PACKAGES = ("acorn", "plotly.js-basic-dist-min")  # for imports in cells, for figures


def set_up(arguments: Sequence[str]) -> int:
    """Install the kernels for this Python, npm's packages and the C# session; the exit code.

    What can't be had is said, with the reason: the other language works without it.
    """
    if arguments:
        paths.need_checkout()
    for directory in kernelspecs.install():
        click.echo(f"installed {directory}")
    problems = [problem for problem in (node_packages(), csharp_session()) if problem]
    for problem in problems:
        click.echo(f"bench: {problem}", err=True)
    return 1 if problems else 0


def node_packages() -> str:
    """Get the npm packages of the Node.js session; why that failed, '' where it did not."""
    wanted = json.loads(paths.beside_bench("package.json").read_text(encoding="utf-8"))
    versions = {name: wanted["dependencies"][name] for name in NODE_PACKAGES}
    root = paths.home()
    write_atomically(root / "package.json", json.dumps({"private": True, "dependencies": versions}))
    npm = shutil.which("npm")
    command = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    if npm is None:
        return "Node.js cells need Node.js 20 or newer, with npm: https://nodejs.org"
    done = run([npm, *command], timeout=300, cwd=root)
    if done.returncode == 0:
        return ""
    reason = (done.stderr or done.stdout).strip().splitlines() or ["npm failed"]
    return (
        f"npm could not get {', '.join(NODE_PACKAGES)}: {reason[0]}\n  → cd {root} && npm install"
    )


def csharp_session() -> str:
    """Build the C# session; why that failed, '' where it did not."""
    try:
        csharp.build(lambda text: click.echo(f"… {text}", err=True))
    except SessionError as error:
        return str(error)
    return ""
