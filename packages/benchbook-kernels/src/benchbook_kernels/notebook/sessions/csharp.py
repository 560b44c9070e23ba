"""The C# session: the .NET host in csharp_host/, built once, in a process of its own."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from benchbook_kernels.base import builds, dotnet, paths
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.running import temporary_files
from benchbook_kernels.install import remedies
from benchbook_kernels.install.languages import CSHARP
from benchbook_kernels.notebook.sessions import csharp_records
from benchbook_kernels.notebook.sessions.host_process import WINDOWS
from benchbook_kernels.notebook.sessions.process import ProcessSession
from benchbook_kernels.notebook.sessions.session import SessionError

PROJECT = Path(__file__).with_name("csharp_host") / "benchbook-csharp.csproj"
AHEAD = ("Ahead=true",)  # a property of it
NOT_AHEAD = "BENCHBOOK_COMPILE_SESSION"  # 0 in the environment: not ahead


class CSharpSession(ProcessSession):
    """A persistent .NET process that compiles cells with Roslyn, in Release.

    Files of `#load` and `#r "file.dll"` are looked for from `directory`.
    """

    language = CSHARP

    def syntax_errors(self, code: str, name: str) -> Future[str]:
        """What is no C# in a file, with its line and a caret; '' where it can be read, or the
        session doesn't run."""
        message = {"op": "parse", "code": code, "name": name}
        return self._ask(message, lambda reply: str(reply.get("errors", "")), "")

    def command(self, in_fd: int, out_fd: int, folder: Path) -> tuple[list[str], dict[str, str]]:
        library = built() or build()
        settings = {
            "in": in_fd,
            "out": out_fd,
            "directory": self.directory,
            "scratch": str(paths.scratch()),
            "temporary": os.environ.get("TMPDIR"),  # for cells
            "maxOutputChars": self.max_output_chars,
            "ownGroup": not WINDOWS,
        }
        environment = {
            **os.environ,
            **builds.building(),
            "DOTNET_ROLL_FORWARD": "Major",
            **temporary_files(folder),  # of .NET, which leaves pipes when it is killed
        }
        return ["dotnet", str(library), json.dumps(settings)], environment

    @staticmethod
    def export_code(name: str) -> str:
        return f"ToShared({name})"

    @staticmethod
    def printing_code(name: str) -> str:
        return f"System.Console.Write(System.Text.Json.JsonSerializer.Serialize({name}));"

    @staticmethod
    def directive_code(line: str) -> str:
        return f"await Benchbook.Notebook.Directive({json.dumps(line)});"

    @staticmethod
    def variables_code(values: bool) -> str:
        return f"Benchbook.Notebook.Variables({str(values).lower()})"

    @staticmethod
    def records_code(name: str, text: str) -> str:
        return csharp_records.code(name, json.loads(text))

    @staticmethod
    def import_code(name: str, text: str) -> str:
        """Simple values get C#'s own types, objects and arrays are a JsonDocument."""
        value = json.loads(text)
        if value is None:
            return f"object {name} = null;"
        if isinstance(value, bool | str | float):
            return f"var {name} = {json.dumps(value)};"
        if isinstance(value, int):
            return f"var {name} = {value}{'' if -(2**31) <= value < 2**31 else 'L'};"
        return f"var {name} = System.Text.Json.JsonDocument.Parse({json.dumps(json.dumps(value))});"


def built() -> Path | None:
    """The host's library, None where it is not built yet from just this code."""
    library = folder() / "out" / "benchbook-csharp.dll"
    return library if builds.there(folder()) else None


def folder() -> Path:
    return builds.build_folder(project(), AHEAD)


def project() -> Path:
    return dotnet.own_project(PROJECT)


def build(say: Callable[[str], None] = lambda text: None) -> Path:
    """Build the host; raises SessionError where that fails.

    Compiled to machine code, it takes half as much CPU time to the end of the first cell; where the
    package that does so can't be had, .NET compiles it while it runs. So it does where a machine is
    set up for a few cells only, and told so: to compile ahead takes 45 s of CPU time.
    """
    choices = ((),) if os.environ.get(NOT_AHEAD) == "0" else (AHEAD, ())

    def make() -> tuple[int, str]:
        for properties in choices:
            given = [f"-p:{each}" for each in properties]
            made = builds.run_dotnet("build", project(), "-o", str(folder() / "out"), *given)
            if made[0] == 0:
                break
        return made

    if not shutil.which("dotnet"):
        raise SessionError(
            f"{CSHARP.title} cells need {CSHARP.needs}, which was not found",
            remedies.remedy("dotnet"),
        )
    try:
        by_hand = f"dotnet build {paths.relative(project())} -c Release"
        builds.build_once(folder(), make, by_hand, lambda: say("building the C# session"))
    except (BenchError, OSError, subprocess.SubprocessError) as error:
        again = paths.typed("./bench setup tries again")
        raise SessionError(f"the C# session {error}", again) from None
    library = built()
    assert library is not None
    return library


if __name__ == "__main__":  # as set-up calls it
    built() or build()
