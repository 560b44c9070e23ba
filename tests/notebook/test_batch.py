"""./bench run: notebooks executed, a page with no network, a scoreboard, honest exit codes."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
import psutil
import pytest

from benchbook.analysis.judging import verdicts
from benchbook.model import experiments, results
from benchbook.model.runs import Run
from benchbook.notebook.headless import batch, choosing, execute
from benchbook.show import embed, page
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError

DRAWN = "\ndrawFigure('"


def write(root: Path, name: str, *sources: str, kernel: str = "python3") -> Path:
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {"name": kernel, "display_name": kernel}
    path = root / "notebooks" / f"{name}.ipynb"
    path.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, path)
    return path


@pytest.fixture
def root(checkout, monkeypatch, make_experiment):
    """A checkout with one experiment, 77-made, and no notebook yet."""
    (checkout / "snippets").mkdir()
    make_experiment({"a": "1", "b": "2"}).rename(checkout / "snippets" / "77-made")
    monkeypatch.setenv("PYTHONPATH", paths.pythonpath())
    return checkout


def a_run(make_run, started: datetime, **changes) -> Run:
    """A run of 77-made on disk, in the default place."""
    run = make_run({"a": 1000.0, "b": 1100.0})
    run.started = started.isoformat(timespec="seconds")
    for name, value in changes.items():
        setattr(run, name, value)
    count = len(list(results.saved("77-made")))
    run.path = results.folder("77-made") / f"{started:%Y%m%dT%H%M%S}-{count:06}.json"
    run.save()
    return run


def outputs(path: Path) -> str:
    return "".join(
        str(output.get("text") or output.get("data") or output)
        for cell in nbformat.read(path, 4).cells
        for output in cell.outputs
    )


FIGURE = """\
from benchbook.model import results
from benchbook.show.figures.latencies import latencies_figure
from benchbook.show.figures.samples import samples_figure
from pathlib import Path
run = results.load(Path({path!r}))
display(samples_figure(run)); display(latencies_figure(run))"""


def test_a_notebook_is_executed_and_the_page_holds_all(root, recorded, tmp_path, capfd):
    path = write(
        root, "01-plain", "import os\nprint('mode', os.environ['BENCHBOOK_MODE'])", "6 * 7"
    )
    committed = path.read_bytes()
    assert batch.run((), "full", tmp_path / "out") == 0
    assert path.read_bytes() == committed
    executed = outputs(tmp_path / "out" / "01-plain.ipynb")
    assert "mode full" in executed and "42" in executed
    markup = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "mode full" in markup and "full mode" in markup
    printed = capfd.readouterr()
    assert "01-plain: cell 2 of 2" in printed.err
    assert "page:" in printed.out


def test_the_page_has_plotly_once_and_asks_for_nothing(root, recorded, tmp_path):
    data = {embed.PLOTLY: {"data": [{"y": [1]}], "layout": {}}}
    foreign = f"display({data}, raw=True)"
    write(root, "02-figures", FIGURE.format(path=str(recorded.path)), foreign)
    assert batch.run(("2",), "quick", tmp_path / "out") == 0
    markup = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert markup.count(DRAWN) == 3
    assert markup.count(embed.packed_library()) == 1
    assert not re.search(r"""\b(?:src|srcset)\s*=\s*["']?(?:https?:)?//""", markup)
    assert not re.search(r"<link\b|@import|url\(\s*[\"']?(?:https?:)?//", markup)
    assert "default-src 'none'" in markup
    assert "95 % interval" not in markup and markup.count("The numbers as a table") == 2
    # the executed notebook has pictures, and no copy of it at all
    executed = outputs(tmp_path / "out" / "02-figures.ipynb")
    assert executed.count("<svg") == 2 and embed.packed_library() not in executed


@pytest.mark.slow("starts several kernels")
def test_errors_are_told_and_shown_the_others_still_run_and_no_kernel_is_left(
    root, tmp_path, capfd
):
    before = {p.pid for p in psutil.Process().children(recursive=True)}
    write(root, "01-wrong", "print('before')", "1 / 0", "print('never')")
    write(root, "02-dies", "import os, sys\nprint('last words', file=sys.__stderr__)\nos._exit(3)")
    write(root, "03-right", "print('the other one ran')")
    assert batch.run((), "quick", tmp_path / "out") == 1
    err = capfd.readouterr().err
    assert "01-wrong: FAILED" in err and "code cell 2 of 3: ZeroDivisionError" in err
    assert "code cell 1 of 1: the kernel died" in err
    markup = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "code cell 2 of 3: ZeroDivisionError: division by zero" in markup
    assert "not finished" in markup and "the other one ran" in markup
    shown = outputs(tmp_path / "out" / "01-wrong.ipynb")
    assert "before" in shown and "never" not in shown and "ZeroDivisionError" in shown
    assert {p.pid for p in psutil.Process().children(recursive=True)} <= before


def test_a_cell_that_is_meant_to_fail_may(root, tmp_path):
    path = write(root, "01-meant", "1 / 0", "print('went on')")
    notebook = nbformat.read(path, 4)
    notebook.cells[0].metadata["tags"] = ["raises-exception"]
    nbformat.write(notebook, path)
    assert batch.run((), "quick", tmp_path / "out") == 0
    assert "went on" in outputs(tmp_path / "out" / "01-meant.ipynb")


def test_a_kernel_that_is_not_installed_is_told(root, tmp_path, capfd):
    write(root, "01-none", "1", kernel="no-such-kernel")
    assert batch.run((), "quick", tmp_path / "out") == 1
    err = capfd.readouterr().err
    assert "kernel 'no-such-kernel' is not installed" in err and "./bench setup" in err


def test_a_file_that_is_no_notebook_is_told_and_the_others_run(root, tmp_path, capfd):
    write(root, "02-right", "print('ran')")
    (root / "notebooks" / "01-wrong.ipynb").write_text("{not json")
    assert batch.run((), "quick", tmp_path / "out") == 1
    assert "is not JSON" in capfd.readouterr().err
    assert "ran" in outputs(tmp_path / "out" / "02-right.ipynb")


# ── Which notebooks ──────────────────────────────────────────────────────────────────────────────


def test_notebooks_are_found_by_number_name_and_experiment(root):
    made, other = write(root, "77-made", "1"), write(root, "00-start-here", "1")
    assert choosing.choose(()) == [other, made]
    assert choosing.choose(("77", "77-made", "0")) == [made, other]


def test_an_experiment_whose_parts_have_notebooks_of_their_own_means_all_of_them(root):
    whole = (root / "snippets" / "77-made").rename(root / "made")
    for part, name in (("http", "77b-served"), ("memory", "77a-alone")):
        folder = shutil.copytree(whole, root / "snippets" / "77-made" / part)
        file = folder / "experiment.toml"
        text = file.read_text(encoding="utf-8")
        named = text.replace("baseline =", f'notebook = "{name}"\nbaseline =', 1)
        file.write_text(named, encoding="utf-8")
    alone, served = write(root, "77a-alone", "1"), write(root, "77b-served", "1")
    assert choosing.choose(("77",)) == choosing.choose(()) == [alone, served]
    assert choosing.choose(("77b", "77/memory", "77-made")) == [served, alone]
    served.unlink()
    with pytest.raises(InputError, match="has no notebooks/77b-served.ipynb"):
        choosing.choose(("77",))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("77", "has no notebooks/77-made.ipynb"),
        ("start-hear", "did you mean"),
        ("5", "no notebook '5'"),
    ],
)
def test_a_name_that_means_no_notebook_is_wrong_input(root, name, said):
    write(root, "start-here", "1")
    with pytest.raises(InputError, match=said) as caught:
        choosing.choose((name,))
    assert caught.value.exit_code == 2


def test_no_notebooks_at_all_is_wrong_input(root):
    with pytest.raises(InputError, match="contains no notebooks"):
        choosing.choose(())


# ── The scoreboard ───────────────────────────────────────────────────────────────────────────────

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_the_scoreboard_takes_only_runs_made_since_the_start(root, make_run):
    a_run(make_run, NOW - timedelta(minutes=1))
    assert batch.chosen_run(experiments.find("77"), NOW) is None
    new = a_run(make_run, NOW + timedelta(minutes=1))
    assert batch.chosen_run(experiments.find("77"), NOW) == new


def test_a_whole_run_counts_more_than_an_exercise_after_it(root, make_run):
    whole = a_run(make_run, NOW)
    later = NOW + timedelta(minutes=5)
    a_run(make_run, later, status="incomplete")
    edited = a_run(make_run, later)
    edited.entries[-1].edited = True
    edited.save()
    fewer = a_run(make_run, later)
    del fewer.entries[-1:]
    fewer.samples = [s for s in fewer.samples if s.variant != "b"]
    fewer.save()
    assert batch.chosen_run(experiments.find("77"), NOW).path == whole.path


def test_a_half_written_experiment_does_not_cost_another_its_verdicts(root, make_run):
    (root / "snippets" / "98-mine").mkdir()
    (root / "snippets" / "98-mine" / "experiment.toml").write_text("title = 3\n")
    a_run(make_run, NOW)
    done = execute.Executed(root / "notebooks" / "77-made.ipynb", nbformat.v4.new_notebook())
    assert [score.title for score in batch.scoreboard([done], NOW)] == ["77 · made for a test"]


def test_a_broken_run_file_does_not_cost_the_report(root, make_run, capfd):
    run = a_run(make_run, NOW)
    (run.path.parent / "x.json").write_text("{")
    assert batch.chosen_run(experiments.find("77"), NOW) == run
    assert "left out" in capfd.readouterr().err


MAKES_A_RUN = """\
from datetime import UTC, datetime
from pathlib import Path
from benchbook.model import results
run = results.load(Path({path!r}))
run.started = datetime.now(UTC).isoformat(timespec='seconds')
run.path = results.folder('77-made') / '20260101T000000-0.json'
run.save()"""


def test_verdicts_are_printed_and_on_the_page(root, recorded, tmp_path, capfd):
    write(root, "77-made", MAKES_A_RUN.format(path=str(recorded.path)))
    assert batch.run(("77",), "quick", tmp_path / "out") == 0
    out = capfd.readouterr().out
    assert "b is faster than a" in out and verdicts.REPRODUCED in out and "+10.0 %" in out
    markup = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert 'id="scoreboard"' in markup and verdicts.REPRODUCED in markup


def test_a_notebook_that_made_no_run_is_said_to_have_none(root, tmp_path, capfd):
    write(root, "77-made", "1")
    assert batch.run(("77",), "quick", tmp_path / "out") == 0
    assert "Not measured" in capfd.readouterr().out


# ── The end ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow("starts several kernels")
def test_a_signal_ends_the_kernel_and_keeps_what_is_done(root, tmp_path, number):
    ready = tmp_path / "ready"
    endless = f"open({str(ready)!r}, 'w').close()\nimport time\nwhile True: time.sleep(0.05)"
    write(root, "01-endless", "print('first cell')", endless)
    write(root, "02-never", "1")
    process = subprocess.Popen(
        [sys.executable, "-m", "benchbook", "run", "--out", str(tmp_path / "out")],
        env={**os.environ, "BENCHBOOK_ROOT": str(root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 60
        while not ready.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        family = psutil.Process(process.pid).children(recursive=True)
        assert family
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait(10)
    assert process.returncode == 128 + number, err
    assert "interrupted" in err
    _, alive = psutil.wait_procs(family, timeout=10)
    assert not alive
    assert "first cell" in outputs(tmp_path / "out" / "01-endless.ipynb")
    markup = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "first cell" in markup and "02-never" not in markup


# ── The page ─────────────────────────────────────────────────────────────────────────────────────


def test_code_is_highlighted_in_its_own_language(tmp_path):
    sources = ("const x = await f();", "%%python\nfor i in range(3): pass", "%%csharp\nvar x = 1;")
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["language_info"] = {"name": "javascript", "pygments_lexer": "javascript"}
    markup = page.body(execute.Executed(tmp_path / "x.ipynb", notebook))
    assert re.search(r'<span class="k[a-z]?">const</span>', markup)
    assert re.search(r'<span class="k[a-z]?">for</span>', markup)
    assert re.search(r'<span class="k[a-z]?">var</span>', markup)


def test_titles_and_errors_are_text_not_markup(tmp_path):
    notebook = nbformat.v4.new_notebook()
    executed = execute.Executed(tmp_path / "x.ipynb", notebook, "<script>alert(1)</script>")
    markup = page.render("<b>", "today", [("CPU", "<i>")], [], [executed])
    assert "<script>alert" not in markup and "<b>" not in markup and "<i>" not in markup


def test_the_machine_is_summed_up(monkeypatch):
    manifest = {
        "cpu": {"model": "X1", "usable_cores": 2, "logical_cores": 4}
        | {"max_mhz": 3000, "current_mhz": 1000},
        "memory": {"total_mib": 8192},
        "os": {"distribution": "Debian 12", "kernel": "6.1"},
        "container": None,
        "virtual_machine": None,
        "versions": {"python": "3.11", "node": "20.1", "wrk": None, "dotnet-sdk": "10.0.100"},
    }
    lines = dict(page.machine_lines(manifest))
    assert lines["CPU"] == "X1, 2 of 4 logical cores, 3.0 GHz"
    assert lines["Memory"] == "8 GiB"
    assert lines["System"] == "Debian 12, 6.1"
    assert lines["Software"] == "node 20.1, .NET SDK 10.0.100, Python 3.11"


def test_paths_are_told_from_the_checkout(root):
    assert (
        batch.formatted_path(paths.state() / "report" / "index.html")
        == ".benchbook/report/index.html"
    )


def test_html_that_comes_with_javascript_is_kept(root):
    path = write(root, "99-made", "1 + 1")
    notebook = nbformat.read(path, 4)
    data = {"application/javascript": "go()", "text/html": "<b>seen</b>", "text/plain": "go()"}
    notebook.cells[0].outputs = [nbformat.v4.new_output("display_data", data)]
    assert "<b>seen</b>" in page.body(execute.Executed(path, notebook))
