"""Ten thousand documents for each reader, by Hypothesis, which shrinks what it finds and keeps it
in .hypothesis as a corpus: whatever is read is used, or refused by an error that names the file.

https://hypothesis.readthedocs.io
"""

import json
import os
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest
import tomllib
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutations import as_json, damaged, deep, mutated
from test_documents import as_toml

from benchbook.analysis.pooled.gathering import gather
from benchbook.model import experiments, results
from benchbook.notebook.headless import execute
from benchbook.setup import bundle
from benchbook.setup.steps import SetupError
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.notebook.interactive import conversion

EXAMPLES = 20 * int(os.environ["BENCHBOOK_FAULTS"])  # 10,000 in a campaign of 500 faults
GOLDEN = json.loads((paths.root() / "data/serializers/golden.json").read_text("utf-8"))["array"]
FUZZ = settings(
    max_examples=EXAMPLES,
    deadline=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def content(draw: st.DataObject, good: Any, written=as_json) -> bytes:
    """Mostly a good document with changes; sometimes any JSON value, or any bytes."""
    kind = draw.draw(st.integers(0, 9), label="kind")
    if kind == 0:
        return draw.draw(st.binary(max_size=200), label="bytes")
    if kind == 1:
        return as_json(draw.draw(ANY, label="value"))
    chance = Random(draw.draw(st.integers(0, 2**32), label="seed"))
    found = written(mutated(good, chance))
    return damaged(found, chance) if kind == 2 else found


def toml(document: Any) -> bytes:
    return deep(as_toml(document)).encode("utf-8", "replace")


@pytest.fixture
def good(recorded) -> dict[str, Any]:
    document = json.loads(recorded.path.read_text())
    document["samples"] = document["samples"][:6]
    return document


def test_run_files(good, tmp_path):
    file = tmp_path / "fuzzed.json"

    @FUZZ
    @given(st.data())
    def one(data):
        file.write_bytes(content(data, good))
        try:
            results.load(file)
        except BenchError as error:
            assert "fuzzed.json" in str(error)

    one()


def test_files_of_a_room(good, tmp_path):
    (tmp_path / "room").mkdir()
    file = tmp_path / "room" / "fuzzed.json"
    shared = {"format": "benchbook-share/1", "attendee": "me", "runs": [good]}

    @FUZZ
    @given(st.data())
    def one(data):
        file.write_bytes(content(data, shared))
        gather([tmp_path / "room"])

    one()


@pytest.mark.parametrize("name", ["claim.toml", "experiment.toml"])
def test_claims_and_experiments(two_servers, name):
    file: Path = two_servers / name
    document = tomllib.loads(file.read_text())

    @FUZZ
    @given(st.data())
    def one(data):
        file.write_bytes(content(data, document, toml))
        try:
            experiments.load(two_servers)
        except BenchError as error:
            assert ".toml" in str(error) or str(two_servers) in str(error)

    one()


def test_notebooks(tmp_path):
    file = tmp_path / "fuzzed.ipynb"
    document = json.loads((paths.notebooks() / "05-json-vs-templates.ipynb").read_text())
    document["cells"] = document["cells"][:6]

    @FUZZ
    @given(st.data())
    def one(data):
        file.write_bytes(content(data, document))
        try:
            execute.read(file)
        except BenchError as error:
            assert "fuzzed.ipynb" in str(error)

    one()


def test_manifests_of_bundles(tmp_path):
    (tmp_path / "npm.tar").write_bytes(b"tar")
    manifest = {
        "format": bundle.FORMAT,
        "platform": bundle.this_platform(),
        "route": "pip",
        "lock": "0",
        "npm_registry": "https://npm.example/",
        "nuget": {},
        "files": {"npm.tar": bundle.sha256(tmp_path / "npm.tar")},
    }

    @FUZZ
    @given(st.data())
    def one(data):
        (tmp_path / "manifest.json").write_bytes(content(data, manifest))
        try:
            bundle.open_bundle(tmp_path, "0")
        except SetupError as error:
            assert str(tmp_path) in str(error)

    one()


@pytest.mark.parametrize("ending", ["ipynb", "dib"])
def test_notebooks_of_net_interactive(tmp_path, ending):
    file = tmp_path / f"fuzzed.{ending}"
    names = {"defaultKernelName": "csharp", "items": [{"name": "csharp", "languageName": "C#"}]}
    cell = {"cell_type": "code", "source": ["#!share x --from y\n", "1 + 1"], "outputs": []}
    metadata = {"kernelspec": {"name": ".net-csharp"}, "polyglot_notebook": {"kernelInfo": names}}
    fsharp = cell | {"metadata": {"polyglot_notebook": {"kernelName": "fsharp"}}}
    document = {"nbformat": 4, "metadata": metadata, "cells": [cell, fsharp]}
    meta = {"kernelInfo": names}

    def dib(value) -> bytes:
        lines = ["#!meta", deep(json.dumps(value)), "", "#!csharp", "1 + 1", "#!mermaid", "x --> y"]
        return "\n".join(lines).encode()

    @FUZZ
    @given(st.data())
    def one(data):
        file.write_bytes(content(data, document) if ending == "ipynb" else content(data, meta, dib))
        try:
            conversion.convert(file)
        except BenchError as error:
            assert file.name in str(error)

    one()


@pytest.mark.parametrize("kind", ["json", "memoryPack", "messagePackIntKey"])
def test_decoders_of_07_in_javascript(kind):
    """All in one Node, which must still be there for the last one."""
    good = bytes.fromhex(GOLDEN[f"{kind}Hex"])
    format = {"messagePackIntKey": "messagepack"}.get(kind, kind.lower())
    seeds = range(EXAMPLES)
    asked = [{"format": format, "hex": damaged(good, Random(seed)).hex()} for seed in seeds]
    done = subprocess.run(
        ["node", paths.root() / "tests" / "snippets" / "decode.mjs"],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    errors = {"RangeError", "TypeError", "SyntaxError", "DecodeError", None}
    assert len(answers) == EXAMPLES
    assert {answer.get("error") for answer in answers} <= errors
