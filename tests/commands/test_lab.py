"""`./bench lab`: what Jupyter is started with, and what is printed."""

import sys

import pytest
from click.testing import CliRunner

from benchbook.commands import cli
from benchbook.commands.begin import lab
from benchbook_kernels.install import kernelspecs


@pytest.fixture
def open_lab(monkeypatch, tmp_path):
    """open_lab("--port", "9000") -> (what Jupyter is called with, what is printed, its token)."""
    monkeypatch.setattr(lab, "find_spec", lambda module: module == "jupyterlab")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    kernelspecs.install(tmp_path)
    monkeypatch.delenv("JUPYTER_TOKEN", raising=False)
    became = []

    def become(words, env=None):
        became.append((words[3:], (env or {}).get("JUPYTER_TOKEN", "")))
        raise SystemExit(0)

    monkeypatch.setattr(lab.running, "become", become)

    def call(*arguments):
        done = CliRunner().invoke(cli.main, ["lab", *arguments])
        assert done.exit_code == 0, done.output
        return became[-1][0], done.output, became[-1][1]

    return call


def test_the_address_is_printed_and_nothing_else(open_lab):
    words, output, token = open_lab()
    port = next(word.partition("=")[2] for word in words if word.startswith("--port="))
    assert output == f"http://127.0.0.1:{port}/lab?token={token}\n" and len(token) == 32
    assert "--ip=127.0.0.1" in words and "--log-level=ERROR" in words


@pytest.mark.parametrize(
    "arguments", [["--port", "9000"], ["--port=9000"], ["--ServerApp.port=9000", "--no-browser"]]
)
def test_a_port_that_is_named_is_taken(open_lab, arguments):
    words, output, _ = open_lab(*arguments)
    assert "127.0.0.1:9000/" in output and words[-1] == "--port=9000"
    assert [word for word in words if "port" in word or word == "9000"] == ["--port=9000"]
    assert ("--no-browser" in words) == ("--no-browser" in arguments)


@pytest.mark.parametrize("root", [True, False])
def test_root_may_where_no_network_can_get_in(open_lab, monkeypatch, root):
    monkeypatch.setattr(lab, "is_root", lambda: root)
    assert ("--allow-root" in open_lab()[0]) == root
    assert "--allow-root" not in open_lab("--ip=0.0.0.0")[0]


@pytest.mark.parametrize("asked", [["--debug"], ["--log-level=INFO"], ["--ip", "0.0.0.0"]])
def test_who_asks_for_jupyters_own_words_gets_them(open_lab, asked):
    words, output, token = open_lab(*asked)
    assert "--log-level=ERROR" not in words and (output, token) == ("", "")


def test_a_folder_or_notebook_that_is_named_is_opened_instead_of_the_checkout(open_lab, tmp_path):
    (tmp_path / "a.ipynb").touch()
    for place in (str(tmp_path), str(tmp_path / "a.ipynb")):
        words, _, _ = open_lab("--no-browser", place)
        assert place in words and not any("notebook-dir" in word for word in words)
    assert any(word.startswith("--notebook-dir=") for word in open_lab("--no-browser")[0])


def test_kernels_that_were_removed_are_installed_again(open_lab, tmp_path):
    for directory in kernelspecs.ours(kernelspecs.folder_in(tmp_path)):
        kernelspecs.remove(directory)
    assert "installed again" in open_lab()[1]
    assert len(kernelspecs.ours(kernelspecs.folder_in(tmp_path))) == len(kernelspecs.KERNELS)
