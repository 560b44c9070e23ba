"""Read what a file of profiles holds."""

from pathlib import Path
from typing import Any

from benchbook.model import documents
from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.model.profiles.profile import Profile
from benchbook.system import paths
from benchbook_kernels.base import untrusted


def profile(path: Path) -> Profile:
    """The profile in a file. Raises InputError naming the field where it does not fit."""
    where = paths.relative(path)
    document: dict[str, Any] = untrusted.read_json(path, where)
    documents.check(document, "profile", where)
    return Profile.from_json(document, where)


def comparison(path: Path) -> ProfileComparison:
    """As `profile`, for two programs that were profiled."""
    where = paths.relative(path)
    document: dict[str, Any] = untrusted.read_json(path, where)
    documents.check(document, "why", where)
    found = ProfileComparison.from_json(document, where)
    found.path = path
    return found
