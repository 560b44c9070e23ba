"""The rooms of the package: imports run one way only."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchbook.system import paths

ROOMS = (
    "setup",
    "system",
    "model",
    "analysis",
    "programs",
    "load",
    "race",
    "show",
    "notebook",
    "commands",
)
FILES = sorted(paths.PACKAGE.rglob("*.py"))
WITH_TESTS = [*FILES, *sorted(Path(__file__).parent.rglob("*.py"))]
LONGEST_FILE, LONGEST_FUNCTION = 400, 50  # lines


def imported(path: Path) -> Iterator[str]:
    """The modules of this package that a file imports, wherever in the file it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def floor(name: str) -> int:
    """How far down a module lies; the package itself stands above all rooms."""
    parts = name.split(".")
    return ROOMS.index(parts[1]) if len(parts) > 1 and parts[1] in ROOMS else -1


def test_every_module_lies_in_a_room():
    outside = [p for p in FILES if p.parent == paths.PACKAGE and p.stem[0] != "_"]
    assert outside == []
    found = {p.relative_to(paths.PACKAGE).parts[0] for p in FILES if p.parent != paths.PACKAGE}
    assert found == set(ROOMS)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(paths.PACKAGE)))
def test_no_module_imports_from_a_room_below_its_own(path):
    own = ".".join(("benchbook", *path.relative_to(paths.PACKAGE).with_suffix("").parts))
    if own == "benchbook.__main__":  # the command line's door
        return
    assert [name for name in imported(path) if floor(name) > floor(own)] == []


def test_setup_needs_only_the_standard_library():
    for path in (paths.PACKAGE / "setup").glob("*.py"):
        tops = {name.split(".")[0] for name in imported(path)} - {"benchbook"}
        assert tops <= sys.stdlib_module_names, path


@pytest.mark.parametrize("name", ROOMS)
def test_a_room_says_what_it_is_for(name):
    tree = ast.parse((paths.PACKAGE / name / "__init__.py").read_text(encoding="utf-8"))
    assert ast.get_docstring(tree).endswith(".")


@pytest.mark.parametrize("path", WITH_TESTS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_files_and_functions_are_short(path):
    source = path.read_text(encoding="utf-8")
    assert source.count("\n") <= LONGEST_FILE
    functions = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    lengths = {node.name: node.end_lineno - node.lineno + 1 for node in functions}
    assert {name: n for name, n in lengths.items() if n > LONGEST_FUNCTION} == {}
