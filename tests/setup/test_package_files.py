"""The files that say what set-up installs."""

import ast
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import tomllib

import benchbook
import benchbook_kernels
from benchbook.setup.routes import pip, pythons
from benchbook.setup.routes.apt import apt_sections

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "packages" / "benchbook-kernels"


IMPORTED_AS = {
    "IPython": "ipython",
    "benchbook_kernels": "benchbook-kernels",
}  # where the module is called otherwise than its package


def project(source: Path) -> dict[str, Any]:
    """The table [project] of a package's pyproject.toml."""
    return tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def imported(source: Path) -> set[str]:
    """The packages that the code imports and that are neither Python's own nor its own."""
    found = set()
    for path in (source / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.split(".")[0])
    own = {path.name for path in (source / "src").iterdir()}
    return {IMPORTED_AS.get(name, name) for name in found - own - sys.stdlib_module_names}


def names(requirements: Iterable[str]) -> set[str]:
    """The packages of requirement lines, without their bounds."""
    return {
        re.split("[><=]", line)[0] for line in requirements if line and not line.startswith("#")
    }


@pytest.mark.parametrize("source", [ROOT, KERNELS])
def test_a_package_depends_on_what_its_code_imports(source):
    about = project(source)
    optional = names(about.get("optional-dependencies", {}).get("frames", ()))
    assert names(about["dependencies"]) | optional == imported(source)


def test_benchbook_asks_for_the_kernels_of_its_own_release():
    wanted = f"benchbook-kernels=={benchbook_kernels.__version__}"
    assert wanted in project(ROOT)["dependencies"]
    assert benchbook.__version__ == benchbook_kernels.__version__


def test_the_kernels_ask_for_no_newer_packages_than_benchbook():
    others = {*project(KERNELS)["dependencies"], *project(ROOT)["dependencies"]}
    assert len(names(others)) == len(others)


def test_the_routes_install_what_the_package_depends_on_and_what_its_tests_need():
    about = project(ROOT)
    needed = names([*about["dependencies"], *project(KERNELS)["dependencies"]])
    needed -= {"benchbook-kernels"}
    listed = names((ROOT / "requirements.txt").read_text().splitlines())
    assert listed == needed | {"jupyterlab", "pytest"}
    assert {*pythons.MODULES, *pip.FROM_SYSTEM} <= listed
    conda = (ROOT / "environment.yml").read_text()
    assert [name for name in listed if f"- {name} " not in conda] == []
    apt = apt_sections(ROOT)
    assert {"python", "pip", "tools", "browser", "tests", "lint"} == set(apt)
    debian = {f"python3-{name.replace('_', '-')}" for name in needed - {"ipython"}}
    assert debian <= set(apt["python"])  # ipykernel brings IPython
    tests = {*names(about["optional-dependencies"]["test"]), "hatchling"}
    tests = {{"pyyaml": "yaml"}.get(name, name) for name in tests}  # as Debian calls it
    assert {f"python3-{name}" for name in tests} <= {*apt["python"], *apt["tests"]}


def test_every_python_requirement_has_a_lower_bound():
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    assert [line for line in lines if line and not line.startswith("#") and ">=" not in line] == []


def test_package_lock_names_no_registry_and_pins_every_package_by_hash():
    text = (ROOT / "package-lock.json").read_text()
    packages = json.loads(text)["packages"]
    assert "resolved" not in text
    assert [n for n, p in packages.items() if n and "integrity" not in p] == []
    own = packages[""]
    wanted = json.loads((ROOT / "package.json").read_text())
    assert own["dependencies"] == wanted["dependencies"]
    assert own["devDependencies"] == wanted["devDependencies"]


def test_global_json_asks_for_sdk_10_and_lets_a_newer_one_do():
    sdk = json.loads((ROOT / "global.json").read_text())["sdk"]
    assert sdk == {"version": "10.0.100", "rollForward": "latestMajor", "allowPrerelease": False}
