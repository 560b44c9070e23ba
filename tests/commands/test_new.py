"""`./bench new`: a folder that is whole and in order, or none at all."""

import os
import shutil

import pytest
from click.testing import CliRunner

from benchbook.commands import cli
from benchbook.commands.own import new
from benchbook.compare.own import drafting
from benchbook.model import experiments
from benchbook.notebook.checking import check
from benchbook_kernels.base.errors import InputError
from made import SERVER

FUNCTION = "export default function add() {\n  return 1 + 1;\n}\n"
NAMED = (
    "export const sum = () => {\n  let s = 0;\n  for (const n of [1, 1]) s += n;\n  return s;\n};\n"
)
SCRIPT = "#!/bin/sh\necho hello\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The current folder, with files of all sorts in it."""
    folder = tmp_path / "here"
    folder.mkdir()
    files = {
        "a.mjs": SERVER,
        "b.mjs": SERVER.replace("'hello'", "'hel' + 'lo'"),
        "f.mjs": FUNCTION,
        "g.mjs": NAMED,
        "slow.sh": SCRIPT,
        "fast.py": "print('hello')\n",
        "deep/b.mjs": SERVER,
        "deep/lib.mjs": "export const one = 1;\n",
        "deep/uses.mjs": "import { one } from './lib.mjs';\n" + SERVER,
        "above.mjs": "import '../outside.mjs';\n" + SERVER,
        "pkg.mjs": "import fastify from 'fastify';\nimport fs from 'node:fs';\n" + SERVER,
        "../outside.mjs": "1\n",
        "m.cs": "public class M { [Benchmark] public int Run() => 1; }\n",
        "n.cs": "public class N { [Benchmark] public int Run() => 2; }\n",
        "none.mjs": "export const one = 1, two = 2;\n",
        "two.mjs": "export function one() {}\nexport function two() {}\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (folder / "latin.py").write_bytes("print('é')\n".encode("latin-1"))
    (folder / "binary").write_bytes(b"\x7fELF\xff\x00")
    (folder / "binary").chmod(0o755)
    monkeypatch.chdir(folder)
    return folder


def bench(*words):
    return CliRunner().invoke(cli.main, list(words))


@pytest.mark.parametrize("name", ["x", "node24-vs-26", "12-parsers", "a" * 64])
def test_what_is_new_is_in_order_and_has_a_name(here, name):
    done = bench("new", name)
    assert done.exit_code == 0, done.output
    report = check.check(experiments.called(name), lambda text: None, start=False)
    assert not report.problems and not report.notes
    found = experiments.find(name)
    assert found.name == name and found.notebook == here / name / f"{name}.ipynb"
    (statement,) = found.claim.statements
    assert statement.ours and not found.claim.figures
    one, other = (variant.code.splitlines() for variant in found.variants)
    assert len(one) == len(other)
    assert sum(a != b for a, b in zip(one, other, strict=True)) == 1, "they differ in one line"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("X", "small letters, digits and -, with a letter, at most 64: x"),
        ("my question", "my-question"),
        ("a/b", "a-b"),
        ("../x", ": x"),
        ("04", "with a letter"),
        ("-x", ": x"),
        ("", "small letters"),
        ("é", "small letters"),
        ("a" * 65, "at most 64"),
        ("x\ny", "x-y"),
    ],
)
def test_a_name_that_can_t_be_one_is_refused(here, name, told):
    before = sorted(os.listdir())
    done = bench("new", "--", name)
    assert done.exit_code == 2 and told in done.output
    assert sorted(os.listdir()) == before


def test_nothing_is_overwritten(here):
    (here / "x").mkdir()
    (here / "y").write_text("mine")
    (here / "z").symlink_to("nowhere")
    for name in "xyz":
        done = bench("new", name)
        assert done.exit_code == 2 and "is there already" in done.output
    assert not any((here / "x").iterdir()) and (here / "y").read_text() == "mine"
    assert not (here / "z").exists()


def test_nothing_is_half_written(here, monkeypatch):
    before = sorted(os.listdir())

    def full(*_):
        raise OSError(28, "No space left on device", "x")

    monkeypatch.setattr(os, "rename", full)
    done = bench("new", "x")
    assert done.exit_code == 1 and "No space left" in done.output
    assert sorted(os.listdir()) == before


def test_it_is_made_in_the_folder_that_is_named(here):
    (here / "company").mkdir()
    assert bench("new", "x", "--in", "company").exit_code == 0
    assert experiments.find("company/x").name == "x"
    done = bench("new", "x", "--in", "gone")
    assert done.exit_code == 2 and "gone" in done.output and not (here / "gone").exists()


def test_a_part_of_another_experiment_is_not_made_by_chance(here):
    (here / "11-28").mkdir()
    done = bench("new", "x", "--in", "11-28")
    assert done.exit_code == 2 and "would be a part of 11-28" in done.output


@pytest.mark.parametrize(
    ("files", "made"),
    [
        (("a.mjs", "b.mjs"), {"a.mjs", "b.mjs"}),
        (("f.mjs", "g.mjs"), {"f.mjs", "g.mjs", "timed.mjs"}),
        (("slow.sh", "fast.py"), {"slow.sh", "fast.py"}),
        (("b.mjs", "deep/b.mjs", "a.mjs"), {"here-b.mjs", "deep-b.mjs", "here-a.mjs"}),
        (("a.mjs", "deep/uses.mjs"), {"a.mjs", "uses.mjs", "lib.mjs"}),
    ],
)
def test_programs_that_one_has_are_copied_and_in_order(here, files, made):
    done = bench("new", "x", "--from", *files)
    assert done.exit_code == 0, done.output
    assert made <= set(os.listdir("x"))
    found = experiments.find("x")
    assert [v.code for v in found.variants] == [(here / file).read_text() for file in files]
    assert found.baseline == found.variants[0].name
    assert len(found.claim.statements) == len(files) - 1
    report = check.check([found.folder], lambda text: None, start=False)
    wrong = [p.text for p in report.problems if "is the same program" not in p.text]
    assert not wrong


@pytest.mark.slow("starts programs")
@pytest.mark.parametrize("files", [("a.mjs", "b.mjs"), ("f.mjs", "g.mjs"), ("slow.sh", "fast.py")])
def test_what_is_made_of_ones_own_programs_starts_and_answers_alike(here, files):
    assert bench("new", "x", "--from", *files).exit_code == 0
    report = check.check(experiments.called("x"), lambda text: None)
    assert not report.problems and not report.notes
    assert any("answers of 2 programs" in each for each in report.checked)


@pytest.mark.slow("starts programs")
def test_functions_that_give_something_else_are_told(here):
    (here / "g.mjs").write_text(FUNCTION.replace("1 + 1", "3"))
    assert bench("new", "x", "--from", "f.mjs", "g.mjs").exit_code == 0
    report = check.check(experiments.called("x"), lambda text: None)
    (problem,) = report.problems
    assert problem.field == "variants[1] ('g')"


def test_packages_that_a_program_imports_are_needed(here):
    assert bench("new", "x", "--from", "a.mjs", "pkg.mjs").exit_code == 0
    assert experiments.find("x").variant("pkg").needs == ("npm:fastify",)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--from", "a.mjs"), "names one file"),
        (("--from", "a.mjs", "gone.mjs"), "there is no such file"),
        (("--from", "a.mjs", "f.mjs"), "different kinds"),
        (("--from", "a.mjs", "deep"), "is a folder"),
        (("--from", "a.mjs", "a.mjs"), "two programs would be called here-a"),
        (("--from", "a.mjs", "above.mjs"), "imports ../outside.mjs, which lies outside"),
        (("--from", "ls -l", "ls"), "is no file; an experiment consists of files"),
        (("--from", "m.cs", "n.cs"), "./bench compare m.cs n.cs compares them"),
        (("--from", "slow.sh", "./binary"), "is not UTF-8 text, which the notebook shows"),
        (("--from", "slow.sh", "latin.py"), "is not UTF-8 text, which the notebook shows"),
        (("--from", "f.mjs", "none.mjs"), "exports no function"),
        (("--from", "f.mjs", "two.mjs"), "exports one, two"),
        (("a.mjs", "b.mjs"), "files follow --from"),
        (("--from", "a.mjs", "b.mjs", "--kind", "tea"), "'tea' is none of servers"),
    ],
)
def test_programs_that_can_t_be_taken_are_told_and_nothing_is_made(here, words, told):
    done = bench("new", "x", *words)
    assert done.exit_code == 2 and told in done.output, done.output
    assert not os.path.lexists("x") and not [n for n in os.listdir() if n.startswith(".x")]


def test_a_program_may_be_run_as_it_was(here):
    (here / "slow.sh").chmod(0o755)
    made = new.write(drafting.of("x", ["slow.sh", "fast.py"]), here)
    assert os.access(made / "slow.sh", os.X_OK)
    shutil.rmtree(made)
    with pytest.raises(InputError):
        drafting.of("x", ["slow.sh", "no.sh"])
