"""Experiment 12: files that differ by a line, whose builds have other switches, answer alike."""

import json
from types import SimpleNamespace

import pytest

from benchbook.load import registry
from benchbook.model import experiments
from benchbook.notebook import editions, exercises
from benchbook.notebook.checking.solutions import edits, no_variable
from benchbook.notebook.headless import execute
from benchbook.notebook.workbench import Workbench
from benchbook.programs import readiness, runners
from benchbook.race.kinds.functions.files import dotnet_build, dotnet_files
from benchbook.race.kinds.functions.files.dotnet_build import MethodsFile
from benchbook.race.kinds.http import executor
from benchbook.system.pinning import Pinning
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.processes import Keeper

pytestmark = pytest.mark.slow("builds and starts every variant")

MEMORY, HTTP = experiments.find("12/memory"), experiments.find("12/http")
LINE = "#:property PublishAot=false\n"
NOT_RACED = "Nothing was raced yet: run the cell with %race."


def pairs(experiment):
    """Each file as it is, with the variant that has one line more."""
    files = [v for v in experiment.variants if v.name.endswith("-file")]
    return [(v, experiment.variant(v.name.removesuffix("file") + "off")) for v in files]


def switches(settings) -> dict:
    """What a build asks of the runtime."""
    told = json.loads(settings.read_text(encoding="utf-8"))["runtimeOptions"]
    return told.get("configProperties", {})


# ── The programs ─────────────────────────────────────────────────────────────────────────────────


def test_a_file_differs_from_the_other_by_one_line():
    for experiment, count in (MEMORY, 8), (HTTP, 4):
        assert len(pairs(experiment)) == count
        for one, off in pairs(experiment):
            assert off.code.replace(LINE, "", 1) == one.code != off.code
            assert (one.benchmark, one.case) == (off.benchmark, off.case)
    project = HTTP.variant("minimal-project").path.with_name("Program.cs").read_text()
    assert HTTP.variant("minimal-file").code.endswith(f"\n\n{project}")


def test_a_server_of_one_file_has_the_switches_and_one_with_the_line_or_a_project_has_not():
    names = ("minimal-file", "minimal-off", "minimal-project")
    assert not any(readiness.make_ready([HTTP.variant(n) for n in names], print).values())
    found = []
    for name in names:
        variant = HTTP.variant(name)
        settings = f"out/{variant.path.stem}.runtimeconfig.json"
        found.append(switches(runners.built_in(variant) / settings))
    small = "System.Linq.Enumerable.IsSizeOptimized"
    assert [small in each for each in found] == [True, False, False]


@pytest.fixture(scope="module")
def built():
    made = {v.path: MethodsFile.of(v) for v in MEMORY.variants}
    dotnet_build.build(list(made.values()), print)
    return {path.stem: file for path, file in made.items()}


def test_functions_are_built_as_their_file_says(built):
    told = {n: switches(f.library.with_suffix(".runtimeconfig.json")) for n, f in built.items()}
    dynamic = "System.Runtime.CompilerServices.RuntimeFeature.IsDynamicCodeSupported"
    assert told["work"][dynamic] is False and dynamic not in told["work-off"]


def test_functions_answer_alike(built):
    assert {m.name for m in dotnet_files.found(built["work"]).methods} == {
        v.benchmark for v in MEMORY.variants
    }
    for one, off in pairs(MEMORY):
        answer = dotnet_files.answers(one, [""])[""]
        assert answer == dotnet_files.answers(off, [""])[""]
        assert answer.steady and not answer.comparable, one.name


def test_servers_answer_alike():
    variants = {v.name: v for v in HTTP.variants}
    assert not any(readiness.make_ready(HTTP.variants, print).values())
    free = Pinning(None, None, "for a test")
    with Keeper() as keeper:
        made = executor.HttpExecutor(HTTP, variants, registry.choose(), free, 2, keeper=keeper)
        try:
            assert made.launch(list(variants)) == {}
            assert {a.body for a in made.answers.values()} == {b'{"hello":"world"}'}
        finally:
            made.end()


def test_nobody_is_warned_of_what_is_meant():
    assert [readiness.remark(v) for v in (*HTTP.variants, *MEMORY.variants)] == [""] * 25


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("files = true", "files = false", "micro: is empty"),
        ("files = true", 'files = true\nproject = "a.csproj"', "names both files and project"),
        ('file = "work.cs"', 'file = "work.mjs"', "'work.mjs' is no file of C#"),
        ('benchmark = "Work.Last"', 'benchmark = "Last"', "'Last' is not a method of a class"),
    ],
)
def test_what_can_not_be_files_is_told(tmp_path, old, new, words):
    folder = tmp_path / "99-files"
    folder.mkdir()
    for file in ("work.cs", "work-off.cs"):
        (folder / file).write_text((MEMORY.folder / file).read_text())
    (folder / "work.mjs").write_text("")
    text = (MEMORY.folder / "experiment.toml").read_text()
    text = text.replace('claim = "12-a-file-is-not-a-project"\n', "")
    (folder / "experiment.toml").write_text(text)
    assert experiments.load(folder).kind == MEMORY.kind
    (folder / "experiment.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        experiments.load(folder)
    assert words in str(caught.value)


# ── The exercises ────────────────────────────────────────────────────────────────────────────────


def test_the_solution_turns_only_linq_back(tmp_path):
    notebook = MEMORY.notebook
    solved = edits(editions.exercises(execute.read(notebook), notebook.name)[1])["last-file"]
    bench = Workbench(MEMORY, scratch=tmp_path)
    bench.edit("last-file", solved)
    assert exercises.missing(1, exercises.view(bench, no_variable)) == [NOT_RACED]
    path = tmp_path / "solved.cs"
    path.write_text(solved)
    file = MethodsFile(path)
    dotnet_build.build([file], print)
    told = switches(file.library.with_suffix(".runtimeconfig.json"))
    assert told["System.Linq.Enumerable.IsSizeOptimized"] is False
    assert told["System.Text.Json.JsonSerializer.IsReflectionEnabledByDefault"] is False


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "is still the snippet"),
        (LINE, "PublishAot has a line of its own"),
        ("#:property UseSizeOptimizedLinq=true\n", "turns UseSizeOptimizedLinq off"),
    ],
)
def test_another_line_is_told(tmp_path, line, told):
    bench = Workbench(MEMORY, scratch=tmp_path)
    bench.edit("last-file", line + MEMORY.variant("last-file").code)
    assert told in " ".join(exercises.missing(1, exercises.view(bench, no_variable)))


# nanoseconds: 20 µs more to make, 0.08 µs more for each of 1,000 calls
TIMES = {"compile-file": 1e3, "compile-off": 21e3, "call-file": 82e3, "call-off": 2e3}


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        (250, ""),
        (0.25, "a call of call-file is 1,000 of the expression"),
        (1 / 250, "the other way round"),
        (5000, "calls is not what making takes more"),
        ("250", "should be a number"),
    ],
)
def test_how_many_calls_pay_for_a_compilation(calls, told):
    samples = [
        SimpleNamespace(variant=name, block=block, requests_per_second=1e9 / ns)
        for name, ns in TIMES.items()
        for block in range(3)
    ]
    run = SimpleNamespace(samples=samples)
    view = SimpleNamespace(value=lambda name: calls, raced=lambda *names: run)
    found = " ".join(exercises.load(MEMORY)[2](view))
    assert (told in found) if told else not found
