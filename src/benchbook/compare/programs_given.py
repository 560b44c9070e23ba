"""Programs of the reader's own, as variants: servers, and what runs to its end."""

import os
from collections.abc import Sequence
from pathlib import Path

from benchbook.model.variants import Variant
from benchbook.programs import runners
from benchbook_kernels.base.errors import InputError

READY_SECONDS = 20.0  # a framework of somebody's own may take its time


def variants(words: Sequence[str], folder: Path) -> list[Variant]:
    """A variant for each file; one that is named twice is one. folder: where their paths begin.

    Raises InputError where nothing is known that runs such a file.
    """
    typed = {(folder / word).resolve(): word for word in words}
    files = list(typed)
    for file, word in typed.items():
        if runners.find(file) is None and not runners.by_system(file):
            known = ", ".join(suffix for each in runners.RUNNERS for suffix in each.suffixes)
            problem = f"nothing is known that runs a {file.suffix or 'file without ending'}"
            raise InputError(word, "", problem, f"known are {known}, and executables")
    names = names_of(files, folder)
    return [
        Variant(name, name, file, ready_seconds=READY_SECONDS, executable=runners.by_system(file))
        for name, file in zip(names, files, strict=True)
    ]


def names_of(files: Sequence[Path], folder: Path) -> list[str]:
    """What files are called: by as little of their paths as tells them apart. folder: from which
    these count, since a revision's has a name of its own in each race."""
    parts = [Path(os.path.relpath(file, folder)).parts for file in files]
    shortest = [[file.stem for file in files], [file.name for file in files]]
    most = max(map(len, parts))
    longer = ["/".join(each[-count:]) for count in range(1, most + 1) for each in parts]
    rest = [longer[i : i + len(files)] for i in range(0, len(longer), len(files))]
    for names in [*shortest, *rest]:
        if len(set(names)) == len(names):
            return names
    return rest[-1]
