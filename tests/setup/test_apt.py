"""Debian packages: what is installed, what is asked, what is only printed."""

import os

import pytest
from fakes import as_root, fake

from benchbook.setup.routes.apt import apt_install
from benchbook.setup.steps import SetupError


def test_as_root_missing_packages_are_installed_at_once(setup, debian, monkeypatch):
    as_root(monkeypatch, True)
    apt_install(setup, ["python3", "python3-click"], ["wrk"])
    calls = debian.read_text()
    assert "sudo" not in calls
    assert calls.count(" install ") == 1
    assert calls.rstrip().endswith("install --no-install-recommends python3-click wrk")
    assert setup.notes == []


def test_packages_that_are_there_are_not_asked_for_again(setup, debian, monkeypatch):
    as_root(monkeypatch, True)
    apt_install(setup, ["python3"])
    assert debian.read_text() == ""


def test_package_lists_are_fetched_when_apt_knows_no_candidate(
    setup, debian, bin_dir, tmp_path, monkeypatch
):
    as_root(monkeypatch, True)
    marker = tmp_path / "updated"
    fake(
        bin_dir,
        "apt-cache",
        f'if [ -e {marker} ]; then echo "  Candidate: 1"; else echo "  Candidate: (none)"; fi',
    )
    apt_get = (bin_dir / "apt-get").read_text()
    fake(bin_dir, "apt-get", apt_get + f'case "$*" in *update*) : >{marker} ;; esac')
    apt_install(setup, ["python3-click"])
    assert [line.split()[-1] for line in debian.read_text().splitlines()] == [
        "update",
        "python3-click",
    ]


def test_an_unknown_required_package_is_named(setup, debian, bin_dir, monkeypatch):
    as_root(monkeypatch, True)
    fake(bin_dir, "apt-cache", 'echo "  Candidate: (none)"')
    with pytest.raises(SetupError, match="apt has no package named python3-click") as caught:
        apt_install(setup, ["python3-click"])
    assert "--route pip" in caught.value.remedy


def test_an_unknown_optional_package_is_only_a_note(setup, debian, bin_dir, monkeypatch):
    as_root(monkeypatch, True)
    fake(bin_dir, "apt-cache", 'test "$2" = wrk || echo "  Candidate: 1"')
    apt_install(setup, ["python3-click"], ["wrk"])
    assert setup.notes == ["optional, could not be installed: wrk"]


def test_without_root_the_command_is_printed_and_nothing_is_done(setup, debian, monkeypatch):
    as_root(monkeypatch, False)
    monkeypatch.setattr("sys.stdin", open(os.devnull))
    with pytest.raises(SetupError) as caught:
        apt_install(setup, ["python3-click"], ["wrk"])
    command = "sudo apt-get install --no-install-recommends python3-click wrk"
    assert caught.value.remedy.splitlines()[0] == command
    assert "--yes" in caught.value.remedy
    assert debian.read_text() == ""


def test_without_root_yes_means_sudo_without_a_question(setup, debian, monkeypatch):
    as_root(monkeypatch, False)
    monkeypatch.setattr("sys.stdin", open(os.devnull))
    setup.options.yes = True
    apt_install(setup, ["python3-click"])
    calls = debian.read_text().splitlines()
    assert calls[0].startswith("sudo -n env") and calls[1].startswith("apt-get")


def test_without_root_missing_load_tools_do_not_stop_the_set_up(setup, debian, monkeypatch):
    as_root(monkeypatch, False)
    monkeypatch.setattr("sys.stdin", open(os.devnull))
    apt_install(setup, [], ["wrk"])
    assert "sudo apt-get install --no-install-recommends wrk" in setup.notes[0]


def test_without_sudo_the_command_is_one_for_su(setup, debian, monkeypatch):
    as_root(monkeypatch, False, sudo=False)
    setup.options.yes = True
    with pytest.raises(SetupError) as caught:
        apt_install(setup, ["python3-click"])
    command = "su -c 'apt-get install --no-install-recommends python3-click'"
    assert caught.value.remedy == command
    assert debian.read_text() == ""
