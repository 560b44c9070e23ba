"""Python outside of the package still fits it: tools/, studies/, and %%python in notebooks."""

import ast
import importlib
import json
import re
from collections.abc import Iterator

import pytest

from benchbook.system import paths

SCRIPTS = sorted(p for name in ("tools", "studies") for p in (paths.root() / name).glob("*.py"))
NOTEBOOKS = sorted(paths.notebooks().glob("*.ipynb"))
BLOCK = re.compile(r"^```\w*\n%%python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def missing(source: str) -> Iterator[str]:
    """What a source takes from Benchbook's modules that they do not have."""
    tree = ast.parse(source)
    taken = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("benchbook"):
            for alias in node.names:
                taken[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for name in taken.values():
        if found(name) is None:
            yield name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            whole = taken.get(node.value.id)
            if whole and found(f"{whole}.{node.attr}") is None:
                yield f"{whole}.{node.attr}"


def found(name: str) -> object:
    """The module, or the part of a module, of this name; None where there is none."""
    home, _, last = name.rpartition(".")
    try:
        return importlib.import_module(name)
    except ImportError:
        return getattr(found(home), last, None) if home else None


def python_cells(notebook: dict) -> Iterator[str]:
    """The Python of a notebook: its cells and those of its solutions."""
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and source.startswith("%%python\n"):
            yield re.sub(r"^[%!].*", "", source, flags=re.MULTILINE)
        yield from BLOCK.findall(source)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.stem)
def test_a_script_takes_what_the_package_has(path):
    assert list(missing(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_python_in_a_notebook_takes_what_the_package_has(path):
    cells = python_cells(json.loads(path.read_text(encoding="utf-8")))
    assert [name for cell in cells for name in missing(cell)] == []


def test_what_is_missing_is_named():
    source = "from benchbook.model import results, nothing\nresults.load\nresults.gone()"
    assert set(missing(source)) == {"benchbook.model.nothing", "benchbook.model.results.gone"}
