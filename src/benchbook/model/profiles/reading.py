"""Read what a file of profiles holds."""

from pathlib import Path

from benchbook.model import documents
from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.system import paths


def comparison(path: Path) -> ProfileComparison:
    """The programs that were profiled. Raises InputError naming the field where it does not fit."""
    document = documents.read_json(path, "why")
    found = ProfileComparison.from_json(document, paths.relative(path))
    found.path = path
    return found
