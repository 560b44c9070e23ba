"""Read what a file of profiles holds."""

from pathlib import Path
from typing import Any

from benchbook.model import documents
from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.system import paths
from benchbook_kernels.base import untrusted


def comparison(path: Path) -> ProfileComparison:
    """The programs that were profiled. Raises InputError naming the field where it does not fit."""
    where = paths.relative(path)
    document: dict[str, Any] = untrusted.read_json(path, where)
    documents.check(document, "why", where)
    found = ProfileComparison.from_json(document, where)
    found.path = path
    return found
