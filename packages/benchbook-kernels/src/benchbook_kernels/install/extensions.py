"""The IPython extensions that a kernel loads: magics of packages that build upon the kernels.

A package names its own in the group `benchbook_kernels.extensions` of its entry points. A checkout
is not installed: there the table in its pyproject.toml says the same.
"""

from importlib.metadata import entry_points

import tomllib

from benchbook_kernels.base import paths

GROUP = "benchbook_kernels.extensions"


def found() -> list[str]:
    """The modules to load, each once."""
    installed = [each.value for each in entry_points(group=GROUP)]
    return list(dict.fromkeys([*of_checkout(), *installed]))


def of_checkout() -> list[str]:
    """What the checkout that these sources lie in declares; none where they lie in no checkout."""
    if paths.SHIPPED.is_dir():
        return []
    try:
        text = (paths.OWN / "pyproject.toml").read_text(encoding="utf-8")
    except OSError:
        return []
    declared = tomllib.loads(text)["project"].get("entry-points", {}).get(GROUP, {})
    return list(declared.values())
