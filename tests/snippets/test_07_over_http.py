"""Experiment 07, in memory and over HTTP: what readers rely on, never its speed."""

from dataclasses import replace

import psutil
import pytest

from benchbook.model import experiments
from benchbook.programs import builds, programs
from benchbook.race import micro_project, prepare, replay
from benchbook.race.client_executor import ClientExecutor
from benchbook.race.options import Options
from benchbook.system.errors import InputError
from benchbook.system.processes import Keeper

pytestmark = pytest.mark.slow("builds and starts every variant")

HTTP, MEMORY = experiments.find("07/http"), experiments.find("07/memory")
LIBRARIES = {"messagepack", "messagepack-names", "memorypack"}
EVERYWHERE = {"json", "messagepack", "memorypack", "messagepack-by-hand", "memorypack-by-hand"}


@pytest.fixture(scope="module")
def can_run():
    """The variants of the HTTP part that can be built here, by name."""
    reasons = programs.make_ready(HTTP.variants, lambda text: None)
    lacking = {name for name, reason in reasons.items() if reason}
    assert lacking <= LIBRARIES, reasons
    assert all("NuGet here has no package M" in reasons[name] for name in lacking)
    return {v.name: v for v in HTTP.variants if v.name not in lacking}


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
    executor = ClientExecutor(HTTP.kind, can_run, HTTP.baseline, keeper=keeper)
    assert executor.launch(list(can_run)) == {}
    seen = executor.answers
    assert {s.forecasts for s in seen.values()} == {1000}
    assert seen["json"].digest == seen["memorypack-by-hand"].digest
    assert seen["json"].digest != seen["json-japanese"].digest
    assert seen["messagepack-by-hand"].bytes < seen["memorypack-by-hand"].bytes < seen["json"].bytes
    assert seen["json-brotli"].bytes < seen["json"].bytes / 4
    for name in ("json", "json-gzip", "messagepack-by-hand"):
        measured = executor.measure(name, 0.1)
        assert measured.load.requests > 0 and measured.load.bytes > 0
        assert {"serialize", "HTTP", "deserialize"} <= set(measured.parts_ms)
        assert ("decompress" in measured.parts_ms) == (name == "json-gzip")
    pids = [pair.client.process.pid for pair in executor.running.values()]
    pids += [pid for pair in executor.running.values() for pid in pair.server.members]
    executor.close()
    assert not [pid for pid in pids if psutil.pid_exists(pid)]


def test_a_client_that_is_killed_is_out_of_the_race_with_a_reason(can_run, keeper):
    names = ["json", "memorypack-by-hand"]
    executor = ClientExecutor(HTTP.kind, can_run, HTTP.baseline, keeper=keeper)
    assert executor.launch(names) == {}
    executor.running["memorypack-by-hand"].client.process.kill()
    with pytest.raises(programs.VariantError, match="as a client was ended by signal 9"):
        executor.measure("memorypack-by-hand", 0.1)
    assert executor.measure("json", 0.1).load.requests > 0
    executor.close()


def test_a_client_that_reads_something_else_is_refused(can_run, keeper):
    odd = replace(can_run["json-japanese"], answers_like="")
    executor = ClientExecutor(
        HTTP.kind, {"json": can_run["json"], "odd": odd}, HTTP.baseline, keeper=keeper
    )
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
    replayed = replay.prepare(HTTP, shorten=10, path=tmp_path / "run.json")
    list(replayed.events())
    rows = {row["label"]: row for row in replayed.run.replay["rows"]}
    assert rows["JSON, measurement 10"]["published"] == {"ms": 868}
    assert rows["JSON, measurement 10"]["replayed"]["ms"] > 0
    assert rows["JSON, mean"]["published"] == {"ms": 647}
    json = next(m for m in replayed.run.replay["measured"] if m["name"] == "json")
    assert [run["requests"] for run in json["runs"]] == [2] * 20  # 20 loops, shortened; twice, ten
    with pytest.raises(InputError, match="07/http"):
        replay.prepare(MEMORY)


def test_benchmarks_are_built_without_what_nuget_lacks(tmp_path):
    project = micro_project.stage_folder(MEMORY.kind.project, {}, ["MemoryPack", "MessagePack"])
    staged = {path.name for path in project.path.parent.rglob("*.csproj")}
    assert {"Json.csproj", "Contract.csproj", "MessagePackByHand.csproj"} <= staged
    whole = micro_project.stage_folder(MEMORY.kind.project)
    assert whole != project  # another state of the code, another build
    props = (project.path.parent / "Directory.Build.props").read_text(encoding="utf-8")
    assert "<WithoutMemoryPack>true</WithoutMemoryPack>" in props
    assert not any("serializers" in text for text in referred(project.path))


def referred(project):
    return [str(path.relative_to(project.parent)) for path in builds.references(project)]


def test_a_race_in_memory_reads_and_writes_and_tells_what_it_allocated(tmp_path):
    names = ("json", "memorypack-by-hand", "memorypack-by-hand-write")
    options = Options(
        variants=names, launches=1, blocks=2, seconds=0.1, warmup=0.1, path=tmp_path / "run.json"
    )
    prepared = prepare.prepare(MEMORY, options)
    list(prepared.events())
    assert prepared.run.complete, prepared.run.reason
    allocated = prepared.run.allocated_bytes
    assert allocated["memorypack-by-hand"] > 0
    assert allocated["memorypack-by-hand-write"] > 20_000  # the bytes themselves
    assert prepared.run.tool.name == "Benchbook"
