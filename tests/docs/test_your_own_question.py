"""The tutorial does what it says: every command in it is typed here, in its order."""

import os
import re
import subprocess
import sys

import pytest

from benchbook.race import turn
from benchbook.system import paths
from benchbook_kernels.install import kernelspecs

PAGE = (paths.root() / "docs" / "your-own-question.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
FEW = "launches=2 blocks=1 seconds=0.3 warmup=0.3"
RACE = "benchbook race copying"  # its own lengths, and what the page says behind it, come last
SHORT = f"{RACE} --launches 2 --blocks 2 --seconds 0.1 --warmup 0.1"


@pytest.mark.slow("races functions and executes a notebook")
def test_every_command_of_the_tutorial_works_in_its_order(tmp_path):
    programs, here = tmp_path / "bin", tmp_path / "here"
    programs.mkdir(), here.mkdir()
    benchbook = programs / "benchbook"
    benchbook.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m benchbook "$@"\n')
    benchbook.chmod(0o755)
    kernelspecs.install(tmp_path / "prefix")
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": paths.pythonpath(),
        "JUPYTER_PATH": str(tmp_path / "prefix" / "share" / "jupyter"),
        "BENCHBOOK_RACE": FEW,
        turn.VARIABLE: str(tmp_path / "race.lock"),
    }
    said = []
    for language, text in BLOCKS:
        if language == "sh":
            done = subprocess.run(
                ["sh", "-e"],
                input=text.replace(RACE, SHORT),
                cwd=here,
                env=environment,
                capture_output=True,
                text=True,
                timeout=300,
            )
            assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
            said.append(done.stdout)
    compared, made, raced, checked, again = said[1:]
    assert "A copy of json:" in compared and "structured" in compared.splitlines()[0]
    assert "copying/timed.mjs" in made and "structured to json" in raced
    shown = next(text for _, text in BLOCKS if text.startswith("checked"))
    assert re.sub(r"\S+/(?=copying/)", "", checked) == shown
    assert "all of it is in order" in again and "structured to json" in again
    assert sorted(path.name for path in here.iterdir()) == [
        "benchmarks",
        "json.mjs",
        "order.mjs",
        "structured.mjs",
    ]


def test_the_files_that_it_names_are_those_that_new_makes():
    (folder,) = re.findall(r"^## A folder that others can run\n.*?(?=^## )", PAGE, re.M | re.S)
    named = set(re.findall(r"^\| `([^`]+)` \|", folder, re.MULTILINE))
    assert named == {"experiment.toml", "claim.toml", "timed.mjs", "copying.ipynb", ".schemas"}
