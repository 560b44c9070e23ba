"""The rooms of the package: imports run one way only."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchbook.system import paths

ROOMS = (
    "loadtools",
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


# What reaches into another room although no import says so, and why it may.
HIDDEN = {
    "notebook/lessons.py": ("?", "lessons are files of an experiment, outside of the package"),
    "setup/bootstrap.py": ("commands", "a process in the environment that was made: doctor"),
    "setup/kernelspecs.py": ("notebook", "kernel.json names the process that Jupyter starts"),
    "setup/languages.py": ("ast", "set-up reads the languages before they can be imported"),
    "setup/package.py": ("notebook", "a process in the environment that was made: it builds"),
}
NAMED = re.compile(r"\bbenchbook\.(\w+)|\bfrom benchbook import ([\w, ]+)")
LOADERS = {"import_module", "__import__", "run_module", "run_path", "exec_module"}


def reached(source: str, own: str) -> set[str]:
    """The rooms that a source reaches into by a string or by a computed import, beside its own
    room; "ast" where it reads source, "?" where it can't be known what is imported."""
    tree = ast.parse(source)
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str(text)) if id(node) not in docstrings:
                found |= set(re.findall(r"\w+", " ".join(map(" ".join, NAMED.findall(text))))) & {
                    *ROOMS
                }
            case ast.Call(func=ast.Name(name) | ast.Attribute(attr=name)) if name in LOADERS:
                found |= set() if begins_with_a_room(node) else {"?"}
            case ast.Import(names=names) if {"ast", "tokenize"} & {each.name for each in names}:
                found.add("ast")
    return found - {own}


def begins_with_a_room(call: ast.Call) -> bool:
    """Does it stand in the source which room of ours a call imports from?"""
    first = call.args[0] if call.args else None
    text = first.values[0] if isinstance(first, ast.JoinedStr) else first
    return isinstance(text, ast.Constant) and bool(NAMED.match(str(text.value)))


def test_no_module_reaches_into_another_room_where_no_import_says_so():
    found = {}
    for path in FILES:
        name = path.relative_to(paths.PACKAGE).as_posix()
        if rooms := reached(path.read_text(encoding="utf-8"), name.partition("/")[0]):
            found[name] = rooms
    assert found == {name: {room} for name, (room, _) in HIDDEN.items()}


@pytest.mark.parametrize(
    ("source", "rooms"),
    [
        ('import_module("benchbook.load.wrk")', {"load"}),
        ('importlib.import_module(f"benchbook.race.{name}")', {"race"}),
        ("importlib.import_module(name)", {"?"}),
        ('importlib.import_module(f"{FOLDER}.{name}")', {"?"}),
        ('__import__("benchbook.show.cards")', {"show"}),
        ('CODE = "import sys\\nfrom benchbook import show, load\\n"', {"show", "load"}),
        ('CODE = "from benchbook.notebook.sessions import csharp"', {"notebook"}),
        ('words = [python, "-m", "benchbook.commands.doctor"]', {"commands"}),
        ('FOLDER = "benchbook.load"', {"load"}),
        ("import ast", {"ast"}),
        ('import_module(f"benchbook.model.{name}")', set()),
        ('"""As benchbook.load has it."""', set()),
        ('FILE = "benchbook.json"', set()),
    ],
)
def test_what_reaches_into_another_room_is_found(source, rooms):
    assert reached(source, "model") == rooms


@pytest.mark.parametrize("name", ["loadtools", "setup"])
def test_set_up_needs_only_the_standard_library(name):
    for path in (paths.PACKAGE / name).rglob("*.py"):
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


def test_no_two_classes_share_a_name():
    found: dict[str, list[str]] = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(f"{path.stem}:{node.lineno}")
    assert {name: places for name, places in found.items() if len(places) > 1} == {}
