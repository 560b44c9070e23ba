"""The list of licences has a row for all that set-up fetches by name, as the lock file says."""

import json
import re

import pytest

from benchbook.system import paths

ROWS = dict(
    ((source, package), licence)
    for source, package, licence in re.findall(
        r"^\| (npm|NuGet|PyPI) \| (\S+) \| (\S+) \|$",
        (paths.root() / "docs" / "licences.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
)


def rows(source: str) -> set[str]:
    return {package for of, package in ROWS if of == source}


def test_npm():
    lock = json.loads((paths.root() / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    asked = [lock[""].get(kind, {}) for kind in lock[""] if kind.lower().endswith("dependencies")]
    names = {name for packages in asked for name in packages}
    assert rows("npm") == names
    for name in names:
        assert ROWS["npm", name] == lock[f"node_modules/{name}"]["license"]
    assert all(entry.get("integrity") for place, entry in lock.items() if place), "digests"


@pytest.mark.parametrize(
    "source, file, pattern",
    [
        ("NuGet", "Directory.Packages.props", r'<PackageVersion Include="([^"]+)"'),
        ("PyPI", "requirements.txt", r"^([a-z0-9_]+)[>=]"),
    ],
)
def test_others(source, file, pattern):
    text = (paths.root() / file).read_text(encoding="utf-8")
    assert rows(source) == set(re.findall(pattern, text, re.MULTILINE))
