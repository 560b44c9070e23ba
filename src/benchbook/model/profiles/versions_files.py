"""What was kept of statements by version, read: one file, and all that Benchbook brings along."""

from pathlib import Path

from benchbook.model import documents, experiments
from benchbook.model.profiles.by_version import (
    AskedStatement,
    ByVersion,
    VersionAnswer,
    VersionTold,
)
from benchbook.system import paths


def read(path: Path) -> ByVersion:
    """What a file says. Raises InputError naming the field where it does not fit the schema."""
    document = documents.read_json(path, "versions")
    members = {name: value for name, value in document.items() if name != "format"}
    members["versions"] = [VersionTold(**each) for each in document["versions"]]
    members["statements"] = [AskedStatement(**each) for each in document["statements"]]
    members["answers"] = [VersionAnswer(**each) for each in document["answers"]]
    return ByVersion(**members, path=path)


def recorded() -> list[ByVersion]:
    """The answers that Benchbook brings along, in the order of their experiments."""
    return list(map(read, sorted(paths.references().glob(f"*.{experiments.VERSIONS}.json"))))
