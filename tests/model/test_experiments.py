"""Malformed experiments and claims: the error names file, field and what was expected."""

import shutil

import pytest

from benchbook.analysis.judging import judge
from benchbook.model import claims, experiments
from benchbook.programs import readiness
from benchbook.show.cards import race_cards
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from made import SERVER


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "field", "words"),
    [
        ('title = "made', 'titel = "x"\ntitle = "made', "titel", ["unknown field", "'title'"]),
        ("connections = 8", 'connections = "8"', "http.connections", ["a whole number", '"8"']),
        ("connections = 8", "connections = 0", "http.connections", ["at least 1"]),
        ("connections = 8", "connections = 8.0", "http.connections", ["whole number, found 8.0"]),
        ("budget_seconds = 5", "budget_seconds = nan", "budget_seconds", ["a number, found NaN"]),
        ("budget_seconds = 5", "budget_seconds = inf", "budget_seconds", ["a number"]),
        ('file = "b.mjs"', 'file = "b\\u0000.mjs"', "('b').file", ["null character"]),
        ('title = "made', f"title = {'[' * 3000}", "", ["is not TOML"]),
        ('baseline = "a"', "", "baseline", ["is missing"]),
        ('baseline = "a"', 'baseline = "c"', "baseline", ["no variant 'c'", "a, b"]),
        ('name = "b"', 'name = "a"', "variants[1] ('a').name", ["two variants"]),
        ('file = "b.mjs"', 'file = "../../x.mjs"', "('b').file", ["outside"]),
        ('file = "b.mjs"', 'file = "/etc/passwd"', "('b').file", ["outside"]),
        ('file = "b.mjs"', 'file = "c.mjs"', "('b').file", ["does not exist"]),
        ('file = "b.mjs"', 'file = "b.mjs"\ncolor = 1', "('b').color", ["unknown field"]),
        ('path = "/"', 'path = "hello"', "http.path", ["form"]),
        ('claim = "claim.toml"', 'claim = "../claim"', "claim", ["no folders"]),
        ('claim = "claim.toml"', 'claim = "nothing"', "claim", ["no claim 'nothing'"]),
        ("sample_seconds = 0.2", "sample_seconds = 0.1", "race.quick.sample_seconds", ["0.2"]),
        (
            "sample_seconds = 0.2",
            'variants = ["c"]\nsample_seconds = 0.2',
            "quick.variants",
            ["'c'"],
        ),
        ("sample_seconds = 0.2", 'more = ["b"]\nsample_seconds = 0.2', "quick.more", ["nothing"]),
        ('title = "made', "title = made", "", ["is not TOML"]),
        ('name = "b"', 'name = "b"\nenv = { PORT = "1" }', "('b').env", ["other than PORT"]),
        ('name = "b"', 'name = "b"\nenv = { COUNT = 1 }', "('b').env.COUNT", ["text, found 1"]),
        ('name = "b"', 'name = "b"\nanswers_like = "c"', "('b').answers_like", ["no variant 'c'"]),
        ('name = "a"', 'name = "a"\nanswers_like = "b"', "('a').answers_like", ["the baseline"]),
    ],
)
def test_a_wrong_experiment_is_explained(two_servers, old, new, field, words):
    edit(two_servers / "experiment.toml", old, new)
    with pytest.raises(InputError) as caught:
        experiments.load(two_servers)
    message = str(caught.value)
    assert "77-made/experiment.toml" in message
    assert field in message
    for word in words:
        assert word in message
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("old", "new", "field", "words"),
    [
        ("year = 2026", 'year = "2026"', "source.year", ["a whole number"]),
        ('type = "faster"', 'type = "quicker"', "('b-faster').type", ["faster", "quicker"]),
        ('type = "faster"', 'type = "order"', "('b-faster').a", ["unknown field", "variants"]),
        ('a = "b"', 'a = "c"', "('b-faster')", ["no variant 'c'"]),
        ('a = "b"', 'a = "a"', "('b-faster').b", ["both 'a'"]),
        ('a = "b"', 'a = "b"\nbetter = 2', "('b-faster').better", ["unknown field"]),
        ("value = 100", "value = -1", "figures[0].value", ["more than 0"]),
        ('variant = "b"', 'variant = "c"', "('B').variant", ["no variant 'c'"]),
        ('id = "b-faster"', 'id = "B faster"', "statements[0]", ["form"]),
        ('summary = "b', 'sumary = "b', "sumary", ["'summary'"]),
    ],
)
def test_a_wrong_claim_is_explained(two_servers, old, new, field, words):
    edit(two_servers / "claim.toml", old, new)
    with pytest.raises(InputError) as caught:
        experiments.load(two_servers)
    message = str(caught.value)
    assert "claim.toml" in message
    assert field in message
    for word in words:
        assert word in message


def test_a_file_as_windows_saves_it_is_read(two_servers):
    path = two_servers / "experiment.toml"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert experiments.load(two_servers).title.startswith("made")


def test_a_copy_elsewhere_keeps_its_runs_to_itself(two_servers, checkout):
    shutil.copytree(two_servers, checkout / "snippets" / "77-made")
    shutil.copytree(two_servers, checkout / "far" / "77-made")
    names = {
        experiments.load(f / "77-made").saved_as for f in (checkout / "snippets", checkout / "far")
    }
    assert "77-made" in names and len(names) == 2


def test_two_statements_may_not_share_an_id(two_servers):
    path = two_servers / "claim.toml"
    text = path.read_text()
    path.write_text(text + text[text.index("[[statements]]") :])
    with pytest.raises(InputError, match=r"statements\[1\] \('b-faster'\)\.id: is already the id"):
        experiments.load(two_servers)


def test_a_file_that_is_not_utf8_is_explained(two_servers):
    (two_servers / "claim.toml").write_bytes(b"title = '\xff'")
    with pytest.raises(InputError, match="is not UTF-8"):
        experiments.load(two_servers)


SYSTEM = '[[systems]]\nname = "Nancy"\nplace = "p"\n'


@pytest.mark.parametrize(
    ("system", "field", "words"),
    [
        (SYSTEM, "systems[0] ('Nancy')", ["how it is raced", "variant (itself), counterpart"]),
        (SYSTEM + 'variant = "a"\nabsent = "x"', "('Nancy')", ["gives variant and absent"]),
        (SYSTEM + 'counterpart = "a"', "('Nancy').why", ["is missing"]),
        (SYSTEM + 'variant = "c"', "systems[0] ('Nancy')", ["no variant 'c'"]),
        (SYSTEM + 'absent = "x"\n' + SYSTEM, "systems[1] ('Nancy')", ["says nothing"]),
        (f'{SYSTEM}absent = "x"\n' * 2, "systems[1] ('Nancy')", ["the name of two systems"]),
        ('[[unjudged]]\nsays = "s"\nplace = "p"', "unjudged[0].why", ["is missing"]),
    ],
)
def test_a_wrong_system_or_unjudged_statement_is_explained(two_servers, system, field, words):
    path = two_servers / "claim.toml"
    path.write_text(f"{path.read_text()}\n{system}\n")
    with pytest.raises(InputError) as caught:
        experiments.load(two_servers)
    message = str(caught.value)
    assert "claim.toml" in message and field in message
    for word in words:
        assert word in message


def test_published_ratio_is_the_quotient_of_the_figures(experiment):
    claim = experiment.claim
    assert claim.published_ratio(claim.statements[0]) == pytest.approx(1.1)


def test_an_excluded_figure_makes_no_published_ratio(two_servers):
    edit(two_servers / "claim.toml", "value = 100", 'void = "requests failed"\nvalue = 100')
    claim = experiments.load(two_servers).claim
    assert claim.published_ratio(claim.statements[0]) is None


def test_a_question_of_our_own_says_so(two_servers):
    edit(two_servers / "claim.toml", 'id = "b-faster"', 'ours = true\nid = "b-faster"')
    asked = experiments.load(two_servers).claim.statements[0]
    assert asked.ours and asked.says.startswith("A question of our own: b is")


def test_an_order_has_no_published_ratio_even_where_a_figure_stands_for_no_variant():
    claim = claims.load("03-dotnet-framework-ladder")
    assert not claim.figures[0].variant
    order = next(s for s in claim.statements if s.type == "order")
    assert claim.published_ratio(order) is None


def test_experiments_are_found_by_number_name_and_folder(two_servers):
    by_number = experiments.find("4")
    assert by_number.name == experiments.find("04").name == experiments.find(by_number.name).name
    assert experiments.find(str(two_servers)).name == "77-made"


@pytest.mark.parametrize("name", ["44", "setheader", "04-setheader-vs-writehed"])
def test_an_unknown_experiment_is_told_which_was_meant(name):
    with pytest.raises(InputError, match=f"no experiment '{name}'; did you mean '04-") as caught:
        experiments.find(name)
    assert "./bench list" in caught.value.remedy


def test_a_number_that_two_folders_share_is_not_guessed(two_servers, checkout):
    for name in ("77-one", "77-two"):
        folder = paths.snippets() / name
        folder.mkdir(parents=True)
        (folder / "experiment.toml").write_text("")
    with pytest.raises(InputError, match="several:\n  77-one.*\n  77-two"):
        experiments.find("77")


def test_what_others_must_answer_like_is_not_compared_itself(make_experiment):
    chain = {"b": 'answers_like = "c"', "c": 'answers_like = "a"'}
    with pytest.raises(InputError, match="'c' is compared with another variant itself"):
        experiments.load(make_experiment({"a": SERVER, "b": SERVER, "c": SERVER}, chain))


@pytest.mark.parametrize("found", experiments.load_all(), ids=lambda e: e.name)
def test_every_committed_experiment_is_sound(found):
    assert claims.load(found.claim.name).statements
    for mode in ("quick", "full"):
        assert found.modes[mode].budget_seconds > 0
    for variant in found.variants:
        most = 55 if variant.path.suffix == ".cs" else 25  # C# writes classes and options out
        assert len(variant.code.splitlines()) <= most, "a variant is a file of a few lines"


@pytest.fixture
def parts(two_servers, tmp_path, monkeypatch):
    """snippets/77-made with the parts http and memory, and a file that both refer to."""
    home = tmp_path / "snippets" / "77-made"
    for part in ("http", "memory"):
        shutil.copytree(two_servers, home / part)
    (home / "shared.mjs").write_text(SERVER)
    edit(home / "http" / "experiment.toml", 'file = "b.mjs"', 'file = "../shared.mjs"')
    monkeypatch.setattr(paths, "snippets", lambda: tmp_path / "snippets")
    return home


def test_a_part_is_found_by_number_or_name_and_shares_the_notebook(parts):
    for which in ("77/http", "77-made/http", str(parts / "http")):
        found = experiments.find(which)
        assert (found.name, found.number, found.home) == ("77-made/http", "77/http", parts)
        assert found.notebook.name == "77-made.ipynb"
    assert [e.name for e in experiments.load_all()] == ["77-made/http", "77-made/memory"]
    assert experiments.find("77/http").variant("b").path == parts / "shared.mjs"


def test_parts_may_have_notebooks_of_their_own(parts, monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "notebooks", lambda: tmp_path / "notebooks")
    edit(parts / "http" / "experiment.toml", "baseline =", 'notebook = "77b-served"\nbaseline =')
    served, other = experiments.load_all()
    assert served.notebook == tmp_path / "notebooks" / "77b-served.ipynb"
    assert other.notebook == tmp_path / "notebooks" / "77-made.ipynb"
    assert served.asked_in("quiz.toml") == parts / "77b-served" / "quiz.toml"
    assert other.asked_in("quiz.toml") == parts / "quiz.toml"
    for each in (served, other):
        assert experiments.of_notebook(each.notebook) == [each]
        assert experiments.notebook_at(each.folder) == each.notebook
    edit(parts / "http" / "experiment.toml", "77b-served", "../77b")
    assert experiments.notebook_at(served.folder) == other.notebook
    with pytest.raises(InputError, match="notebook"):
        experiments.load(served.folder)


def test_an_experiment_of_several_parts_asks_for_one(parts):
    with pytest.raises(InputError, match="has 2 parts:\n  77/http    which.*\n  77/memory  which"):
        experiments.find("77")
    assert [each.number for each in experiments.find_all("77")] == ["77/http", "77/memory"]
    assert [each.number for each in experiments.find_all(str(parts))] == ["77/http", "77/memory"]
    with pytest.raises(InputError, match="no experiment '77/disk'"):
        experiments.find("77/disk")


def test_a_part_does_not_refer_outside_of_the_whole(parts):
    edit(parts / "memory" / "experiment.toml", 'file = "b.mjs"', 'file = "../../x.mjs"')
    with pytest.raises(InputError, match="outside"):
        experiments.find("77/memory")


def test_a_part_that_lies_elsewhere_is_staged_with_all_that_it_refers_to(parts, tmp_path):
    found = readiness.stage(experiments.find("77/http"), tmp_path / "staged")
    assert found.variant("b").path == tmp_path / "staged" / "shared.mjs"
    assert found.variant("b").path.is_file() and found.variant("a").path.is_file()


def test_without_a_claim_programs_are_compared_and_nothing_is_judged(two_servers, make_run):
    edit(two_servers / "experiment.toml", 'claim = "claim.toml"\n', "")
    (two_servers / "claim.toml").unlink()
    found = experiments.load(two_servers)
    assert (found.claim.name, found.claim.statements, found.claim.figures) == ("", (), ())
    run = make_run({"a": 1000, "b": 1100})
    told = race_cards.summary(run, judge.judge(run, found.claim)).text
    assert "No claim: a plain comparison" in told and "b is" not in told
    assert "a plain comparison" in race_cards.claim(found, {}).text


def test_ones_own_claim_needs_no_figures_and_its_place_is_told(two_servers):
    file = two_servers / "claim.toml"
    text = file.read_text()
    start, end = text.index("[[figures]]"), text.index("[[statements]]")
    file.write_text(text[:start] + text[end:])
    assert experiments.load(two_servers).claim.figures == ()
    edit(two_servers / "experiment.toml", '"claim.toml"', '"nothing"')
    with pytest.raises(InputError) as caught:
        experiments.load(two_servers)
    assert 'claim = "claim.toml"' in caught.value.remedy and "leave it out" in caught.value.remedy


def test_a_part_is_not_called_versions(make_experiment):
    folder = make_experiment({"a": SERVER, "b": SERVER})
    other = folder.rename(folder.with_name("versions"))
    with pytest.raises(InputError, match="can't be called 'versions'"):
        experiments.load(other)
