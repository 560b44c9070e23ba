"""Experiment 07, in memory and over HTTP: what readers rely on, never its speed."""

from dataclasses import replace

import psutil
import pytest

from benchbook.model import experiments
from benchbook.programs import packages, programs, readiness, runners
from benchbook.race import prepare, replaying
from benchbook.race.kinds.client.executor import ClientExecutor
from benchbook.race.kinds.functions import dotnet_project
from benchbook.race.options import Options
from benchbook_kernels.base import builds
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.processes import Keeper

pytestmark = pytest.mark.slow("builds and starts every variant")

HTTP, MEMORY = experiments.find("07/http"), experiments.find("07/memory")
LINK = experiments.find("07/link")
EVERYWHERE = {"json", "messagepack", "memorypack", "messagepack-by-hand", "memorypack-by-hand"}


@pytest.fixture(scope="module")
def can_run():
    """The variants of the HTTP part that can be built here, by name."""
    reasons = readiness.make_ready(HTTP.variants, lambda text: None)
    lacking = {name for name, reason in reasons.items() if reason}
    assert all(HTTP.variant(name).needs for name in lacking), reasons
    assert all("NuGet" in reasons[name] for name in lacking), reasons
    return {v.name: v for v in HTTP.variants if v.name not in lacking}


def packages_of(experiment):
    """The variants that are made with a package, with the first that they need, NAME[@VERSION]."""
    return {v.name: v.needs[0].removeprefix("nuget:") for v in experiment.variants if v.needs}


@pytest.mark.parametrize("experiment", [MEMORY, HTTP, LINK], ids=lambda e: e.name)
def test_a_variants_title_says_which_version_of_its_library_it_is(experiment):
    assert packages_of(experiment)
    for name, package in packages_of(experiment).items():
        variant = experiment.variant(name)
        assert packages.version(package) in variant.title
        assert not variant.series or packages.version(package) in variant.series


def test_a_program_has_the_version_that_its_title_says(can_run):
    for name, package in packages_of(HTTP).items():
        if name in can_run:
            out = runners.built_in(can_run[name]) / "out"
            told = out / f"{can_run[name].path.stem}.deps.json"
            library = f"{package.partition('@')[0]}/{packages.version(package)}"
            assert f'"{library}"' in told.read_text(encoding="utf-8")


@pytest.fixture
def keeper():
    with Keeper() as keeper:
        yield keeper


def test_both_parts_are_judged_by_one_claim():
    assert HTTP.claim.name == MEMORY.claim.name == "07-serializers"
    for part in (HTTP, MEMORY):
        assert EVERYWHERE <= {variant.name for variant in part.variants}
        by_hand = [v for v in part.variants if "by-hand" in v.name]
        assert by_hand and all("by hand" in variant.title for variant in by_hand)


def test_every_client_reads_the_same_and_all_processes_end(can_run, keeper):
    executor = ClientExecutor(HTTP, can_run, keeper=keeper)
    counted = {name for name, variant in can_run.items() if "COUNT" in variant.env}
    few = {name for name in counted if can_run[name].env["COUNT"] == "10"}
    assert executor.launch([n for n in can_run if n not in counted or n in few]) == {}
    seen = executor.answers
    assert {s.forecasts for name, s in seen.items() if name not in few} == {1000}
    assert {seen[name].forecasts for name in few} == {10}
    assert seen["json"].digest == seen["memorypack-by-hand"].digest
    assert seen["json"].digest != seen["json-japanese"].digest
    assert seen["messagepack-by-hand"].bytes < seen["memorypack-by-hand"].bytes < seen["json"].bytes
    assert seen["json-brotli"].bytes < seen["json"].bytes / 4
    for name in ("json", "json-gzip", "messagepack-by-hand"):
        measured = executor.measure(name, 0.1)
        assert measured.load.requests > 0 and measured.load.bytes > 0
        assert {"serialize", "HTTP", "deserialize"} <= set(measured.parts_ms)
        assert ("decompress" in measured.parts_ms) == (name == "json-gzip")
    pids = [pair.dialogue.process.pid for pair in executor.running.values()]
    pids += [pid for pair in executor.running.values() for pid in pair.server.members]
    executor.close()
    assert not [pid for pid in pids if psutil.pid_exists(pid)]


def test_programs_start_after_those_whose_answers_theirs_must_be_like(can_run, keeper):
    names = ["memorypack-10", "json-10", "json"]
    executor = ClientExecutor(HTTP, can_run, keeper=keeper)
    assert executor.launch(names) == {}
    assert list(executor.running) == names[::-1]
    executor.end()
    executor.answers.clear()
    errors = executor.launch(["memorypack-10", "json"])
    assert "'json-10', which it must be like, is gone" in str(errors["memorypack-10"])
    executor.close()


def test_a_client_that_is_killed_is_out_of_the_race_with_a_reason(can_run, keeper):
    names = ["json", "memorypack-by-hand"]
    executor = ClientExecutor(HTTP, can_run, keeper=keeper)
    assert executor.launch(names) == {}
    executor.running["memorypack-by-hand"].dialogue.process.kill()
    with pytest.raises(programs.VariantError, match="as a client was ended by signal 9"):
        executor.measure("memorypack-by-hand", 0.1)
    assert executor.measure("json", 0.1).load.requests > 0
    executor.close()


def test_a_client_that_reads_something_else_is_refused(can_run, keeper):
    odd = replace(can_run["json-japanese"], answers_like="")
    executor = ClientExecutor(HTTP, {"json": can_run["json"], "odd": odd}, keeper=keeper)
    errors = executor.launch(["json", "odd"])
    assert "all clients must see the same objects" in str(errors["odd"])
    assert list(executor.running) == ["json"]
    executor.close()


def test_a_race_over_http_ends_with_every_verdict(can_run, tmp_path):
    raced = {"json", "json-gzip", "memorypack-by-hand"}
    short = {"launches": 1, "blocks": 2, "seconds": 0.1, "warmup": 0.0}
    options = Options(variants=tuple(sorted(raced)), path=tmp_path / "run.json", **short)
    prepared = prepare.prepare(HTTP, options)
    list(prepared.events())
    assert prepared.run.complete
    assert {e.name for e in prepared.run.entries if e.status == "raced"} == raced | {"json#2"}
    assert all(sample.parts_ms for sample in prepared.run.samples)


def test_the_method_of_the_slides_is_replayed(can_run, tmp_path):
    replayed = replaying.prepare(HTTP, shorten=10, path=tmp_path / "run.json")
    list(replayed.events())
    rows = {row.label: row for row in replayed.run.replay.rows}
    assert rows["JSON, measurement 10"].published == {"ms": 868}
    assert rows["JSON, measurement 10"].replayed["ms"] > 0
    assert rows["JSON, mean"].published == {"ms": 647}
    json = next(m for m in replayed.run.replay.measured if m.name == "json")
    assert [run.requests for run in json.runs] == [2] * 20  # 20 loops, shortened; twice, ten
    with pytest.raises(InputError, match="07/http"):
        replaying.prepare(MEMORY)


def test_benchmarks_are_built_without_what_nuget_lacks(tmp_path):
    without = ["WithoutMemoryPack=true", "WithoutMessagePack=true"]
    project = dotnet_project.stage_folder(MEMORY.kind.project, {}, without)
    staged = {path.name for path in project.path.parent.rglob("*.csproj")}
    assert {"Json.csproj", "Contract.csproj", "MessagePackByHand.csproj"} <= staged
    whole = dotnet_project.stage_folder(MEMORY.kind.project)
    assert whole != project  # another state of the code, another build
    props = (project.path.parent / "Directory.Build.props").read_text(encoding="utf-8")
    assert "<WithoutMemoryPack>true</WithoutMemoryPack>" in props
    assert not any("serializers" in text for text in referred(project.path))


def test_a_slow_line_takes_the_time_that_its_speed_and_its_delay_say(can_run, keeper):
    line = replace(can_run["json"], env={"LINK": "2 Mbit/s, 100 ms"})
    executor = ClientExecutor(HTTP, {"json": line}, keeper=keeper)
    assert executor.launch(["json"]) == {}
    least = 2 * 100 + executor.answers["json"].bytes / (2e6 / 8) * 1000
    assert min(executor.measure("json", 0.1).load.latency_ms.values()) >= least
    executor.close()


def test_a_race_over_lines_ends_with_every_variant(can_run, tmp_path):
    names = {"json", "json-brotli", "json-2"}
    options = Options(
        variants=tuple(sorted(names)), launches=1, blocks=1, seconds=0.1, warmup=0.0,
        path=tmp_path / "run.json",
    )  # fmt: skip
    prepared = prepare.prepare(LINK, options)
    list(prepared.events())
    assert prepared.run.complete
    assert {e.name for e in prepared.run.entries if e.status == "raced"} == names | {"json#2"}


def referred(project):
    return [str(path.relative_to(project.parent)) for path in builds.references(project)]


def test_a_race_in_memory_reads_and_writes_and_tells_what_it_allocated(tmp_path):
    by_hand = {"json", "memorypack-by-hand", "memorypack-by-hand-write"}
    made_with_packages = {"messagepack", "messagepack-3", "memorypack-structs", "protobuf"}
    names = tuple(sorted(by_hand | made_with_packages))
    options = Options(
        variants=names, launches=1, blocks=2, seconds=0.1, warmup=0.1, path=tmp_path / "run.json"
    )
    prepared = prepare.prepare(MEMORY, options)
    list(prepared.events())
    assert prepared.run.complete, prepared.run.reason
    unavailable = {e.name: e.reason for e in prepared.run.entries if e.status != "raced"}
    assert unavailable.keys() <= made_with_packages
    assert all("NuGet" in reason for reason in unavailable.values())
    allocated = prepared.run.allocated_bytes
    assert allocated["memorypack-by-hand"] > 0
    assert allocated["memorypack-by-hand-write"] > 20_000  # the bytes themselves
    assert prepared.run.tool.name == "Benchbook"
