"""Copies of programs that listen on another address than 127.0.0.1, for a load from another host.

Programs say 127.0.0.1 in their code. The copies say the address of --listen instead, and
programs.py checks that they listen there and nowhere else.
"""

import shutil
from dataclasses import replace
from pathlib import Path

from benchbook.model.experiments import Experiment
from benchbook.programs.programs import HOST
from benchbook.system import paths

BACKEND = "BACKEND_PORT"  # a line with this speaks of what a proxy passes requests on to


def addressed(
    experiment: Experiment, address: str, folder: Path
) -> tuple[Experiment, dict[str, str]]:
    """The experiment with programs that listen on `address`: copies in `folder` (in the checkout).

    Where code says 127.0.0.1 the copy says `address`, but for lines that speak of a proxy's
    backend: that stays on 127.0.0.1, and its code as it is. Also returned: why a variant can't be
    raced so, by name.
    """
    if address == HOST:
        return experiment, {}
    copies: dict[Path, Path] = {}
    changed, unfit = [], {}
    for variant in experiment.variants:
        source = variant.path.parent
        if source not in copies:
            copies[source] = folder / str(len(copies))
            ignored = shutil.ignore_patterns("node_modules", "bin", "obj")
            shutil.copytree(source, copies[source], ignore=ignored)
        path = copies[source] / variant.path.name
        files = [path] if path.suffix != ".csproj" else sorted(path.parent.rglob("*.cs"))
        if not sum([readdress(file, address) for file in files]):
            unfit[variant.name] = (
                f"{paths.relative(variant.path)} does not name {HOST}, so it can't be told to "
                "listen on the address of --listen"
            )
        changed.append(replace(variant, path=path))
    return replace(experiment, variants=tuple(changed)), unfit


def readdress(file: Path, address: str) -> bool:
    """Put `address` for 127.0.0.1 in a file; does it say the address now?"""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join(line if BACKEND in line else line.replace(HOST, address) for line in lines)
    file.write_text(text, encoding="utf-8")
    return address in text
