"""What tests of everything that programs are given share."""

import pytest

from asked_lab import Asked
from npm_registry import npm_offers


@pytest.fixture
def asked(tmp_path):
    """A user's folder; asked.names("a.mjs", node="20,22"), asked.ratio("a.mjs", "--node", …)."""
    folder = tmp_path / "mine"
    folder.mkdir()
    return Asked(folder)


@pytest.fixture
def npm(tmp_path):
    """A registry that npm asks, and no other; nothing that it got before is known."""
    with npm_offers(tmp_path) as found:
        yield found
