""".NET Interactive itself, where it is installed: its kernelspec, and that it keeps to this
machine. It needs only the standard library."""

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from benchbook_kernels.base import dotnet
from benchbook_kernels.base.files import write_atomically
from benchbook_kernels.install import kernelspecs

KERNEL = ".net-csharp"
PACKAGE = "microsoft.dotnet-interactive"
PROGRAM = "Microsoft.DotNet.Interactive.App.dll"
COMMAND = "jupyter"  # that its kernels are started by
# It has a web server for its displays, which otherwise listens on all addresses of the machine.
LOCAL_ONLY = "--http-local-only"


def program() -> Path | None:
    """The newest of the tools that `dotnet tool restore` got, None where it got none."""
    folder = dotnet.packages_folder()
    found = folder.joinpath(PACKAGE).glob(f"*/tools/*/any/{PROGRAM}") if folder else ()
    version = lambda path: [int(n) for n in re.findall(r"\d+", path.parents[3].name)]  # noqa: E731
    return max(found, key=version, default=None)


def write(prefix: str | Path) -> Path | None:
    """Write a kernelspec of it below a prefix, as Jupyter looks for it in an environment; None
    where the tool, or .NET, is missing. Raises OSError where it can't be written."""
    tool, command = program(), shutil.which("dotnet")
    if not tool or not command:
        return None
    spec = {
        # it was built for one .NET, and is never built again
        "argv": [
            *(command, "--roll-forward", "Major", str(tool)),
            *(COMMAND, "--default-kernel", "csharp", LOCAL_ONLY, "{connection_file}"),
        ],
        "display_name": ".NET (C#)",
        "language": "C#",
    }
    directory = kernelspecs.folder_in(prefix) / KERNEL
    write_atomically(directory / "kernel.json", json.dumps(spec, indent=2) + "\n")
    return directory


def on_this_machine_only(command: Sequence[str]) -> list[str]:
    """The command line of a kernel; of .NET Interactive one whose web server listens on 127.0.0.1
    only. A version that does not know the option does not start."""
    words = list(command)
    is_interactive = any("interactive" in Path(word).name.lower() for word in words)
    if not is_interactive or COMMAND not in words or LOCAL_ONLY in words:
        return words
    place = words.index(COMMAND) + 1
    return [*words[:place], LOCAL_ONLY, *words[place:]]
