"""What Python programs may rely on: five names, which cost nothing until they are asked for."""

import os
import re
import subprocess
import sys

import pytest

import benchbook
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError

PAGE = paths.PACKAGE.parents[1] / "docs" / "python-api.md"


def test_every_name_is_there_and_on_its_page():
    page = PAGE.read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)", page, re.MULTILINE)) == set(benchbook.__all__)
    for name in benchbook.__all__:
        assert getattr(benchbook, name).__doc__
    with pytest.raises(AttributeError, match="'rase'"):
        _ = benchbook.rase


def test_the_package_is_imported_without_what_measures():
    code = "import benchbook, sys; print(*sys.modules)"
    env = {**os.environ, "PYTHONPATH": paths.pythonpath()}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert [name for name in done.stdout.split() if name.startswith(("benchbook.", "numpy"))] == []


def test_the_example_of_the_page_runs(monkeypatch, capsys):
    monkeypatch.chdir(PAGE.parents[1])
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(code, {})
    assert re.search(r"→ \w+", (said := capsys.readouterr().out))
    assert re.search(r"^\d\.\d{3} \[\d\.\d{3}, \d\.\d{3}\]$", said, re.MULTILINE)


def test_an_experiments_folder_is_raced_saved_and_judged_again(two_servers, tmp_path):
    path = tmp_path / "run.json"
    options = {"launches": 1, "blocks": 2, "seconds": 0.2, "warmup": 0.1, "path": path}
    run, results = benchbook.race(two_servers, **options)
    assert isinstance(run, benchbook.Run) and isinstance(results, benchbook.Results)
    assert run.complete and run.path == path
    again = benchbook.judge(benchbook.load_run(path), two_servers)
    assert [each.verdict for each in again.judgements] == [e.verdict for e in results.judgements]


def test_what_makes_no_sense_is_refused(two_servers, recorded, make_experiment):
    with pytest.raises(InputError, match="laps: is no option"):
        benchbook.race(two_servers, laps=3)
    with pytest.raises(InputError, match="mode: is 'fast'"):
        benchbook.race(two_servers, mode="fast")
    other = make_experiment({"a": "", "b": ""}, name="78-other")
    with pytest.raises(InputError, match="is of 77-made, not of 78-other"):
        benchbook.judge(recorded, other)
