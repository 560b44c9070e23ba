"""The scoreboard, a row for every statement, run or not; and the site of ./bench report."""

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner

from benchbook.analysis import scoreboard
from benchbook.analysis.judging import verdicts
from benchbook.commands.cli import main
from benchbook.model import experiments, picker, results
from benchbook.model.kinds.benchmarks import Benchmarks
from benchbook.model.kinds.http import Http
from benchbook.notebook import site
from benchbook.show import embed, markup, wording
from benchbook.show.cards import scoreboard_cards as board_cards
from benchbook.show.figures.scoreboard import scoreboard_figure
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from made import edited_json


@pytest.fixture
def root(checkout, make_experiment):
    """A checkout with an experiment 77-made and a part 78-parts/http, and a notebook of each."""
    (checkout / "snippets" / "78-parts").mkdir(parents=True)
    for name, place in (("77-made", "77-made"), ("http", "78-parts/http")):
        folder = make_experiment({"a": "1", "b": "2"}, name=name)
        folder.rename(checkout / "snippets" / place)
    (checkout / "notebooks").mkdir()
    for name in ("77-made", "78-parts"):
        nbformat.write(nbformat.v4.new_notebook(), checkout / "notebooks" / f"{name}.ipynb")
    return checkout


@pytest.fixture
def save(root, make_run):
    """save(seed, speed of b, where) -> a run, in the default place or in a folder."""

    def write(seed=1, b=1100.0, name="77-made", folder: Path | None = None, **changes):
        run = make_run({"a": 1000.0, "b": b}, seed=seed)
        run.experiment = replace(run.experiment, name=name)
        run.started = f"2026-01-01T00:00:{seed:02}+00:00"
        for key, value in changes.items():
            setattr(run, key, value)
        run.path = (folder or results.folder(name)) / f"20260101T0000{seed:02}-000000.json"
        run.save()
        return run

    return write


def rows() -> dict[str, scoreboard.BoardRow]:
    return {row.experiment.name: row for row in scoreboard.board().rows}


def test_every_statement_of_every_claim_of_this_checkout_is_a_row():
    wanted = [(e.name, s.id) for e in experiments.load_all() for s in e.claim.statements]
    board = scoreboard.board()
    assert [(row.experiment.name, row.statement.id) for row in board.rows] == wanted
    assert sum(board.counts.values()) == len(wanted)
    text = board_cards.table(board).text
    for row in board.rows:
        assert row.statement.says.split()[0] in text
    assert "04-setheader-vs-writehead" in board.references


def test_a_statement_without_any_run_is_not_run(root):
    row = rows()["77-made"]
    assert (row.verdict, row.own, row.reference) == (scoreboard.NOT_RUN, None, None)
    assert row.published == pytest.approx(1.1)
    shown = board_cards.table(scoreboard.board())
    assert "· not run" in shown.text and "./bench race 77" in shown.text
    assert "None of the 2 statements is decided here yet." in shown.html
    assert "Without a verdict: 2 not run." in shown.html


@pytest.mark.parametrize(("kind", "verdict"), [(Http, "not run"), (Benchmarks, "reproduced")])
def test_a_race_one_after_the_other_counts_only_where_launches_take_turns(
    root, save, make_run, kind, verdict
):
    plan = make_run({"a": 1000.0, "b": 1100.0}).plan
    save(plan=replace(plan, interleaved=False), kind=kind)
    assert rows()["77-made"].verdict == verdict


def test_your_run_and_the_reference_stand_side_by_side(root, save):
    save()
    save(2, b=900.0, folder=paths.references())
    row = rows()["77-made"]
    assert row.verdict == verdicts.REPRODUCED
    assert row.reference.judgement.verdict == verdicts.OPPOSITE
    cells = board_cards.row_cells(row)
    shown = dict(zip(board_cards.COLUMNS, (cell.text for cell in cells), strict=True))
    assert list(shown)[0] == "verdict" and shown["verdict"] == "✔ reproduced"
    assert shown["size"] == "as published" and shown["published"] == "+10.0 %"
    assert re.fullmatch(r"\+\S+ % \[\+\S+, \+\S+\]\nb to a", shown["measured here"])
    assert re.fullmatch(r"✘ −\S+ %", shown["recorded"])
    recorded = board_cards.details(row)[-1]
    assert "opposite, ruled out at +10 %" in recorded and "[−" in recorded


def test_it_leads_with_what_was_decided_and_folds_the_rest(root, save):
    save()
    save(name="78-parts/http", b=1000.0)
    board = scoreboard.board()
    lead = "2 of 2 statements are decided here: 1 reproduced, 1 no difference."
    assert board_cards.summary(board) == f"{lead} Published sizes: 1 as published, 1 ruled out."
    shown = board_cards.table(board)
    assert shown.text.startswith(lead)
    assert max(map(len, shown.text.splitlines()[1:])) <= markup.TERMINAL
    shown_html = shown.html.replace("\u00a0", " ")
    row = re.search(r'<tr data-experiment="77-made".*?</tr>', shown_html)[0]
    visible = re.sub(r"<small>.*?</small>", "", row)
    assert "b is faster than a" in visible and "by more than 5 %" in row
    assert "by more than 5 %" not in visible


def test_questions_of_our_own_are_counted_apart(root, save):
    assert "of our own" not in board_cards.summary(scoreboard.board())
    claim = root / "snippets" / "77-made" / "claim.toml"
    claim.write_text(claim.read_text().replace('id = "b-faster"', 'ours = true\nid = "b-faster"'))
    board = scoreboard.board()
    assert board_cards.summary(board).endswith(" 1 of the 2 are questions of our own.")
    assert "A question of our own: b is faster" in " ".join(board_cards.table(board).html.split())


def test_a_part_has_its_own_row_and_run(root, save):
    save(name="78-parts/http")
    assert rows()["78-parts/http"].verdict == verdicts.REPRODUCED
    assert rows()["77-made"].verdict == scoreboard.NOT_RUN


def test_the_newest_whole_race_speaks(root, save):
    save(1)
    whole = save(2)
    save(3, status="incomplete")
    edited_json(save(4).path, lambda d: d["entries"][2].update(edited=True))
    edited_json(save(5).path, lambda d: d["plan"].update(interleaved=False))
    save(6).path.write_text("{")
    assert scoreboard.board().own["77-made"].path == whole.path


def test_a_brief_or_unusual_race_after_it_does_not_speak(root, save):
    connections = next(e for e in experiments.load_all() if e.name == "77-made").kind.connections
    usual = replace(save(1).plan, connections=connections)
    whole = save(2, plan=usual)
    brief = save(3, plan=usual)
    brief.samples = brief.samples[: len(whole.samples) // 3]
    brief.save()
    save(4, plan=replace(usual, connections=connections + 1))
    save(5, plan=replace(usual, warmup_seconds=0.0))
    assert scoreboard.board().own["77-made"].path == whole.path


def test_where_no_race_is_whole_the_fullest_speaks(root, save):
    edited = save(4)
    edited_json(edited.path, lambda d: d["entries"][2].update(edited=True))
    save(5, status="incomplete")
    assert scoreboard.board().own["77-made"].path == edited.path


def test_other_code_than_now_is_told(root, save):
    save()
    row = rows()["77-made"]
    assert row.own.older and "raced with code that has changed since" in board_cards.why(row)


def test_other_recordings_are_no_references(root):
    paths.references().mkdir(parents=True)
    (paths.references() / "other.json").write_text('{"format": "another"}')
    (paths.references() / "gone.json").symlink_to("nowhere.json")
    assert picker.reference_runs() == {}


def test_a_reference_that_was_written_anew_is_read_anew(root, save):
    run = save(folder=paths.references())
    assert list(picker.reference_runs()) == ["77-made"]
    edited_json(run.path, lambda d: d.update(status="incomplete"))
    assert picker.reference_runs() == {}


def test_a_broken_reference_run_is_an_error_that_names_it(root, save):
    run = save(folder=paths.references())
    edited_json(run.path, lambda d: d.pop("entries"))
    with pytest.raises(InputError, match=run.path.name):
        scoreboard.board()


def test_the_plot_shows_published_measured_and_reference(root, save):
    save()
    save(2, b=900.0, folder=paths.references())
    figure = scoreboard_figure(scoreboard.board())
    symbols = [t["marker"]["symbol"] for t in figure.plotly["data"] if "marker" in t]
    assert symbols == ["circle-open", "circle", "diamond-open"]
    assert figure.label == "1 of 1 statements are decided here"
    assert "b is faster than a" in figure.numbers.text


def test_words_of_a_claim_are_text_not_markup(root):
    claim = root / "snippets" / "77-made" / "claim.toml"
    claim.write_text(claim.read_text().replace("b is faster", "<script>alert(1)</script>"))
    assert "<script>alert" not in board_cards.table(scoreboard.board()).html


def test_every_verdict_has_a_mark():
    final = {mark for verdict, mark in wording.MARKS.items() if verdict != verdicts.NOT_YET}
    assert {board_cards.marked(v)[0] for v in board_cards.OUTCOMES} == {*final, "·"}


# ── The site ─────────────────────────────────────────────────────────────────────────────────────


def executed(folder: Path, name: str, figures: int = 0, **told) -> None:
    """A notebook as ./bench run leaves it, with figures."""
    figure = {"data": [{"type": "scatter", "y": [1, 2]}], "layout": {"height": 300}, "config": {}}
    data = {"text/plain": "made", embed.PLOTLY: figure}
    outputs = [nbformat.v4.new_output("display_data", data=data) for _ in range(figures)]
    cell = nbformat.v4.new_code_cell("1 + 1", outputs=outputs)
    notebook = nbformat.v4.new_notebook(cells=[cell])
    notebook.metadata["benchbook"] = {"error": "", "seconds": 2.0, "done": 1, **told}
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / f"{name}.ipynb")


def report(out: Path, folder: Path):
    folder.mkdir(parents=True, exist_ok=True)
    return CliRunner().invoke(main, ["report", "--out", str(out), "--executed", str(folder)])


def test_the_site_has_everything_and_plotly_once(root, save, tmp_path):
    save()
    save(name="78-parts/http")
    save(2, folder=paths.references())
    executed(tmp_path / "ran", "77-made", figures=25)
    done = report(tmp_path / "site", tmp_path / "ran")
    assert done.exit_code == 0, done.output
    assert (
        "2 of 2 statements are decided here: 2 reproduced." in done.output
        and "site:" in done.output
    )
    written = tmp_path / "site"
    files = {str(path.relative_to(written)) for path in written.rglob("*") if path.is_file()}
    assert files == {
        "index.html",
        "scoreboard.html",
        "machine.json",
        "assets/plotly.js",
        "notebooks/77-made.html",
        "runs/own/77-made.json",
        "runs/own/78-parts.http.json",
        "runs/reference/77-made.json",
    }
    texts = {name: (written / name).read_text(encoding="utf-8") for name in files}
    assert sum(text.count(embed.packed_library()) for text in texts.values()) == 1
    assert sum(len(text) for text in texts.values()) < 10_000_000
    index = texts["index.html"]
    assert "executed in 2 s" in index and "not executed: ./bench run 78" in index
    for target in re.findall(r'(?:href|src)="([^"#]+)"', index):
        assert (written / target).is_file(), target
    assert 'href="notebooks/77-made.html"' in texts["scoreboard.html"]
    for name, text in texts.items():
        if name.endswith(".html"):
            assert "default-src 'none'" in text
            assert not re.search(r"""\b(?:src|srcset)\s*=\s*["']?(?:https?:)?//""", text), name
    assert results.load(written / "runs" / "own" / "77-made.json").complete
    assert json.loads(texts["machine.json"])["cpu"]["logical_cores"]


def test_a_page_of_ours_does_not_make_a_folder_a_site(root, save, tmp_path):
    save()
    mine = tmp_path / "mine" / "notebooks" / "mine.ipynb"
    mine.parent.mkdir(parents=True)
    mine.write_text("work")
    page = tmp_path / "mine" / "index.html"
    page.write_text('<meta name="generator" content="Benchbook">')  # ./bench run --out
    done = report(page.parent, tmp_path / "ran")
    assert done.exit_code == 2 and "is not empty" in done.output
    assert mine.read_text() == "work"
    assert report(tmp_path / "site", tmp_path / "ran").exit_code == 0
    assert report(tmp_path / "site", tmp_path / "ran").exit_code == 0, "a site makes room"


def test_a_report_that_is_interrupted_leaves_what_was_there(root, save, tmp_path, monkeypatch):
    save()
    site_folder = tmp_path / "site"

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    for times in range(2):  # with no site there, and with one
        with monkeypatch.context() as broken:
            broken.setattr(site, "write_runs", interrupted)
            assert report(site_folder, tmp_path / "ran").exit_code != 0
        assert (site_folder / "index.html").exists() == bool(times)
        (site_folder / f"{site.FRESH}killed").mkdir(exist_ok=True)
        assert report(site_folder, tmp_path / "ran").exit_code == 0
        left = {path.name for path in site_folder.iterdir()}
        assert left == {"assets", "index.html", "machine.json", "runs", "scoreboard.html"}


def test_a_report_of_what_is_no_notebook_leaves_no_folder(root, tmp_path):
    (tmp_path / "ran").mkdir()
    (tmp_path / "ran" / "bad.ipynb").touch()
    done = report(tmp_path / "site", tmp_path / "ran")
    assert done.exit_code == 2 and "bad.ipynb: is empty" in done.output
    assert not (tmp_path / "site").exists()


def test_long_run_files_are_packed(root, save, tmp_path):
    run = save()
    run.messages = ["x" * 300_000]
    run.save()
    assert report(tmp_path / "site", tmp_path / "ran").exit_code == 0
    packed = tmp_path / "site" / "runs" / "own" / "77-made.json.gz"
    assert json.loads(gzip.decompress(packed.read_bytes()))["experiment"]["name"] == "77-made"


def test_a_notebook_that_failed_is_told_as_such(root, tmp_path):
    executed(tmp_path / "ran", "77-made", error="code cell 1 of 1: <b>no</b>")
    assert report(tmp_path / "site", tmp_path / "ran").exit_code == 0
    assert "not finished" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    markup = (tmp_path / "site" / "notebooks" / "77-made.html").read_text(encoding="utf-8")
    assert "code cell 1 of 1: &lt;b&gt;no" in markup


def test_a_site_is_written_again_and_nothing_of_the_old_one_is_left(root, save, tmp_path):
    run = save()
    assert report(tmp_path / "site", tmp_path / "ran").exit_code == 0
    run.path.unlink()
    assert report(tmp_path / "site", tmp_path / "ran").exit_code == 0
    assert not list((tmp_path / "site").glob("runs/**/*.json"))


def test_a_folder_with_other_things_in_it_is_left_alone(root, tmp_path):
    kept = tmp_path / "mine" / "notebooks" / "thesis.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text("years of work")
    (tmp_path / "mine" / "index.html").write_text("<h1>my page</h1>")
    done = report(tmp_path / "mine", tmp_path / "ran")
    assert done.exit_code == 2 and "is not empty" in done.output
    assert kept.read_text() == "years of work"


def test_a_wrong_claim_costs_no_earlier_site(root, save, tmp_path):
    save()
    assert report(tmp_path / "site", tmp_path / "ran").exit_code == 0
    (root / "snippets" / "77-made" / "claim.toml").write_text("title = 1")
    done = report(tmp_path / "site", tmp_path / "ran")
    assert done.exit_code == 2 and "claim.toml" in done.output
    assert (tmp_path / "site" / "index.html").is_file()
