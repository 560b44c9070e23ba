"""A checkout to set up, with fake commands on PATH: no network, no real apt."""

import os
from pathlib import Path

import pytest
from fakes import fake

from benchbook.setup.steps import Setup, SetupOptions

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bin_dir(tmp_path, monkeypatch):
    """A folder of fake commands; only these and the shell's own are on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "env", "cat", "echo"):
        real = next(
            place for place in (f"/bin/{name}", f"/usr/bin/{name}") if os.path.exists(place)
        )
        os.symlink(real, folder / name)
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def setup(tmp_path):
    """A set-up in a checkout of its own, which says nothing."""
    root = tmp_path / "check out"
    (root / ".benchbook").mkdir(parents=True)
    for name in ("requirements.txt", "requirements-apt.txt", "package.json", "package-lock.json"):
        (root / name).write_bytes((ROOT / name).read_bytes())
    made = Setup(root, SetupOptions(quiet=True))
    made.log.write_text("")
    return made


@pytest.fixture
def debian(bin_dir, tmp_path):
    """Fake Debian tools: what apt-get was asked for is in the returned file; installs count."""
    calls, installed = tmp_path / "calls", tmp_path / "installed"
    calls.write_text("")
    installed.write_text("python3\n")
    fake(
        bin_dir, "sudo", f'echo "sudo $*" >>{calls}\nwhile [ "$1" = -n ]; do shift; done\nexec "$@"'
    )
    fake(
        bin_dir,
        "dpkg-query",
        f'while read -r p; do echo "installed $p"; done <{installed}\nexit 1',
    )
    fake(bin_dir, "apt-cache", 'echo "$2:"; echo "  Candidate: 1.0"')
    fake(
        bin_dir,
        "apt-get",
        f'echo "apt-get $*" >>{calls}\n'
        'for p in "$@"; do case $p in -*|*=*|install|update) ;; '
        f'*) echo "$p" >>{installed} ;; esac; done',
    )
    return calls
