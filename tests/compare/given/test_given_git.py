"""Programs as they are in several revisions of a repository, of which nothing is left in it."""

import os
import shutil
import signal
import subprocess
import time

import pytest

from asked_lab import COMMAND, FAST, SHORT, SLOW
from benchbook_kernels.base.errors import BenchError, InputError
from made import SERVER

WHO = {f"GIT_{who}_{what}": "t@t" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
CONFIG = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder, *words):
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env={**os.environ, **WHO, **CONFIG},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(asked):
    """A repository in which f.mjs is fast in `before` and slow in HEAD; lib/s.mjs is a server."""
    git(asked.folder, "init", "-q", "-b", "main")
    asked.write({"f.mjs": FAST, "lib/s.mjs": SERVER, ".gitignore": "node_modules\nmade.mjs\n"})
    commit(asked, "before")
    asked.write({"f.mjs": SLOW})
    commit(asked, "after")
    return asked


def commit(asked, tag):
    git(asked.folder, "add", "-A")
    git(asked.folder, "commit", "-q", "-m", tag)
    git(asked.folder, "tag", tag)


def left(asked):
    """Everything that is in the repository's own folder, and what git says of its worktrees."""
    own = asked.folder / ".git"
    # HEAD's own log and index may be touched; names of files say what there is
    names = sorted(str(path.relative_to(own)) for path in own.rglob("*"))
    return names, git(asked.folder, "worktree", "list"), git(asked.folder, "status", "--short")


def test_a_revision_that_is_slower_is_found_and_nothing_is_left(repository):
    before = left(repository)
    assert repository.ratio("--git", "before..after", "--", "./f.mjs") < 0.6
    assert repository.entries == ["before", "after"]
    assert left(repository) == before


def test_revisions_are_compared_with_each_other_and_one_with_the_working_tree(repository):
    names = repository.names
    assert names("f.mjs", git="before,HEAD,main") == ["before", "HEAD", "main"]
    assert names("f.mjs", git="HEAD") == ["HEAD", "working-tree"]
    assert names("f.mjs", git="before..") == ["before", "HEAD"]
    titles = [variant.title for variant in repository.variants("f.mjs", git="before..HEAD~0")]
    hashes = [git(repository.folder, "rev-parse", "--short=7", r) for r in ("before", "after")]
    assert titles == [f"before ({hashes[0]})", f"HEAD~0 ({hashes[1]})"]


def test_a_whole_hash_is_told_in_short(repository):
    whole = [git(repository.folder, "rev-parse", tag) for tag in ("before", "after")]
    short = [git(repository.folder, "rev-parse", "--short", each) for each in whole]
    found = repository.variants("f.mjs", git="..".join(whole))
    assert [variant.name for variant in found] == short
    assert [variant.title for variant in found] == short


def test_three_dots_are_from_where_two_revisions_parted(repository):
    git(repository.folder, "checkout", "-q", "-b", "other/branch", "before")
    repository.write({"g.mjs": FAST})
    commit(repository, "there")
    first, second = repository.names("f.mjs", git="main...other/branch")
    assert git(repository.folder, "rev-parse", "before").startswith(first)
    assert second == "other/branch"


def test_each_revision_has_its_own_code_and_the_working_tree_what_is_not_committed(repository):
    repository.write({"f.mjs": FAST + "// edited\n"})
    with repository.question("f.mjs", git="before,after") as question:
        codes = [variant.code for variant in question.variants]
    assert codes == [FAST, SLOW]
    with repository.question("f.mjs", git="after") as question:
        committed, edited = question.variants
        assert committed.code == SLOW and edited.code.endswith("// edited\n")
        assert edited.path == repository.folder / "f.mjs"
        assert not committed.path.is_relative_to(repository.folder)
    assert not committed.path.exists()


def test_paths_are_read_from_the_folder_in_which_is_asked(repository):
    inner = type(repository)(repository.folder / "lib")
    for word in ("s.mjs", "../lib/s.mjs", str(repository.folder / "lib" / "s.mjs")):
        with inner.question(word, git="before..after") as question:
            paths = [variant.path for variant in question.variants]
            assert all(path.parts[-2:] == ("lib", "s.mjs") for path in paths)
            assert len(set(paths)) == 2
    outer = type(repository)(repository.folder.parent)
    assert outer.names("mine/f.mjs", git="before..after") == ["before", "after"]


def test_a_function_in_a_path_with_spaces_is_the_one_of_each_revision(repository):
    for tag, code in (("first", FAST), ("second", SLOW)):
        repository.write({"my lib/f.mjs": code})
        commit(repository, tag)
    word = f"{repository.folder}/my lib/f.mjs:default"
    with repository.question(word, git="first..second") as question:
        assert [variant.code for variant in question.variants] == [FAST, SLOW]


def test_several_programs_come_one_after_the_other(repository):
    repository.write({"g.mjs": FAST})
    commit(repository, "more")
    repository.write({"g.mjs": SLOW})
    commit(repository, "most")
    names = repository.names("f.mjs", "g.mjs", git="more,most", env="A=1")
    assert names == ["f more", "f most", "g more", "g most"]


def test_a_set_up_runs_in_each_checkout_before_programs_are_looked_for(repository):
    before = left(repository)
    setup = "git rev-parse HEAD > mark.txt; cp f.mjs made.mjs"
    with repository.question("made.mjs", git="before..after", setup=setup) as question:
        folders = [variant.path.parent for variant in question.variants]
        marks = [(folder / "mark.txt").read_text().strip() for folder in folders]
        assert [variant.code for variant in question.variants] == [FAST, SLOW]
    assert marks == [git(repository.folder, "rev-parse", name) for name in ("before", "after")]
    assert left(repository) == before and not any(folder.exists() for folder in folders)


def test_a_set_up_that_fails_shows_its_last_lines_and_nothing_is_left(repository):
    before = left(repository)
    setup = "seq 30; echo no such package >&2; exit 3"
    with pytest.raises(
        BenchError, match=r"--setup failed for before \(.*\) \(exit code 3\)"
    ) as told:
        repository.names("f.mjs", git="before..after", setup=setup)
    assert "no such package" in str(told.value) and "\n    30" in str(told.value)
    assert "\n    3\n" not in str(told.value)
    assert left(repository) == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"git": "before..nope"}, "there is no revision 'nope'"),
        ({"git": "--help..HEAD"}, "there is no revision '--help'"),
        ({"git": "before..before~1"}, "there is no revision 'before~1'"),
    ],
)
def test_a_revision_that_does_not_exist_is_told(repository, options, said):
    before = left(repository)
    with pytest.raises(InputError, match=said):
        repository.names("f.mjs", **options)
    assert left(repository) == before


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("new.mjs", "has no new.mjs: it is not committed there"),
        ("lib/gone.mjs", "has no lib/gone.mjs: no such file"),
        ("../outside.mjs", "lies outside of the repository"),
    ],
)
def test_a_file_that_is_not_in_a_revision_is_told(repository, word, said):
    repository.write({"new.mjs": FAST, "../outside.mjs": FAST})
    before = left(repository)
    with pytest.raises(InputError, match=said):
        repository.names(word, "f.mjs", git="before..after")
    assert left(repository) == before


@pytest.mark.parametrize("line", ["{root}/b.sh --fast", "cd {link}; ./b.sh", "X='{root}' sh b.sh"])
def test_a_command_that_leads_into_the_working_tree_is_refused(repository, line):
    """It would be the same program in all revisions, and no difference."""
    link = repository.folder.parent / "link"
    link.symlink_to(repository.folder)
    line = line.format(root=repository.folder, link=link)
    with pytest.raises(InputError, match="a path that is the same whatever --git says: /"):
        repository.names(line, git="before..after")
    beside = f"{repository.folder}-other/b.sh --fast"
    assert repository.names(beside, git="before..after") == ["before", "after"]


def test_files_of_one_name_are_called_alike_in_all_revisions(repository):
    repository.write({"f.mjs": FAST, "a/f.mjs": FAST, "b/f.mjs": SLOW, "s.mjs": SERVER})
    commit(repository, "more")
    names = repository.names("a/f.mjs", "b/f.mjs", git="more,HEAD")
    assert names == ["a/f more", "a/f HEAD", "b/f more", "b/f HEAD"]
    names = repository.names("f.mjs", str(repository.folder / "a" / "f.mjs"), git="more,HEAD")
    assert names == ["f more", "f HEAD", "a/f more", "a/f HEAD"]
    names = repository.names("s.mjs", "lib/s.mjs", git="more")
    assert names == ["s.mjs more", "s.mjs working-tree", "lib/s.mjs more", "lib/s.mjs working-tree"]


def test_a_folder_that_is_in_no_repository_is_told(asked):
    asked.write({"f.mjs": FAST})
    with pytest.raises(InputError, match="in no git repository"):
        asked.names("f.mjs", git="HEAD")


def test_a_clone_that_is_shallow_is_said_to_be(repository, tmp_path):
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository.folder}", "shallow")
    shallow = type(repository)(tmp_path / "shallow")
    with pytest.raises(InputError, match="git fetch --unshallow"):
        shallow.names("f.mjs", git="HEAD~1..HEAD")


def test_the_same_commit_twice_is_said(repository):
    assert repository.names("f.mjs", git="after..HEAD") == ["after", "HEAD"]
    assert any("the same commit" in text for text in repository.said)


def test_hooks_of_the_repository_do_not_run_and_those_that_run_us_do_not_mislead(
    repository, monkeypatch
):
    hook = repository.folder / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {repository.folder}/ran\n")
    hook.chmod(0o755)
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/other")
    assert repository.names("f.mjs", git="before..after") == ["before", "after"]
    assert not (repository.folder / "ran").exists()


# ── npm's packages ───────────────────────────────────────────────────────────────────────────────

PACKAGED = """import { work } from 'mine';
export default work;
"""


@pytest.fixture
def packaged(repository):
    """`f.mjs` imports a package that is installed in the working tree."""
    repository.write(
        {
            "package.json": '{"dependencies": {"mine": "1.0.0"}}',
            "package-lock.json": '{"lockfileVersion": 3}',
            "node_modules/mine/package.json": '{"name": "mine", "exports": "./index.mjs"}',
            "node_modules/mine/index.mjs": FAST.replace("export default", "export const work ="),
            "f.mjs": PACKAGED,
        }
    )
    commit(repository, "packaged")
    return repository


def test_installed_packages_are_lent_where_the_lock_file_is_the_same(packaged):
    assert packaged.names("f.mjs", git="HEAD") == ["HEAD", "working-tree"]
    assert any("uses the installed npm packages: its package-lock.json" in t for t in packaged.said)
    assert (packaged.folder / "node_modules" / "mine" / "index.mjs").is_file()


def test_a_revision_that_asks_for_other_packages_needs_a_set_up(packaged, monkeypatch):
    packaged.write({"package-lock.json": '{"lockfileVersion": 4}'})
    commit(packaged, "newer")
    before = left(packaged)
    with pytest.raises(InputError, match="other npm packages.*package-lock.json") as told:
        packaged.names("f.mjs", git="packaged..newer")
    assert "--setup 'npm ci'" in str(told.value)
    assert left(packaged) == before
    setup = "mkdir -p node_modules && cp -r $HOME_OF_IT/node_modules/mine node_modules/"
    monkeypatch.setenv("HOME_OF_IT", str(packaged.folder))
    names = packaged.names("f.mjs", git="packaged..newer", setup=setup)
    assert names == ["packaged", "newer"]


# ── However it ends ──────────────────────────────────────────────────────────────────────────────


def started(repository, *words):
    return subprocess.Popen(
        [*COMMAND, *words],
        cwd=repository.folder,
        env={**os.environ, **SHORT},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told(process, word):
    """Wait until it says something with this word."""
    for line in process.stderr:
        if word in line:
            return
    raise AssertionError(f"it ended without a word of {word}")


@pytest.mark.parametrize("when", ["sleep", "launch 1"])
def test_ctrl_c_leaves_nothing_in_the_repository(repository, when):
    before = left(repository)
    setup = ["--setup", "sleep 60"] if when == "sleep" else []
    process = started(repository, "f.mjs", "--git", "before..after", "--for", "60s", *setup)
    told(process, when)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert left(repository) == before


def test_what_a_killed_comparison_left_goes_with_the_next(repository):
    before = left(repository)
    process = started(repository, "f.mjs", "--git", "before..after", "--setup", "sleep 60")
    told(process, "sleep")
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 30
    while any(place.exists() for place in worktrees(repository)) and time.monotonic() < deadline:
        time.sleep(0.1)  # the guard removes the folders
    assert not any(place.exists() for place in worktrees(repository))
    kept = repository.folder.parent / "kept"
    git(repository.folder, "worktree", "add", "-q", "--detach", str(kept))
    shutil.rmtree(kept)  # as one on a disk that is not there now
    assert repository.names("f.mjs", git="before..after") == ["before", "after"]
    assert worktrees(repository) == [kept]
    git(repository.folder, "worktree", "prune")
    assert left(repository) == before


def worktrees(repository):
    """The places of the repository's worktrees, beside its own."""
    listed = git(repository.folder, "worktree", "list", "--porcelain").splitlines()
    places = [line.removeprefix("worktree ") for line in listed if line.startswith("worktree ")]
    return [type(repository.folder)(place) for place in places[1:]]
