"""Benchbook in its environment: the package, its kernels, and the C# session of the notebooks."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

from benchbook.setup import jupyter_server
from benchbook.setup.steps import Environment, Setup, SetupError, search_path
from benchbook.setup.tools.remedies import remedy
from benchbook_kernels.base import paths
from benchbook_kernels.base.files import write_atomically
from benchbook_kernels.base.platforms import major
from benchbook_kernels.base.running import output_of, temporary_files
from benchbook_kernels.install import interactive, kernelspecs
from benchbook_kernels.install.remedies import MINIMUM_DOTNET

RESTORE_SECONDS = 300
CSHARP = "benchbook_kernels.notebook.sessions.csharp"  # imported, it would need psutil


def link_package(setup: Setup, environment: Environment) -> None:
    """Make our packages importable from the environment, by a .pth file in its site-packages."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    folder = output_of([environment.python, "-P", "-c", code])
    if not folder:
        raise SetupError(f"{environment.python} does not run", "./bench setup --route auto")
    link = Path(folder) / "benchbook.pth"
    text = "".join(f"{path}\n" for path in paths.sources())
    if not link.exists() or link.read_text(encoding="utf-8") != text:
        write_atomically(link, text)


def install_kernelspecs(setup: Setup, environment: Environment) -> None:
    """Ask the packages themselves to install their kernelspecs and the save hook."""
    for module in (kernelspecs, jupyter_server):
        setup.run(
            [environment.python, "-P", "-m", str(module.__name__)],
            cwd=setup.state,
            env=package_variables(environment),
            remedy=f"{environment.python} -m {module.__name__} shows the whole error",
            timeout=120,
        )


def package_variables(environment: Environment) -> dict[str, str]:
    """The environment variables with which the package itself runs."""
    variables = {**os.environ, "PATH": search_path(environment), "PYTHONNOUSERSITE": "1"}
    if environment.dotnet_root:
        variables["DOTNET_ROOT"] = environment.dotnet_root
    return variables


def build_csharp(setup: Setup, environment: Environment) -> None:
    """Build the notebooks' C# session, once; where that fails, Node.js cells still run."""
    with setup.step("the C# session of the notebooks, with dotnet build"):
        failed = setup.run(
            [environment.python, "-P", "-m", CSHARP],
            cwd=setup.state,
            env=package_variables(environment),
            timeout=900,
            check=False,
        )
    if failed:
        setup.notes.append(
            "C# cells can't run: their session was not built (is NuGet in reach?); "
            f"the reason is at the end of {setup.log}, and ./bench setup tries again"
        )


def restore_interactive(setup: Setup, environment: Environment) -> None:
    """Get .NET Interactive, for `%engine csharp .net-csharp`; nothing else needs it."""
    manifest = setup.root / ".config" / "dotnet-tools.json"
    if not manifest.is_file():
        return
    text = json.loads(manifest.read_text(encoding="utf-8"))
    version, env = text["tools"][interactive.PACKAGE]["version"], package_variables(environment)
    with setup.step(".NET Interactive, with dotnet tool restore"):
        dotnet = shutil.which("dotnet", path=search_path(environment)) or "dotnet"
        restore = [dotnet, "tool", "restore", "--tool-manifest", str(manifest)]
        with tempfile.TemporaryDirectory(prefix="benchbook-") as folder:  # dotnet leaves one there
            env |= temporary_files(Path(folder))
            try:
                setup.run(restore, cwd=setup.state, env=env, timeout=RESTORE_SECONDS)
                return
            except SetupError as error:
                setup.write_log(str(error))
    setup.notes.append(
        f".NET Interactive {version} is not here, so %engine csharp .net-csharp does not find it "
        f"(is NuGet in reach?); all else works. The reason is in {setup.log}"
    )


def check_dotnet(setup: Setup, environment: Environment) -> bool:
    """Is the SDK there? Without it the Node.js experiments still run, so it is only a note."""
    dotnet = shutil.which("dotnet", path=search_path(environment))
    listed = output_of([dotnet, "--list-sdks"]) if dotnet else None
    newest = max((major(line) for line in (listed or "").splitlines()), default=0)
    if newest < MINIMUM_DOTNET:
        what = f".NET SDK {newest} is too old" if newest else "the .NET SDK is missing"
        setup.notes.append(
            f"{what}: C# experiments need {MINIMUM_DOTNET} or newer. To get it: "
            f"{remedy('dotnet', environment.route)}"
        )
    return newest >= MINIMUM_DOTNET
