"""Which programs race together, what they are called, and what each must answer like."""

from dataclasses import replace

import pytest

from benchbook.compare.given.asked import Given
from benchbook.compare.versions import heats, racing
from benchbook.compare.versions.axis import AxisVersion, VersionAxis, WantedVersion
from benchbook.compare.versions.heats import Axes
from benchbook.compare.versions.racing import VersionRaces, VersionRequest
from benchbook.model import experiments
from benchbook.model.profiles.by_version import ByVersion
from benchbook.race.turn import StoppedWaiting
from benchbook_kernels.base.errors import BenchError
from quiet import Quiet


def version(label):
    def change(variant):
        return replace(variant, needs=(*variant.needs, f"node:{label}"))

    return AxisVersion(WantedVersion(label, f"Node.js {label}", lambda: change), change)


def made(experiment, *ids, labels=("20", "22", "24"), varies=lambda variant: True):
    statements = tuple(s for s in experiment.claim.statements if s.id in ids)
    versions = tuple(map(version, labels))
    axis = VersionAxis("--node", "Node.js", versions, varies)
    return Axes(experiment, axis, statements, versions[0])


def test_a_heat_has_all_of_a_version_and_the_shared_baseline(setheader):
    axes = made(setheader, "no-header-beats-fastify")
    heat = axes.heat(axes.axis.versions[1:], 60.0)
    assert heat.experiment.baseline == "bare@20"
    assert [each.name for each in heat.experiment.variants] == [
        "bare@20",
        *(
            f"{name}@{label}"
            for label in (22, 24)
            for name in ("bare", "no-header", "fastify-schema")
        ),
    ]
    assert [s.id for s in heat.experiment.claim.statements] == [
        "no-header-beats-fastify@22",
        "no-header-beats-fastify@24",
    ]
    assert heat.experiment.claim.statements[1].names == ("no-header@24", "fastify-schema@24")
    assert heat.experiment.variant("fastify-schema@24").needs[-1] == "node:24"
    assert heat.entries == 8


def test_within_a_version_answers_are_those_of_its_baseline_and_that_has_the_shared_body(setheader):
    axes = made(setheader, "no-header-beats-fastify")
    found = axes.heat(axes.axis.versions, 60.0).experiment
    like = {each.name: (each.answers_like, each.alike) for each in found.variants}
    assert like["bare@20"] == ("", "") and like["no-header@20"] == ("bare@20", "")
    assert like["bare@22"] == ("bare@20", "body") and like["no-header@22"] == ("bare@22", "")
    variants = {each.name: each for each in found.variants}
    order = found.starting_order(sorted(variants, reverse=True), variants)
    assert order[0] == "bare@20"
    assert all(
        order.index(found.reference(each)) <= order.index(name) for name, each in variants.items()
    )


def test_what_no_version_changes_is_there_once(setheader):
    axes = made(setheader, "fastify-beats-bare", varies=lambda v: "npm:fastify" in v.needs)
    found = axes.heat(axes.axis.versions, 60.0).experiment
    assert [each.name for each in found.variants] == [
        "bare",
        *(f"fastify-schema@{label}" for label in (20, 22, 24)),
    ]
    assert {each.answers_like for each in found.variants} == {"", "bare"}
    assert found.claim.statements[2].names == ("fastify-schema@24", "bare")


def test_references_of_their_own_and_orders_are_kept():
    experiment = experiments.find("05/http")
    first = replace(experiment.claim.statements[0], a="schema-array", b="stringify-array")
    axes = replace(made(experiment), statements=(first,))
    found = axes.heat(axes.axis.versions[:1], 60.0).experiment
    assert found.variant("stringify-array@20").answers_like == "stringify-array@20"
    assert found.variant("schema-array@20").answers_like == "stringify-array@20"
    ladder = experiments.find("06")
    order = next(s for s in ladder.claim.statements if s.type == "order")
    axes = made(ladder, order.id)
    [asked] = axes.heat(axes.axis.versions[:1], 60.0).experiment.claim.statements
    assert asked.names == tuple(f"{name}@20" for name in order.variants)


def test_versions_are_dealt_by_what_the_machine_holds(setheader, monkeypatch):
    axes = made(setheader, "no-header-beats-fastify", labels=("16", "18", "20", "22", "24"))
    for room, expected in ((100, [5]), (8, [1, 2, 2]), (2, [1] * 5)):
        monkeypatch.setattr(heats, "at_once", lambda experiment: room)
        dealt = axes.dealt(axes.axis.versions)
        assert sorted(map(len, dealt)) == expected
        assert [v.label for heat in dealt for v in heat] == ["16", "18", "20", "22", "24"]


# ── Races that fail ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def failing(monkeypatch, setheader, tmp_path):
    """failing(lost): the races of three versions, of which the baseline can't be raced on those
    that are lost; what was raced, by the shared baseline and the versions."""

    def make(*lost, error=BenchError("the baseline can't be raced: SyntaxError")):
        axes = made(setheader, "no-header-beats-fastify")
        versions = [each.document() for each in axes.axis.versions]
        members = {"versions": versions, "statements": [], "machine": {}, "article": ""}
        members |= {"code": "", "benchbook": "1", "started": "now", "path": tmp_path / "r.json"}
        record = ByVersion(setheader.name, "--node", "Node.js", **members)
        wanted = VersionRequest(Given(node="20,22,24"))
        audience = Quiet()
        races = VersionRaces(
            setheader, axes.axis, axes.statements, wanted, audience, record, tmp_path
        )
        done: list[tuple[str, list[str]]] = []

        def raced(heat):
            labels = [each.label for each in heat.versions]
            done.append((heat.experiment.baseline, labels))
            if {heat.experiment.baseline.partition("@")[2]} & set(lost):
                raise error
            return labels

        def keep(heat, labels):
            races.proven.add(heat.experiment.baseline.partition("@")[2])
            kept = racing.VersionAnswer("s", "", "reproduced", "", None, None, None, 1.0, "")
            record.answers += [replace(kept, version=label) for label in labels]

        monkeypatch.setattr(races, "raced", raced)
        monkeypatch.setattr(races, "keep", keep)
        monkeypatch.setattr(heats, "at_once", lambda experiment: 5)
        return races, done

    return make


def test_a_version_that_can_not_run_the_baseline_is_left_out_and_the_others_race(failing):
    races, done = failing("20")
    races.ask(races.left, 60.0)
    assert done[0] == ("bare@20", ["20"]) and {baseline for baseline, _ in done[1:]} == {"bare@22"}
    assert [each.version for each in races.record.answers] == ["22", "24"]
    assert "SyntaxError" in races.record.versions[0].reason
    assert any("Node.js 20 is left out" in text for text in races.audience.told)


def test_where_none_can_be_raced_that_is_an_error(failing):
    races, done = failing("20", "22", "24")
    with pytest.raises(BenchError, match="SyntaxError"):
        races.ask(races.left, 60.0)
    assert len(done) == 3 and not races.left


def test_who_stops_waiting_for_another_race_wants_none_of_them(failing):
    races, done = failing("20", error=StoppedWaiting("stopped waiting", KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        races.ask(races.left, 60.0)
    assert len(done) == 1 and len(races.left) == 3
