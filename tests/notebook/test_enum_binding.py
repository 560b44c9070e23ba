"""Experiment 09's correctness table, as its notebook shows it."""

import json

import pytest

from benchbook.model import experiments
from benchbook.system import paths

pytestmark = pytest.mark.slow("starts .NET programs")

TABLE = """
Enum    Text         TryParse  IsDefined  Dictionary  Strict
Size    Ten          10        10         10          10
Size    10           10        10         10          10
Size    5            5         refused    refused     refused
Size    ten          refused   refused    refused     refused
Size     10          10        10         refused     refused
Rights  Read         1         1          1           1
Rights  7            7         refused    refused     7
Rights  100          100       refused    refused     refused
Rights  0            0         refused    refused     refused
Rights  Read, Write  3         refused    refused     refused
"""


def test_the_strict_binder_obeys_the_article_and_the_others_do_not(open_csharp):
    notebook = json.loads(experiments.find("09").notebook.read_text(encoding="utf-8"))
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    (cell,) = [source for source in sources if source.startswith("#load")]
    shown = open_csharp(str(paths.notebooks())).value(cell)
    rows = [line.split() for line in shown.splitlines() if "─" not in line]
    assert [row for row in rows if set("".join(row)) != {"-"}] == [
        line.split() for line in TABLE.strip().splitlines()
    ]
