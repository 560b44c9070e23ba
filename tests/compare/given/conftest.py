"""What tests of everything that programs are given share."""

import pytest

from asked_lab import Asked


@pytest.fixture
def asked(tmp_path):
    """A user's folder; asked.names("a.mjs", node="20,22"), asked.ratio("a.mjs", "--node", …)."""
    folder = tmp_path / "mine"
    folder.mkdir()
    return Asked(folder)
