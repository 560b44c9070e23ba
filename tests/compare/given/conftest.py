"""What tests of everything that programs are given share."""

import pytest

from asked_lab import Asked
from npm_registry import registry


@pytest.fixture
def asked(tmp_path):
    """A user's folder; asked.names("a.mjs", node="20,22"), asked.ratio("a.mjs", "--node", …)."""
    folder = tmp_path / "mine"
    folder.mkdir()
    return Asked(folder)


@pytest.fixture
def npm(tmp_path, monkeypatch):
    """A registry that npm asks, and no other; nothing that it got before is known."""
    with registry() as found:
        monkeypatch.setenv("npm_config_registry", found.address)
        monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm-cache"))
        yield found
