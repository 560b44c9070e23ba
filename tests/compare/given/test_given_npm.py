"""The same program with several versions of npm packages, from a registry on this machine."""

import json

import pytest

from asked_lab import FAST, SLOW
from benchbook.programs import npm as asking_npm
from benchbook_kernels.base.errors import BenchError, InputError
from npm_registry import packed

ENTRY = {"exports": "./index.mjs"}
USES = "import { work } from 'mine';\nimport 'other';\nexport default work;\n"


pytestmark = pytest.mark.slow("asks npm, and has it install packages")


def exporting(code):
    """The files of a package that exports a function."""
    return {"index.mjs": code.replace("export default", "export const work =")}


@pytest.fixture
def project(asked, npm):
    """`f.mjs` uses `mine`, which is slow since 2.0.0, and `other`; the project asks for both."""
    for version in ("1.2.0", "1.10.0", "1.9.0", "2.0.0-rc.1"):
        npm.add("mine", version, exporting(FAST), **ENTRY)
    npm.add("mine", "2.0.0", exporting(SLOW), **ENTRY)
    npm.add("other", "3.0.0", {"index.mjs": ""}, **ENTRY)
    about = {"name": "project", "dependencies": {"mine": "^1.2.0", "other": "^3.0.0"}}
    asked.write({"package.json": json.dumps(about), "bench/f.mjs": USES, "bench/data.txt": "x"})
    return asked


def used(variant, name="mine"):
    """The version of a package that a program finds."""
    for folder in variant.path.parents:
        path = folder / "node_modules" / name / "package.json"
        if path.is_file():
            return json.loads(path.read_text())["version"]
    return ""


def test_a_version_that_is_slower_is_found(project):
    assert project.ratio("bench/f.mjs", "--npm", "mine@1..mine@2") < 0.6
    assert project.entries == ["mine@1.10.0", "mine@2.0.0"]
    assert sorted(path.name for path in project.folder.iterdir()) == ["bench", "package.json"]


def test_each_program_finds_its_version_and_whatever_else_it_imports(project):
    with project.question("bench/f.mjs", npm="mine@1.2.0,2") as question:
        found = question.variants
        assert [used(variant) for variant in found] == ["1.2.0", "2.0.0"]
        assert [used(variant, "other") for variant in found] == ["3.0.0", "3.0.0"]
        assert all((v.path.parent / "data.txt").is_file() for v in found)
        assert [variant.title for variant in found] == ["mine 1.2.0", "mine 2.0.0"]
    assert not found[0].path.exists()


def test_one_version_is_compared_with_the_one_that_is_installed(project):
    with pytest.raises(InputError, match="none is installed here to compare it with"):
        project.names("bench/f.mjs", npm="mine@2")
    asking_npm.install([], project.folder)
    assert project.names("bench/f.mjs", npm="mine@2") == ["mine@1.10.0", "mine@2.0.0"]


def test_a_package_may_be_a_file_that_npm_packed(project, npm):
    (project.folder / "a.tgz").write_bytes(packed("mine", "7.0.0", exporting(FAST), **ENTRY))
    (project.folder / "b.tgz").write_bytes(packed("mine", "7.1.0", exporting(SLOW), **ENTRY))
    names = project.names("bench/f.mjs", npm="./a.tgz,./b.tgz", kind="functions")
    assert names == ["mine@7.0.0", "mine@7.1.0"]
    (project.folder / "pkg").mkdir()
    about = {"name": "mine", "version": "8.0.0", **ENTRY}
    project.write(
        {"pkg/package.json": json.dumps(about), "pkg/index.mjs": exporting(FAST)["index.mjs"]}
    )
    with project.question("bench/f.mjs", npm="mine@1.2.0,file:pkg") as question:
        assert [used(variant) for variant in question.variants] == ["1.2.0", "8.0.0"]


def test_several_packages_go_together(project, npm):
    npm.add("other", "4.0.0", {"index.mjs": ""}, **ENTRY)
    choices = "mine@1.2.0 other@3.0.0, mine@2.0.0 other@4"
    with project.question("bench/f.mjs", npm=choices) as question:
        names = [variant.name for variant in question.variants]
        assert names == ["mine@1.2.0 other@3.0.0", "mine@2.0.0 other@4.0.0"]
        assert [used(variant, "other") for variant in question.variants] == ["3.0.0", "4.0.0"]


def test_a_program_without_a_project_has_the_package_only(asked, npm):
    for version in ("1.0.0", "2.0.0"):
        npm.add("@me/mine", version, exporting(FAST), **ENTRY)
    asked.write({"f.mjs": "export { work } from '@me/mine';\n"})
    assert asked.names("f.mjs", npm="@me/mine@1,2") == ["@me/mine@1.0.0", "@me/mine@2.0.0"]


def test_a_set_up_runs_for_each_set_of_packages(project):
    setup = "cat node_modules/mine/package.json > set-up.json"
    with project.question("bench/f.mjs", npm="mine@1,2", setup=setup) as question:
        roots = [variant.path.parents[1] for variant in question.variants]
        told = [json.loads((root / "set-up.json").read_text())["version"] for root in roots]
    assert told == ["1.10.0", "2.0.0"]


def test_a_command_runs_in_the_copy(project):
    with project.question("node bench/f.mjs", npm="mine@1,2") as question:
        folders = [variant.runs_in for variant in question.variants]
        assert all((folder / "node_modules" / "mine").is_dir() for folder in folders)
        assert project.folder not in folders


@pytest.mark.parametrize(
    ("typed", "error", "said"),
    [
        ("mine@1..mine@77", BenchError, "npm has no mine@77"),
        ("mine@1.2.0..mine@1.2.1", BenchError, "npm can't install mine@1.2.1"),
        ("nowhere@1,2", BenchError, "npm has no nowhere@1"),
        ("./gone.tgz,./b.tgz", InputError, "there is no ./gone.tgz"),
        ("./bench/data.txt,mine@1", InputError, "is no package of npm's"),
    ],
)
def test_a_version_that_can_not_be_had_is_told(project, typed, error, said):
    with pytest.raises(error, match=said):
        project.names("bench/f.mjs", npm=typed)


def test_a_folder_that_is_no_project_is_not_copied_whole(asked, npm, monkeypatch):
    from benchbook.compare.given import npm_packages

    monkeypatch.setattr(npm_packages, "MOST_FILES", 10)
    npm.add("mine", "1.0.0", exporting(FAST))
    npm.add("mine", "2.0.0", exporting(FAST))
    asked.write({"f.mjs": FAST, **{f"photos/{i}": "x" for i in range(20)}})
    with pytest.raises(InputError, match="is copied for each version, but has .* files or more"):
        asked.names("f.mjs", npm="mine@1,2")


def test_revisions_and_packages_are_combined(project):
    from test_given_git import commit, git

    git(project.folder, "init", "-q", "-b", "main")
    commit(project, "one")
    project.write({"bench/f.mjs": USES + "// two\n"})
    commit(project, "two")
    with project.question("bench/f.mjs", git="one..two", npm="mine@1,2") as question:
        found = question.variants
        assert [variant.name for variant in found] == [
            *("one mine@1.10.0", "one mine@2.0.0", "two mine@1.10.0", "two mine@2.0.0")
        ]
        assert [used(variant) for variant in found] == ["1.10.0", "2.0.0"] * 2
        assert [variant.code.endswith("// two\n") for variant in found] == [False] * 2 + [True] * 2
