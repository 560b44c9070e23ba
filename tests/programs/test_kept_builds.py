"""Builds: which state of what goes into them they are of, and what other clones have of them."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from benchbook.programs import app_builds, runners
from benchbook.race.kinds.functions.files import dotnet_build
from benchbook.race.kinds.functions.files.dotnet_build import MethodsFile
from benchbook.system import paths, tidying
from benchbook_kernels.base import builds, kept_builds
from benchbook_kernels.base.builds import BuildError

APP = "#:property PublishAot=false\nSystem.Console.Write(1);\n"


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The folder of this user's builds."""
    folder = tmp_path / "kept"
    monkeypatch.setenv(kept_builds.VARIABLE, str(folder))
    return folder


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """clone("one"): from now on we are in the clone of that name; the app in it."""

    def go(name: str) -> Path:
        root = tmp_path / name
        (root / "snippets").mkdir(parents=True, exist_ok=True)
        app = root / "snippets" / "app.cs"
        app.write_text(APP)
        monkeypatch.setenv("BENCHBOOK_ROOT", str(root))
        return app

    return go


def build(app: Path, content: dict[str, bytes] = {}) -> list[str]:
    """Build an app as a compiler that writes these files does; what it was called for."""
    folder, called = builds.build_folder(app), []

    def make() -> tuple[int, str]:
        called.append(app.name)
        (folder / "out").mkdir()
        for name, data in content.items():
            (folder / "out" / name).write_bytes(data)
        return 0, ""

    builds.build_once(folder, make, "by hand", lambda: called.append("begun"))
    assert (folder / "built.txt").is_file()
    return called


def test_what_one_clone_has_built_another_gets(kept, clone):
    app = clone("one")
    # a library names its symbols, the settings of an app its source
    library = b"MZ\0" + os.fsencode(paths.root() / "obj" / "app.pdb") + b"\0"
    settings = f'{{"EntryPointFilePath": "{app}"}}'.encode()
    content = {"app.dll": library, "app.runtimeconfig.json": settings}
    assert build(app, content) == ["begun", "app.cs"]
    assert build(app) == []
    other = clone("two")
    assert build(other) == [], "nothing is built, and nothing said"
    out = builds.build_folder(other) / "out"
    assert (out / "app.dll").read_bytes() == library
    assert str(other) in (out / "app.runtimeconfig.json").read_text()
    (out / "app.dll").write_bytes(b"broken")
    assert build(clone("three")) == []
    out = builds.build_folder(paths.root() / "snippets" / "app.cs") / "out"
    assert (out / "app.dll").read_bytes() == library, "each has a copy of its own"
    assert not [path for path in paths.builds().iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    "telling", [b"\0%b/data.json\0", b"%b/obj/app.pdb and more\0", b"%b/app.pdb\n"]
)
def test_a_build_that_tells_where_it_was_made_is_for_its_clone_alone(kept, clone, telling):
    app = clone("one")
    build(app, {"app.dll": telling % os.fsencode(paths.root())})
    assert build(app) == [] and not kept.exists()
    build(app, {})
    assert build(clone("two")) == ["begun", "app.cs"]


def test_text_in_utf_16_and_static_files_tell_it_too(kept, clone):
    app = clone("one")
    build(app, {"app.dll": str(paths.root()).encode("utf-16-le")})
    assert not kept.exists()
    app.write_text(APP + "// of a web page")
    build(app, {"app.staticwebassets.runtime.json": b"{}"})
    assert not kept.exists()


def test_nothing_is_kept_or_had_where_that_is_not_wanted(kept, clone, monkeypatch):
    build(clone("one"))
    assert kept.exists()
    with monkeypatch.context() as patch:
        patch.setenv(kept_builds.VARIABLE, "")
        assert build(clone("two")) == ["begun", "app.cs"]
    with monkeypatch.context() as patch:
        patch.setattr(os, "getuid", lambda: -1, raising=False)
        assert build(clone("three")) == ["begun", "app.cs"], "it is another user's"
    assert build(clone("four")) == []


def test_what_cannot_be_copied_is_built(kept, clone, monkeypatch):
    build(clone("one"))
    failing = lambda *_, **__: (_ for _ in ()).throw(OSError("the disk is full"))  # noqa: E731
    monkeypatch.setattr(kept_builds.shutil, "copytree", failing)
    assert build(clone("two")) == ["begun", "app.cs"]


def test_what_failed_is_not_kept_and_comes_from_another_clone(kept, clone):
    app = clone("one")
    folder = builds.build_folder(app)
    with pytest.raises(BuildError, match="error CS1"):
        builds.build_once(folder, lambda: (1, "error CS1: no"), "by hand", lambda: None)
    assert "CS1" in (folder / "failed.txt").read_text() and not kept.exists()
    build(clone("two"))
    assert build(clone("one")) == [] and not (folder / "failed.txt").exists()


def test_old_builds_go_here_and_among_those_that_are_kept(kept, clone, monkeypatch):
    app = clone("one")
    build(app, {"app.dll": b"x"})
    [old] = kept.iterdir()
    ago = lambda seconds: (time.time() - seconds - 1,) * 2  # noqa: E731
    os.utime(old, ago(kept_builds.UNUSED_SECONDS))
    app.write_text(APP + "// changed")
    build(app, {"app.dll": b"y" * 1000})
    [newer] = kept.iterdir()
    assert newer.name == builds.build_folder(app).name != old.name
    os.utime(newer, ago(60))
    monkeypatch.setattr(kept_builds, "MOST_BYTES", 1500)
    app.write_text(APP + "// changed again")
    build(app, {"app.dll": b"z" * 1000})
    assert [path.name for path in kept.iterdir()] == [builds.build_folder(app).name]
    for folder in paths.builds().glob("app-*"):
        os.utime(folder, ago(tidying.OLD_SECONDS))
    assert build(app) == []  # it is used
    tidying.remove_old()
    assert [p.name for p in paths.builds().glob("app-*")] == [builds.build_folder(app).name]


@pytest.fixture
def app(clone):
    return clone("one")


PROJECT = '<Project><Import Project="../shared.props" />{}</Project>'
REFERENCE = '<ProjectReference Include="../library/library.csproj" />'
INCLUDED = '<Compile Include="../shared/*.cs" />'


@pytest.fixture
def project(app):
    """A project that refers to another and to files elsewhere."""
    home = app.parent / "project"
    for name in ("project", "library"):
        (app.parent / name).mkdir()
        (app.parent / name / f"{name}.csproj").write_text("<Project></Project>")
        (app.parent / name / "Code.cs").write_text("class A { }")
    (home / "project.csproj").write_text(PROJECT.format(REFERENCE + INCLUDED))
    (app.parent / "shared").mkdir()
    (app.parent / "shared" / "Shared.cs").write_text("class B { }")
    (app.parent / "shared.props").write_text("<Project />")
    return home / "project.csproj"


@pytest.mark.parametrize(
    "name",
    [
        *("app.cs", "appsettings.json", "words.resx", "wwwroot/css/page.css"),
        *("Directory.Build.props", "../Directory.Packages.props", "../Directory.Build.targets"),
        *("nuget.config", "../global.json", "../.editorconfig"),
    ],
)
def test_an_app_is_built_anew_where_something_changes_that_goes_into_it(app, name):
    before = builds.build_folder(app)
    path = app.parent / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("changed")
    assert builds.build_folder(app) != before
    assert builds.build_folder(app) == builds.build_folder(app)


@pytest.mark.parametrize(
    "name",
    [
        *("project/Code.cs", "project/new.txt", "project/project.csproj", "project/deep/a.cs"),
        *("library/Code.cs", "library/Directory.Build.props", "shared/Shared.cs", "shared/New.cs"),
        *("shared.props", "Directory.Packages.props", "../global.json"),
    ],
)
def test_a_project_too_with_what_it_refers_to(project, name):
    before = builds.build_folder(project)
    path = project.parents[1] / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((path.read_text() if path.exists() else "") + "<!-- changed -->")
    assert builds.build_folder(project) != before


@pytest.mark.parametrize(
    "name", ["obj/a.json", "bin/Release/a.dll", ".git/HEAD", ".vs/x", "../z.cs"]
)
def test_what_builds_and_tools_write_changes_no_project(project, name):
    before = builds.build_folder(project)
    path = project.parent / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("written")
    assert builds.build_folder(project) == before


def test_the_sdk_the_verb_and_properties_count_but_not_where_intermediate_files_lie(
    app, monkeypatch
):
    usual = builds.build_folder(app)
    assert builds.build_folder(app, verb="publish") != usual
    given = builds.build_folder(app, ["SomeVersion=2"])
    assert given != usual
    for name in ("one", "two"):
        place = f"ArtifactsPath={paths.builds() / 'artifacts' / name}"
        assert builds.build_folder(app, ["SomeVersion=2", place]) == given
    monkeypatch.setattr(builds, "dotnet_version", lambda: "99.0.100")
    assert builds.build_folder(app) != usual


def test_a_variant_that_is_published_from_now_on_is_built_anew(app, experiment):
    built = replace(experiment.variant("a"), path=app)
    assert runners.built_in(built) != runners.built_in(replace(built, publish=True))


@pytest.mark.parametrize(
    "asking", ["[CallerFilePath] string p", 'AppContext.GetData("EntryPointFilePath")']
)
def test_of_code_that_asks_where_it_lies_each_place_has_a_build(clone, asking):
    found = []
    for name in ("one", "two"):
        app = clone(name)
        app.write_text(APP + asking)
        found.append(builds.build_folder(app).name)
    assert found[0] != found[1]


def test_methods_of_a_revision_are_not_built_again(clone):
    """Of the same code in another folder, as in the worktree of --git."""
    one = MethodsFile(clone("one"))
    two = MethodsFile(clone("two"))
    assert one.folder.name == two.folder.name
    two.path.write_text(APP + "// changed")
    assert one.folder.name != two.folder.name


def test_methods_come_from_another_clone_and_nothing_is_built(kept, clone, monkeypatch):
    file = MethodsFile(clone("one"))

    def run(verb: str, path: Path, *more: str) -> tuple[int, str]:
        for folder in dotnet_build.missing([file]):
            (folder / "out").mkdir()
            builds.done(folder)
        return 0, ""

    monkeypatch.setattr(builds, "run_dotnet", run)
    dotnet_build.build([file], lambda text: None)
    monkeypatch.setattr(builds, "run_dotnet", lambda *_: pytest.fail("it was built"))
    dotnet_build.build([MethodsFile(clone("two"))], lambda text: pytest.fail(text))


@pytest.mark.slow("builds .NET programs")
def test_programs_run_from_another_clone(kept, clone, monkeypatch):
    app = clone("one")
    second = app.with_name("second.cs")
    text = '#:property PublishAot=false\nSystem.Console.Write("second");\n'
    second.write_text(text)
    app_builds.build_together({app: "build", second: "build"}, lambda: None)
    assert len(list(kept.iterdir())) == 2
    app = clone("two")
    app.with_name("second.cs").write_text(text)
    monkeypatch.setattr(app_builds, "run_dotnet", lambda *_: pytest.fail("it was built"))
    programs = {app: "build", app.with_name("second.cs"): "build"}
    app_builds.build_together(programs, lambda: pytest.fail("there is nothing to build"))
    told = []
    for path, expected in zip(programs, ("1", "second"), strict=True):
        library = builds.build_folder(path) / "out" / f"{path.stem}.dll"
        told.append((builds.run(["dotnet", str(library)], path.parent), (0, expected)))
    assert [found for found, _ in told] == [expected for _, expected in told]
