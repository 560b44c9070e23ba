"""An experiment that lies outside of the checkout, in every command that knows experiments."""

import json
import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from benchbook.commands import cli
from benchbook.commands.begin import lab
from benchbook.model import experiments, results
from benchbook.notebook import exercises
from benchbook.notebook.checking import check
from benchbook.notebook.workbench import Workbench
from benchbook.programs import readiness
from benchbook.race import turn
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.install import kernelspecs
from calling import call
from made import SERVER, edited_json

FEW = "launches=2 blocks=2 warmup=0.1 seconds=0.2"
SHORT = [word for each in FEW.split() for word in f"--{each}".split("=")]


@pytest.fixture(scope="module")
def company(tmp_path_factory):
    """A folder with the experiment `parsers`, made and run from another one; bench(…)."""
    root = tmp_path_factory.mktemp("elsewhere")
    folder, checkout = root / "company", root / "checkout"
    folder.mkdir()
    (checkout / "snippets").mkdir(parents=True)
    kernelspecs.install(root / "prefix")
    environment = {
        "PYTHONPATH": paths.pythonpath(),
        "BENCHBOOK_ROOT": str(checkout),
        "BENCHBOOK_RACE": FEW,
        "JUPYTER_PATH": str(root / "prefix" / "share" / "jupyter"),
        turn.VARIABLE: str(root / "race.lock"),
    }

    def bench(*words, code=0, **more):
        done = call(*words, folder=root, **{**environment, **more})
        assert done.code == code, done.out + done.err
        return done.out + done.err

    bench("new", "parsers", "--in", "company")
    ran = bench("run", "parsers", "--in", "company")
    return SimpleNamespace(root=root, folder=folder, checkout=checkout, bench=bench, ran=ran)


slow = pytest.mark.slow("executes a notebook and races servers")


@slow
def test_its_notebook_is_executed_and_judged(company):
    assert "9 cells in" in company.ran and "text to stringify" in company.ran
    page = company.checkout / ".benchbook" / "report" / "parsers.ipynb"
    assert "A question of our own" in page.read_text(encoding="utf-8")


@slow
def test_it_is_listed_by_the_path_of_its_folder(company):
    listed = company.bench("list", BENCHBOOK_PATH="company")
    assert "parsers  parsers (2 of 2 variants ready)" in listed
    assert "stringify.mjs" in company.bench("list", "--in", "company", "parsers")
    assert "stringify.mjs" in company.bench("list", "company/parsers")
    assert "no experiments in" in company.bench("list")


@slow
def test_it_is_raced_and_its_runs_are_found_again(company):
    ran = company.bench("race", "parsers", *SHORT, BENCHBOOK_PATH=company.folder)
    place = re.search(r"run file: (\S+)", ran)[1]
    assert place.startswith(".benchbook/runs/elsewhere/")
    told = company.bench("verdict", "--in", "company", "parsers")
    assert place in told and "text to stringify" in told


@slow
def test_a_site_has_it_and_nothing_else(company):
    company.bench("report", "--in", "company", "--out", "site")
    site = company.root / "site"
    assert [path.name for path in (site / "notebooks").iterdir()] == ["parsers.html"]
    assert [path.name for path in (site / "runs").rglob("*.json*")] == ["parsers.json"]
    assert "text is faster than stringify" in (site / "scoreboard.html").read_text("utf-8")


@slow
def test_it_is_shared_and_pooled(company):
    shared = company.root / "shared.json"
    said = company.bench("share", "--in", "company", "--out", shared)
    assert "parsers, quick" in said
    other = company.root / "other.json"
    other.write_bytes(shared.read_bytes())

    def of_another(document):
        document["attendee"] = "abcdef"
        document["runs"][0]["started"] = "2026-01-01T00:00:00+00:00"

    edited_json(other, of_another)
    merged = company.bench("room", "merge", "--in", "company", shared, other)
    assert "parsers" in merged and "2 machines" in merged

    def of_other_name(document):
        of_another(document)
        document["runs"][0]["experiment"]["name"] = "secret"

    edited_json(other, of_other_name)
    merged = company.bench("room", "merge", "--in", "company", shared, other)
    assert "is of no experiment in" in merged and "secret" not in merged


@slow
def test_it_is_exported_and_still_finds_its_folder(company):
    company.bench("export", "parsers", "--in", "company", "--student", "far/away")
    notebook = json.loads((company.root / "far" / "away" / "parsers.ipynb").read_text("utf-8"))
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    (chosen,) = [source for source in sources if source.startswith("%experiment")]
    assert chosen == "%experiment ../../company/parsers"
    assert not any("Solution" in source for source in sources)


def test_lab_opens_the_folder_and_the_notebook_of_one_experiment(monkeypatch, two_servers):
    became = []

    def become(words, env=None):
        became.extend([words, os.environ[paths.ONLY]])
        raise SystemExit(0)

    monkeypatch.setattr(lab, "find_spec", lambda module: module == "jupyterlab")
    monkeypatch.setattr(lab, "mend_kernels", lambda: None)
    monkeypatch.setattr(lab.running, "become", become)
    (two_servers / "77-made.ipynb").write_text("{}")
    assert CliRunner().invoke(cli.main, ["lab", "--in", str(two_servers)]).exit_code == 0
    words, only = became
    assert f"--notebook-dir={two_servers}" in words and str(two_servers / "77-made.ipynb") in words
    assert only == str(two_servers), "kernels know it, too"
    assert paths.only() is None, "and afterwards it is forgotten"


# ── Names ────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def two_places(checkout, make_experiment, monkeypatch):
    """77-made in the checkout and in a folder of BENCHBOOK_PATH."""
    make_experiment({"a": SERVER, "b": SERVER}, name="snippets/77-made")
    make_experiment({"a": SERVER, "b": SERVER}, name="other/77-made")
    make_experiment({"a": SERVER, "b": SERVER}, name="other/mine")
    monkeypatch.setenv(paths.PATH, str(checkout / "other"))
    return checkout


def test_a_name_that_two_have_is_an_error_that_names_both(two_places):
    for which in ("77", "77-made"):
        with pytest.raises(InputError) as caught:
            experiments.find(which)
        assert "snippets/77-made" in str(caught.value) and "other/77-made" in str(caught.value)
    with pytest.raises(InputError, match="is the name of two experiments"):
        experiments.load_all()
    assert experiments.find("mine").name == "mine"
    assert experiments.find(str(two_places / "other" / "77-made")).folder.parent.name == "other"
    done = CliRunner().invoke(cli.main, ["list"])
    assert done.exit_code == 2 and done.output.count("77  made") == 2


def test_in_means_this_folder_only(two_places, monkeypatch):
    monkeypatch.setenv(paths.ONLY, str(two_places / "other"))
    assert [each.name for each in experiments.load_all()] == ["77-made", "mine"]
    assert experiments.find("77").folder == two_places / "other" / "77-made"
    monkeypatch.setenv(paths.ONLY, str(two_places / "other" / "mine"))
    with pytest.raises(InputError, match="no experiment '77'"):
        experiments.find("77")


def test_a_name_without_a_number_is_not_cut(two_places):
    found = experiments.find("mine")
    assert found.number == found.typed == "mine"
    assert found.notebook == two_places / "other" / "mine" / "mine.ipynb"
    assert results.folder(found.saved_as).parent.parent.name == "elsewhere"


def test_a_folder_of_the_path_that_is_not_there_is_told(two_places, monkeypatch):
    monkeypatch.setenv(paths.PATH, str(two_places / "gone"))
    with pytest.raises(InputError) as caught:
        experiments.find("mine")
    assert "gone" in caught.value.remedy and paths.PATH in caught.value.remedy


def test_a_folder_without_experiments_is_refused(tmp_path):
    done = CliRunner().invoke(cli.main, ["list", "--in", str(tmp_path)])
    assert done.exit_code == 2 and "holds no experiment.toml" in done.output


def test_without_a_checkout_paths_and_folders_work(two_places, monkeypatch):
    monkeypatch.setattr(paths, "checkout", lambda: None)
    assert [each.name for each in experiments.load_all()] == ["77-made", "mine"]
    monkeypatch.delenv(paths.PATH)
    assert experiments.find(str(Path(two_places) / "other" / "mine")).name == "mine"
    done = CliRunner().invoke(cli.main, ["list"])
    assert done.exit_code == 1 and "--in FOLDER" in done.output and paths.PATH in done.output


# ── Packages ─────────────────────────────────────────────────────────────────────────────────────

IMPORTS = "import { text } from '@company/words';\n" + SERVER.replace("'hello'", "text")


@pytest.fixture
def with_packages(checkout, make_experiment, tmp_path_factory):
    """An experiment whose variant imports a package of the repository that it lies in."""
    repository = tmp_path_factory.mktemp("repository")
    package = repository / "node_modules" / "@company" / "words"
    package.mkdir(parents=True)
    about = {"name": "@company/words", "version": "3.2.1", "type": "module", "main": "i.mjs"}
    (package / "package.json").write_text(json.dumps(about))
    (package / "i.mjs").write_text("export const text = 'hello';\n")
    extra = {"b": 'needs = ["npm:@company/words"]'}
    made = make_experiment({"a": SERVER, "b": IMPORTS}, extra)
    (repository / "benchmarks").mkdir()
    return made.rename(repository / "benchmarks" / "words")


@pytest.mark.slow("starts servers")
def test_packages_of_the_repository_that_it_lies_in_are_found(with_packages):
    found = experiments.load(with_packages)
    assert not readiness.unavailable(found.variant("b"))
    assert "@company/words 3.2.1" in readiness.software(found.variant("b"))
    report = check.check([with_packages], lambda text: None)
    assert not [note for note in report.notes if "can't run" in note]
    assert any("answers of 2 programs: alike" in each for each in report.checked)
    assert not [each for each in report.problems if "Cannot find package" in each.problem]


@pytest.mark.slow("starts a server")
def test_an_edited_variant_finds_them_too(with_packages):
    bench = Workbench(experiments.load(with_packages))
    bench.edit("b", IMPORTS.replace("text)", "text + '!')"))
    view = exercises.view(bench, lambda name: "null")
    assert view.answer("b", "/").body == b"hello!"
