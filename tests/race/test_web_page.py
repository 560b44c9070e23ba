"""Experiments with a web page: what their files must say, what their builds depend on, Chromium."""

from dataclasses import replace

import pytest

from benchbook.model import experiments
from benchbook.programs import browser
from benchbook.race.kinds.page import web_page
from benchbook.setup import bootstrap
from benchbook.system import paths
from benchbook_kernels.base import builds
from benchbook_kernels.base.errors import InputError

PAGE = '[page]\nserver = "Server/Server.csproj"'


@pytest.fixture
def with_page(two_servers):
    """A made experiment whose two variants are clients of a page; returns its folder."""
    (two_servers / "Server").mkdir()
    (two_servers / "Server" / "Server.csproj").write_text("<Project />")
    rewrite(two_servers, '[http]\npath = "/"\nconnections = 8', PAGE)
    return two_servers


def rewrite(folder, old: str, new: str) -> None:
    path = folder / "experiment.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_an_experiment_may_have_a_page(with_page):
    found = experiments.load(with_page)
    assert found.kind.server == with_page / "Server" / "Server.csproj"
    assert browser.NEED in found.kind.needs and not found.kind.under_load


@pytest.mark.parametrize(
    "old, new, said",
    [
        (PAGE, PAGE + '\n[http]\npath = "/"', "page: is given beside http"),
        (PAGE, "", "http: is missing"),
        ("Server/Server", "Server/Other", "page.server: 'Server/Other.csproj' does not exist"),
        ("Server.csproj", "server.cs", "page.server: "),
        ("Server/Server", "../Server", "page.server: '../Server.csproj' lies outside"),
        ('server = "Server/Server.csproj"', "", "page.server: is missing"),
    ],
)
def test_a_page_that_is_declared_wrongly_is_refused_with_the_field(with_page, old, new, said):
    rewrite(with_page, old, new)
    with pytest.raises(InputError) as caught:
        experiments.load(with_page)
    assert said in str(caught.value)


def test_a_setting_of_a_client_becomes_a_property_of_a_copy_of_the_page(with_page):
    found = experiments.load(with_page)
    server = web_page.staged(found, {"AOT": "true"})
    assert server.name == "Server.csproj" and server != found.kind.server
    assert "<AOT>true</AOT>" in (server.parents[1] / "Directory.Build.props").read_text()
    assert web_page.staged(found, {"AOT": "true"}) == server
    assert web_page.staged(found, {"AOT": "false"}) != server


def test_a_reader_s_edit_is_in_the_copy_and_nowhere_else(with_page, tmp_path):
    (with_page / "Server" / "a.cs").write_text("// as it was")
    edit = tmp_path / "edits" / with_page.name / "Server" / "a.cs"
    edit.parent.mkdir(parents=True)
    edit.write_text("// edited")
    found = experiments.load(with_page)
    edited = found.with_edit(replace(found.variants[0], path=edit, edited=True))
    server = web_page.staged(edited, {})
    assert (server.parent / "a.cs").read_text() == "// edited"
    assert (with_page / "Server" / "a.cs").read_text() == "// as it was"


def test_a_file_based_app_depends_on_all_projects_that_it_refers_to(tmp_path):
    for name in ("app", "near", "far"):
        (tmp_path / name).mkdir()
    (tmp_path / "app" / "Directory.Build.props").write_text("<Project />")
    app = tmp_path / "app" / "app.cs"
    app.write_text("#:property A=b\n#:project ../near\n\nNear.Run();\n")
    reference = '<Project><ProjectReference Include="..\\far\\far.csproj" /></Project>'
    (tmp_path / "near" / "near.csproj").write_text(reference)
    (tmp_path / "far" / "far.csproj").write_text("<Project />")
    far = tmp_path / "far" / "Far.cs"
    far.write_text("// one")
    found = {str(p.relative_to(tmp_path)) for p in builds.sources(app)}
    assert found >= {"app/app.cs", "app/Directory.Build.props", "near/near.csproj", "far/Far.cs"}
    before = builds.build_folder(app)
    far.write_text("// two")
    assert builds.build_folder(app) != before


def test_chromium_is_installed_for_experiments_with_a_page_only(monkeypatch):
    asked = []
    monkeypatch.setattr(bootstrap, "main", asked.append)
    monkeypatch.setattr(browser, "find", lambda: "/usr/bin/chromium")
    browser.ask_for(experiments.find_all("07"))
    monkeypatch.setattr(browser, "find", lambda: "")
    browser.ask_for(experiments.find_all("04"))
    assert asked == []
    one, all_parts = experiments.find("07/browser"), experiments.find_all("07")
    for wanted in (all_parts, [experiments.find("04"), one], experiments.load_all()):
        browser.ask_for(wanted)
        assert asked.pop() == ["--with-browser"]


def test_what_is_missing_is_said_with_its_remedy(monkeypatch):
    monkeypatch.setenv("BENCHBOOK_CHROMIUM", str(paths.root() / "no-such-browser"))
    assert browser.lacks() == (
        "Chromium is not installed; get it with: ./bench setup --with-browser"
    )
    assert browser.version() == ""
