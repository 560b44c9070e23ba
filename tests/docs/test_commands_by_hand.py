"""Commands that a reader is told to type build what races: Release, as Benchbook does."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchbook.system import paths

RUN = re.compile(r"dotnet run(?!`)([^`\n]*)")  # `dotnet run` alone, in backticks, is its name
PROGRAM = re.compile(r"(?:^|[\s/])([\w.-]+\.cs)\b")
PLACES = ("*.md", "*.ipynb", "*.cs", "*.csproj", "*.toml", "*.js", "*.mjs", "*.py", "*.proto")


def told(text: str, programs: dict[str, list[Path]]) -> Iterator[str]:
    """What is wrong with the commands in a text."""
    for match in RUN.finditer(text):
        if not match[1].startswith(" -c Release"):
            yield f"{match[0]}: a Debug build"
        program = PROGRAM.search(match[1])
        found = programs.get(program[1], []) if program and "--file" not in match[1] else []
        if any([*path.parent.glob("*.csproj")] for path in found):
            yield f"{match[0]}: takes the project beside the file, without --file"


@pytest.fixture(scope="module")
def files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *PLACES], cwd=paths.root(), capture_output=True, text=True
    )
    named = [paths.root() / name for name in listed.stdout.split("\0") if name]
    return [path for path in named if path.is_file() and path != Path(__file__)]


@pytest.fixture(scope="module")
def programs(files) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for path in files:
        if path.suffix == ".cs":
            found.setdefault(path.name, []).append(path)
    return found


def test_every_dotnet_run_is_a_release_build_of_the_file_that_it_names(files, programs):
    wrong = {
        f"{path.relative_to(paths.root())}: {each}"
        for path in files
        for each in told(path.read_text(encoding="utf-8"), programs)
    }
    assert not wrong


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("PORT=8080 dotnet run kestrel.cs", "Debug"),
        ("dotnet run -- --filter '*'", "Debug"),
        ("By hand: dotnet run --file a.cs", "Debug"),
        ("dotnet run -c Release strict.cs", "--file"),
        ("dotnet run -c Release --file strict.cs", ""),
        ("what `dotnet run` takes", ""),
    ],
)
def test_what_would_be_found(programs, command, said):
    assert said in " ".join(told(command, programs))
    assert bool(said) == any(told(command, programs))
