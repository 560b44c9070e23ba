"""What Python programs may rely on: seven names, which cost nothing until they are asked for."""

import os
import re
import subprocess
import sys

import pytest

import benchbook
from benchbook.race import limits
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError
from made import SERVER

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


def examples() -> list[str]:
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_example_of_the_page_runs(monkeypatch, capsys):
    monkeypatch.chdir(PAGE.parents[1])
    exec(examples()[0], {})
    assert re.search(r"→ \w+", (said := capsys.readouterr().out))
    assert re.search(r"^\d\.\d{3} \[\d\.\d{3}, \d\.\d{3}\]$", said, re.MULTILINE)


def test_an_experiments_folder_is_raced_saved_and_judged_again(two_servers, tmp_path):
    path = tmp_path / "run.json"
    options = {"launches": 1, "blocks": 1, "seconds": 0.2, "warmup": 0.1, "path": path}
    run, results = benchbook.race(two_servers, **options)
    assert isinstance(run, benchbook.Run) and isinstance(results, benchbook.Results)
    assert run.complete and run.path == path
    again = benchbook.judge(benchbook.load_run(path), two_servers)
    assert [each.verdict for each in again.judgements] == [e.verdict for e in results.judgements]


@pytest.fixture
def two_files(tmp_path, monkeypatch):
    """Two servers of somebody's own, in the folder that one works in."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.mjs").write_text(SERVER)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_two_files_of_ones_own_are_compared_as_the_page_says(two_files, monkeypatch):
    (code,) = examples()[1:]
    assert "seconds=30" in code and "delta=0.03" in code
    names: dict[str, object] = {}
    monkeypatch.setenv(limits.VARIABLE, "launches=2 blocks=2 seconds=0.2 warmup=0.1")
    exec(code.replace("seconds=30", f"seconds=3, run_path={str(two_files / 'run.json')!r}"), names)
    found = names["r"]
    assert isinstance(found, benchbook.Comparison)
    assert [entry.name for entry in found.run.entries if entry.role != "control"] == ["a", "b"]
    assert found.verdict == found.verdicts[0] and found.verdict.startswith("b ")
    assert found.verdict in str(found) and "A copy of a" in str(found)
    assert found.results.judgements[0].delta == 0.03
    shown = found._repr_mimebundle_()
    assert found.verdict in shown["text/plain"] and "<details>" in shown["text/html"]
    assert "image/svg+xml" in found.plot()._repr_mimebundle_()[0]
    assert len(found.samples()) == len(found.run.samples) > 0
    assert {row["name"] for row in found.samples()} == {"a", "b", found.run.control}
    saved = benchbook.load_run(two_files / "run.json")
    assert [j.verdict for j in benchbook.judge(saved).judgements] == [
        j.verdict for j in found.results.judgements
    ]


def test_a_frame_has_the_samples_or_says_how_to_get_pandas(recorded, two_servers):
    found = benchbook.Comparison(recorded, benchbook.judge(recorded, two_servers))
    try:
        import pandas
    except ImportError:
        with pytest.raises(BenchError, match="(?s)pandas.*pip install pandas.*samples"):
            found.to_frame()
    else:
        assert isinstance(frame := found.to_frame(), pandas.DataFrame)
        assert list(frame["rate"]) == [row["rate"] for row in found.samples()]


@pytest.mark.parametrize(
    ("things", "options", "said"),
    [
        ((), {}, "needs something to compare"),
        (("a.mjs", "b.mjs"), {"secnds": 3}, "secnds: no option 'secnds'; did you mean 'seconds'"),
        (("a.mjs", "c.mjs"), {}, "c.mjs: there is no such file"),
        (("a.mjs", "b.mjs"), {"kind": "server"}, "did you mean 'servers'"),
        (("a.mjs", "b.mjs"), {"delta": 3}, "delta: is 3"),
        (("a.mjs", "b.mjs"), {"seconds": "30s"}, "seconds: is '30s'"),
        (("a.mjs", "b.mjs"), {"path": "x"}, "does not begin with /"),
        (("a.mjs", "b.mjs"), {"answers": "header"}, "no way to compare answers 'header'"),
    ],
)
def test_a_comparison_that_makes_no_sense_is_refused(two_files, things, options, said):
    with pytest.raises(InputError, match=re.escape(said)):
        benchbook.compare(*things, **options)


def test_what_makes_no_sense_is_refused(two_servers, recorded, make_experiment):
    with pytest.raises(InputError, match="laps: is no option"):
        benchbook.race(two_servers, laps=3)
    with pytest.raises(InputError, match="mode: is 'fast'"):
        benchbook.race(two_servers, mode="fast")
    other = make_experiment({"a": "", "b": ""}, name="78-other")
    with pytest.raises(InputError, match="is of 77-made, not of 78-other"):
        benchbook.judge(recorded, other)


def test_a_run_file_that_can_not_be_written_is_told_before_the_race(two_files):
    (two_files / "file").write_text("")
    for place, said in (("file/run.json", "can't be written"), (".", "is a folder")):
        with pytest.raises(InputError, match=f"compare: run_path: .*{said}"):
            benchbook.compare("a.mjs", "b.mjs", run_path=place, seconds=0.1)
