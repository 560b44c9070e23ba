"""What a file-based C# app says of itself in its `#:` lines; needs only the standard library.

https://learn.microsoft.com/dotnet/core/sdk/file-based-apps
"""

import re
from pathlib import Path

DIRECTIVE = re.compile(r"(?m)^#:(\w+)[ \t]+(\S.*?)\s*$")
SET = re.compile(r"<PublishAot\b[^>]*>\s*([^<]*?)\s*</PublishAot>", re.IGNORECASE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
ABOVE = ("Directory.Build.props", "Directory.Build.targets")
FINE = "", ""
OTHER_NET = (
    "runs in another .NET than usual, because PublishAot is on{}: LINQ is the size-optimised one, "
    "Expression.Compile makes code that is interpreted, Reflection.Emit throws, EventSource is "
    "silent, and System.Text.Json needs source generation (docs/csharp-cells.md#native-aot)"
)


def directives(path: Path) -> list[tuple[str, str]]:
    """The lines `#:KIND VALUE` of a file-based app."""
    return DIRECTIVE.findall(path.read_text("utf-8", "replace"))


def built_for_aot(path: Path) -> tuple[str, str]:
    """(problem, remedy) of a C# program that is built, not published, with PublishAot; ('', '')
    where that is off.

    A file-based app has it on unless it says otherwise; a project where its file or one above says
    so.
    """
    if not path.is_file() or of_project(path):
        return FINE
    own, above = stated(path), [file for name in ABOVE if (file := nearest(path, name))]
    if path.suffix == ".csproj":
        said = [*(value for file in above for value in values(file)), *own]
        if said and is_on(said[-1]):
            return OTHER_NET.format(""), "Leave it out, or publish the program"
        return FINE
    if own:
        remedy = "Write #:property PublishAot=false"
        return (OTHER_NET.format(""), remedy) if is_on(own[-1]) else FINE
    if any(found and not is_on(found[-1]) for found in map(values, above)):
        return FINE
    since = " in a file-based app that does not turn it off"
    return OTHER_NET.format(since), "Add the line #:property PublishAot=false at its head"


def of_project(path: Path) -> bool:
    """Is a .cs file a part of a project, in its folder or above, within its experiment?"""
    if path.suffix != ".cs" or directives(path):
        return False
    for folder in path.parents:
        if any(folder.glob("*.csproj")):
            return True
        if (folder / "experiment.toml").is_file():
            return False
    return False


def stated(path: Path) -> list[str]:
    """The values that a program's own file gives PublishAot."""
    if path.suffix == ".csproj":
        return values(path)
    pairs = [value.partition("=") for kind, value in directives(path) if kind == "property"]
    return [value.strip() for name, _, value in pairs if name.strip().lower() == "publishaot"]


def values(file: Path) -> list[str]:
    """The values that a file of MSBuild gives PublishAot."""
    text = file.read_text("utf-8", "replace")
    return [match[1] for match in SET.finditer(COMMENT.sub("", text))]


def is_on(value: str) -> bool:
    return value.lower() == "true"


def nearest(path: Path, name: str) -> Path | None:
    """The file of that name in the folder of a program, or in the nearest above it."""
    return next((file for folder in path.parents if (file := folder / name).is_file()), None)
