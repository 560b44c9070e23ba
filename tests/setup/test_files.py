"""Writing files whole, and locking them."""

import errno
import os
import stat
import subprocess
import sys

import pytest

from benchbook.system import paths
from benchbook_kernels.base.files import lock, write_atomically


def test_a_full_disk_is_told_with_the_files_name(tmp_path):
    full = tmp_path / "full"
    os.mknod(full, 0o666 | stat.S_IFCHR, os.makedev(1, 7))  # /dev/full
    with pytest.raises(OSError) as caught:
        write_atomically(full, "text")
    assert caught.value.filename == str(full) and caught.value.errno == errno.ENOSPC


def test_a_device_and_a_link_stay_what_they_are(tmp_path):
    null, real, link = tmp_path / "null", tmp_path / "real.json", tmp_path / "link.json"
    os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    real.write_text("old")
    link.symlink_to(real)
    for path in (null, link):
        write_atomically(path, "new")
    assert stat.S_ISCHR(null.stat().st_mode)
    assert link.is_symlink() and real.read_text() == "new"


def test_text_and_bytes_arrive_as_they_are_and_others_may_read_them(tmp_path):
    path = tmp_path / "new folder" / "file"
    write_atomically(path, "größer\n")
    assert path.read_bytes() == "größer\n".encode()
    write_atomically(path, b"\x00\r\n")
    assert path.read_bytes() == b"\x00\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert os.listdir(path.parent) == ["file"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    def broken(*_):
        raise OSError("disk full")

    path = tmp_path / "file"
    path.write_text("old")
    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, "new")
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["file"]


HOLDER = """
import sys
from pathlib import Path
from benchbook_kernels.base.files import lock

with lock(Path(sys.argv[1]), 60):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock until its input ends."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "lock")]
    env = {**os.environ, "PYTHONPATH": paths.pythonpath()}
    with subprocess.Popen(
        command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_lock_that_another_process_holds_is_waited_for(tmp_path, holder):
    waited = []

    def waiting():
        waited.append(True)
        holder.stdin.close()

    with lock(tmp_path / "lock", 60, waiting):
        assert waited == [True]


def test_a_lock_that_is_not_let_go_is_an_error(tmp_path, holder):
    with pytest.raises(TimeoutError, match="is locked"):
        with lock(tmp_path / "lock", 0):
            pass


def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path, holder):
    holder.kill()
    with lock(tmp_path / "lock", 60):
        pass
