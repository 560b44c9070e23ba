"""Puts what lies above this package in a checkout into the sdist and the wheel: `shipped`."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHIPPED = ("Directory.Packages.props", "package.json")  # which versions of packages we use


class Shipped(BuildHookInterface):
    """An editable install reads the files where they lie; an sdist has its own copies."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root)
        own = root / "shipped"
        folder = own if own.is_dir() else root.parents[1]
        target = "benchbook_kernels/shipped" if self.target_name == "wheel" else "shipped"
        for name in SHIPPED:
            build_data["force_include"][str(folder / name)] = f"{target}/{name}"
