"""The C# session: the .NET host in csharp/, built once, in a process of its own."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from benchbook import paths, runners
from benchbook.errors import BenchError
from benchbook.kernel.host import WINDOWS
from benchbook.kernel.process import ProcessSession
from benchbook.kernel.sessions import Language, SessionError

PROJECT = Path(__file__).with_name("csharp") / "benchbook-csharp.csproj"


class CSharpSession(ProcessSession):
    """A persistent .NET process that compiles cells with Roslyn, in Release.

    Files of `#load` and `#r "file.dll"` are looked for from `directory`.
    """

    language = Language(
        "csharp",
        "C#",
        {
            "name": "C#",
            "mimetype": "text/x-csharp",
            "codemirror_mode": "text/x-csharp",
            "pygments_lexer": "csharp",
            "file_extension": ".cs",
            "nbconvert_exporter": "script",
        },
    )

    def command(self, in_fd: int, out_fd: int) -> tuple[list[str], dict[str, str]]:
        library = built() or build()
        settings = {
            "in": in_fd,
            "out": out_fd,
            "directory": self.directory,
            "scratch": str(paths.scratch()),
            "maxOutputChars": self.max_output_chars,
            "ownGroup": not WINDOWS,
        }
        environment = {**os.environ, **runners.building(), "DOTNET_ROLL_FORWARD": "Major"}
        return ["dotnet", str(library), json.dumps(settings)], environment

    def export_code(self, name: str) -> str:
        """Code whose value has a variable as JSON under SHARED_TYPE."""
        return f"ToShared({name})"

    @staticmethod
    def variables_code(values: bool) -> str:
        """Code whose value is a table of the session's variables, or their names alone."""
        return f"Benchbook.Notebook.Variables({str(values).lower()})"

    @staticmethod
    def import_code(name: str, text: str) -> str:
        """Code that declares a variable with the value of a JSON text: what has a type of its own
        in C# gets it, objects and arrays are a JsonDocument."""
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
    return library if (folder() / "built.txt").is_file() else None


def folder() -> Path:
    return runners.build_folder(PROJECT)


def build(say: Callable[[str], None] = lambda text: None) -> Path:
    """Build the host; raises SessionError where that fails."""
    if not shutil.which("dotnet"):
        raise SessionError(
            "C# cells need the .NET SDK 10 or newer, which was not found", "./bench doctor says how"
        )
    try:
        runners.dotnet_build(PROJECT, "build", folder(), lambda: say("building the C# session"))
    except (BenchError, OSError, subprocess.SubprocessError) as error:
        raise SessionError(f"the C# session {error}", "./bench setup tries again") from None
    library = built()
    assert library is not None
    return library
