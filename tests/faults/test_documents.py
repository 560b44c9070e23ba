"""Files that anybody may have written, changed by chance: each is used, or refused in words."""

import json
import os
import shutil
import tarfile
from typing import Any

import pytest
import tomllib
from click.testing import CliRunner
from mutations import as_json, damaged, deep, mutated

from benchbook.commands.cli import main
from benchbook.model import experiments, results
from benchbook.notebook.headless import execute
from benchbook.setup import bundle
from benchbook.setup.steps import SetupError
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError

LOCK = "0123"


def changed(document: Any, draw) -> bytes:
    content = as_json(mutated(document, draw) if draw.random() < 0.8 else document)
    return damaged(content, draw) if draw.random() < 0.3 else content


def says_why(result) -> None:
    """A command that worked, or that said what is wrong; never a traceback."""
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in (0, 1, 2)


@pytest.mark.fault("run file")
def test_a_run_file(checkout, recorded, draw):
    good = json.loads(recorded.path.read_text())
    folder = paths.runs() / "77-made"
    folder.mkdir(parents=True)
    (folder / "good.json").write_bytes(as_json(good))
    bad = folder / "bad.json"
    bad.write_bytes(changed(good, draw))
    try:
        results.load(bad)
    except BenchError as error:
        assert "bad.json" in str(error)
    for command in (
        ["report", "--out", str(checkout / "site")],
        ["share", "--name", "me", "--out", str(checkout / "share.json")],
        ["room", "merge", str(folder), "--out", str(checkout / "room.html")],
    ):
        says_why(CliRunner().invoke(main, command))
    room = CliRunner().invoke(
        main, ["room", "merge", str(folder), "--out", str(checkout / "b.html")]
    )
    refused = [line for line in room.output.splitlines() if "good.json" in line]
    # the other may be newer, and be whole in what a room needs of it
    told = ("is the same run as", "is an older run of")
    right = [line for line in refused if not any(words in line for words in told)]
    assert right == [], "right ones beside wrong ones"


@pytest.mark.fault("claim")
def test_a_claim_or_an_experiment(two_servers, draw):
    file = two_servers / draw.choice(["experiment.toml", "claim.toml"])
    text = file.read_bytes()
    document = tomllib.loads(text.decode())
    if draw.random() < 0.5:
        file.write_bytes(damaged(text, draw))
    else:
        file.write_text(deep(as_toml(mutated(document, draw))), encoding="utf-8", errors="replace")
    try:
        experiments.load(two_servers)
    except BenchError as error:
        assert ".toml" in str(error) or str(two_servers) in str(error)


def as_toml(document: Any) -> str:
    """A document as TOML, as far as it has values that TOML has (inline tables for all)."""
    if not isinstance(document, dict):
        return f"x = {value_toml(document)}\n"
    return "".join(f"{json.dumps(str(k))} = {value_toml(v)}\n" for k, v in document.items())


def value_toml(value: Any) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(str(k))} = {value_toml(v)}" for k, v in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(value_toml, value))}]"
    return json.dumps(value) if value is not None else '""'


@pytest.mark.fault("notebook")
def test_a_notebook(tmp_path, draw):
    good = json.loads((paths.notebooks() / "04-setheader-vs-writehead.ipynb").read_text())
    file = tmp_path / "04.ipynb"
    file.write_bytes(changed(good, draw))
    try:
        execute.read(file)
    except BenchError as error:
        assert "04.ipynb" in str(error)


@pytest.mark.fault("bundle")
def test_a_bundle(tmp_path, draw):
    folder = tmp_path / "stick"
    (folder / "wheels").mkdir(parents=True)
    (folder / "wheels" / "tiny-1.0-py3-none-any.whl").write_bytes(b"wheel")
    (tmp_path / "entry").write_text("cached")
    with tarfile.open(folder / "npm.tar", "w") as packed:
        packed.add(tmp_path / "entry", "_cacache/entry")
    names = ["npm.tar", "wheels/tiny-1.0-py3-none-any.whl"]
    manifest = {
        "format": bundle.FORMAT,
        "platform": bundle.this_platform(),
        "route": "pip",
        "lock": LOCK,
        "npm_registry": "https://npm.example/",
        "nuget": {},
        "files": {name: bundle.sha256(folder / name) for name in names},
    }
    (folder / "manifest.json").write_bytes(changed(manifest, draw))
    if draw.random() < 0.3:
        victim = folder / draw.choice(names)
        victim.write_bytes(damaged(victim.read_bytes(), draw))
    try:
        bundle.open_bundle(folder, LOCK)
    except SetupError as error:
        assert str(folder) in str(error)
    shutil.rmtree(folder)
    assert os.listdir(tmp_path) == ["entry"]
