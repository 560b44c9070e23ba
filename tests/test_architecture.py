"""The layers of the packages: imports run one way only."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import benchbook_kernels
from benchbook.system import paths

LAYERS = (
    "loadtools",
    "setup",
    "system",
    "model",
    "analysis",
    "programs",
    "load",
    "race",
    "compare",
    "profiling",
    "show",
    "notebook",
    "commands",
)
KERNELS = Path(benchbook_kernels.__file__).parent
KERNEL_LAYERS = ("base", "install", "notebook", "commands")
PACKAGES = {"benchbook": (paths.PACKAGE, LAYERS), "benchbook_kernels": (KERNELS, KERNEL_LAYERS)}
# Files here are doors: the command line, the kernels, and what Python programs may rely on.
DOORS = {folder for folder, _ in PACKAGES.values()}
FILES = sorted(file for folder, _ in PACKAGES.values() for file in folder.rglob("*.py"))
WITH_TESTS = [*FILES, *sorted(Path(__file__).parent.rglob("*.py"))]
LONGEST_FILE, LONGEST_FUNCTION = 400, 50  # lines


def imported(path: Path) -> Iterator[str]:
    """The modules of this package that a file imports, wherever in the file it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports from where it lies: name the package"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def module(path: Path) -> str:
    """The dotted name of a file of ours."""
    folder, _ = PACKAGES["benchbook_kernels" if path.is_relative_to(KERNELS) else "benchbook"]
    return ".".join((folder.name, *path.relative_to(folder).with_suffix("").parts))


def file_of(name: str) -> Path | None:
    """The file of a module, or of that which has this name in it; None for others'."""
    package, *parts = name.split(".")
    if package not in PACKAGES:
        return None
    folder = PACKAGES[package][0]
    for given in (parts, parts[:-1]):
        for path in (
            folder.joinpath(*given).with_suffix(".py"),
            folder.joinpath(*given, "__init__.py"),
        ):
            if given and path.is_file():
                return path
    return folder / "__init__.py"


def floor(name: str) -> int:
    """How far down a module lies: Benchbook on the kernels, a package itself above its layers, what
    it promises to Python programs below all."""
    parts = name.split(".")
    if parts[0] not in PACKAGES:
        return -1
    layers = PACKAGES[parts[0]][1]
    if parts[1:2] == ["_api"]:
        return len(KERNEL_LAYERS) + len(LAYERS)
    ground = len(KERNEL_LAYERS) if parts[0] == "benchbook" else 0
    return ground + layers.index(parts[1]) if len(parts) > 1 and parts[1] in layers else -1


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_lies_in_a_layer(package):
    folder, layers = PACKAGES[package]
    files = [path for path in FILES if path.is_relative_to(folder)]
    assert [p for p in files if p.parent == folder and p.stem[0] != "_"] == []
    assert {p.relative_to(folder).parts[0] for p in files if p.parent != folder} == set(layers)


def test_no_module_imports_from_a_layer_below_its_own():
    inner = [path for path in FILES if path.parent not in DOORS]
    assert {
        (module(path), name)
        for path in inner
        for name in imported(path)
        if floor(name) > floor(module(path))
    } == set()


# What reaches into another layer although no import says so, and why it may.
HIDDEN = {
    "benchbook/notebook/exercises.py": ("?", "exercises are a file of an experiment"),
    "benchbook_kernels/install/extensions.py": ("?", "magics of other packages, by entry points"),
    "benchbook/notebook/lessons.py": (
        "?",
        "lessons are files of an experiment, outside of the package",
    ),
    "benchbook/setup/bootstrap.py": (
        "commands",
        "a process in the environment that was made: doctor",
    ),
    "benchbook_kernels/install/kernelspecs.py": ("notebook", "what kernel.json said formerly"),
    "benchbook/setup/package.py": (
        "notebook",
        "a process in the environment that was made: it builds",
    ),
}
NAMED = re.compile(
    r"\bbenchbook(?:_kernels)?\.(\w+)|\bfrom benchbook(?:_kernels)? import ([\w, ]+)"
)
READERS = {"ast", "tokenize"}
LOADERS = {
    "exec",
    "resolve_name",
    "entry_points",
    "import_module",
    "__import__",
    "run_module",
    "run_path",
    "exec_module",
}


def docstrings(tree: ast.AST) -> set[int]:
    """The ids of the texts in a tree that stand for themselves."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def reached(source: str, own: str) -> set[str]:
    """The layers that a source reaches into by a string or by a computed import, beside its own
    layer; "ast" where it reads source, "?" where it can't be known what is imported."""
    tree = ast.parse(source)
    about, found, plain = docstrings(tree), set(), set()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str(text)) if id(node) not in about:
                named = re.findall(r"\w+", " ".join(map(" ".join, NAMED.findall(text))))
                found |= set(named) & {*LAYERS, *KERNEL_LAYERS}
            case ast.Call(func=ast.Name(name) | ast.Attribute(attr=name) as loader):
                if name in LOADERS and begins_with_a_layer(node):
                    plain.add(id(loader))
            case ast.Import(names=names) if READERS & {each.name for each in names}:
                found.add("ast")
            case ast.ImportFrom(module=name) if name in READERS:
                found.add("ast")
    for node in ast.walk(tree):  # however a loader is called, and by whatever name
        match node:
            case ast.Name(name) | ast.Attribute(attr=name) if name in LOADERS:
                found |= set() if id(node) in plain else {"?"}
    return found - {own}


def begins_with_a_layer(call: ast.Call) -> bool:
    """Does it stand in the source which layer of ours a call imports from?"""
    first = call.args[0] if call.args else None
    text = first.values[0] if isinstance(first, ast.JoinedStr) else first
    return isinstance(text, ast.Constant) and bool(NAMED.match(str(text.value)))


def test_no_module_reaches_into_another_layer_where_no_import_says_so():
    found = {}
    for path in FILES:
        name = module(path)
        if layers := reached(path.read_text(encoding="utf-8"), f"{name}.".split(".")[1]):
            found[f"{name.replace('.', '/')}.py"] = layers
    assert found == {name: {layer} for name, (layer, _) in HIDDEN.items()}


@pytest.mark.parametrize(
    ("source", "layers"),
    [
        ('import_module("benchbook.load.wrk")', {"load"}),
        ('importlib.import_module(f"benchbook.race.{name}")', {"race"}),
        ("importlib.import_module(name)", {"?"}),
        ('importlib.import_module(f"{FOLDER}.{name}")', {"?"}),
        ('__import__("benchbook.show.cards.race_cards")', {"show"}),
        ('CODE = "import sys\\nfrom benchbook import show, load\\n"', {"show", "load"}),
        ('CODE = "from benchbook_kernels.notebook.sessions import csharp"', {"notebook"}),
        ('words = [python, "-m", "benchbook.commands.begin.doctor"]', {"commands"}),
        ('FOLDER = "benchbook.load"', {"load"}),
        ("load = import_module", {"?"}),
        ("from importlib import import_module as im\nim = importlib.import_module", {"?"}),
        ("pkgutil.resolve_name(name)", {"?"}),
        ("import ast", {"ast"}),
        ("from ast import parse", {"ast"}),
        ('import_module(f"benchbook.model.{name}")', set()),
        ('"""As benchbook.load has it."""', set()),
        ('FILE = "benchbook.json"', set()),
    ],
)
def test_what_reaches_into_another_layer_is_found(source, layers):
    assert reached(source, "model") == layers


def test_the_kernels_import_nothing_of_benchbook():
    for path in KERNELS.rglob("*.py"):
        assert [name for name in imported(path) if name.split(".")[0] == "benchbook"] == [], path


def test_setup_needs_only_the_standard_library():
    """Whatever it imports, of the kernels, too."""
    layers = (paths.PACKAGE / "setup", paths.PACKAGE / "loadtools", KERNELS / "install")
    waiting, seen = [path for layer in layers for path in sorted(layer.rglob("*.py"))], set()
    while waiting:
        path = waiting.pop()
        seen.add(path)
        names = list(imported(path))
        assert {name.split(".")[0] for name in names} - {*PACKAGES} <= sys.stdlib_module_names, path
        waiting += [found for name in names if (found := file_of(name)) and found not in seen]
    assert KERNELS / "base" / "files.py" in seen and KERNELS / "base" / "processes.py" not in seen


@pytest.mark.parametrize(
    "folder",
    [folder / layer for folder, layers in PACKAGES.values() for layer in layers],
    ids=module,
)
def test_a_layer_says_what_it_is_for(folder):
    tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    assert ast.get_docstring(tree).endswith(".")


def test_files_and_functions_are_short():
    long: dict[str, int] = {}
    for path in WITH_TESTS:
        source = path.read_text(encoding="utf-8")
        if source.count("\n") > LONGEST_FILE:
            long[str(path)] = source.count("\n")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = node.end_lineno - node.lineno + 1
                if length > LONGEST_FUNCTION:
                    long[f"{path}, {node.name}"] = length
    assert long == {}


def test_no_two_classes_share_a_name():
    found: dict[str, list[str]] = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(f"{path.stem}:{node.lineno}")
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


# ── Folders and circles ──────────────────────────────────────────────────────────────────────────

MOST_FILES = 15  # of a folder, not counting those in its folders
MADE = {"__pycache__", "bin", "obj"}
HOST = Path("notebook", "sessions", "csharp_host")
MOST_OF_THE_PROTOCOL = 25  # files of race/ that belong to no kind


def modules() -> dict[str, Path]:
    """The files of the packages by what they are imported as."""
    found = {}
    for path in FILES:
        found[module(path).removesuffix(".__init__")] = path
    return found


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Modules each of which imports the one before it, the first one the last; [] where none do."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_file_imports_what_imports_it():
    known = modules()
    graph = {
        name: {each for word in imported(path) for each in (word, word.rpartition(".")[0])}
        & known.keys() - {name}
        for name, path in known.items()
        if path.parent not in DOORS  # they import what is asked of them, when it is
    }
    assert circle(graph) == []


def test_a_circle_is_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})) == {"a", "b", "c"}


def test_a_folder_has_few_enough_files_to_be_read_as_one():
    """Of whatever language; not those that Python or a build makes there, or hides."""
    packages = [folder for folder, _ in PACKAGES.values()]
    counts = Counter(
        path.parent
        for package in packages
        for path in package.rglob("*")
        if path.is_file() and path.name[0] != "." and not MADE & {*path.relative_to(package).parts}
    )
    assert counts[paths.PACKAGE / "commands"] and counts[KERNELS / HOST / "Output"]
    assert {folder: n for folder, n in counts.items() if n > MOST_FILES} == {}


def test_the_protocol_of_a_race_is_few_files():
    race = paths.PACKAGE / "race"
    protocol = [p for p in FILES if race in p.parents and race / "kinds" not in p.parents]
    assert 0 < len(protocol) <= MOST_OF_THE_PROTOCOL
