"""The scripts of tools/, which are no package, as modules."""

import importlib.util
from types import ModuleType

from benchbook.system import paths


def loaded(name: str) -> ModuleType:
    """tools/NAME.py, run as a module of its own."""
    path = paths.root() / "tools" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
