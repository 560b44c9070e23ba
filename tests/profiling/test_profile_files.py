"""Files of profiles: those of a run's folder, and the small ones that Benchbook brings along."""

import json
from types import SimpleNamespace

import pytest

from benchbook.model import experiments
from benchbook.model.profiles import reading, recorded
from benchbook.model.profiles.cost import Costing, Counted
from benchbook.model.profiles.profile import Frame
from benchbook.profiling import differences, service
from benchbook.profiling.options import WhyOptions
from benchbook.profiling.profiler import ProfilerError
from benchbook.show.why import cost_cards
from benchbook.show.why.shown import ShownProfile
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from profiling.simulated import HTTP, SERVER, comparison, of_b
from quiet import Quiet
from tool import loaded

PLANT = Frame("setHeader", HTTP, "node:_http_outgoing", 640, link="https://x/#L640")
COSTS = Costing("77-made", ["a", "b"], "request", "wrk", {"a": {"threads": Counted((7.0, 7.0))}})
EXPERIMENT = SimpleNamespace(
    saved_as="77-made", number="77", variant=lambda name: SimpleNamespace(edited=False)
)
EDITED = SimpleNamespace(saved_as="77-made", variant=lambda name: SimpleNamespace(edited=True))
COSTS.figures["b"] = {"threads": Counted(reason="it was not asked")}


@pytest.fixture
def made():
    return comparison(SERVER, {**of_b(SERVER), PLANT: 2.0})


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Where recorded ones lie."""
    monkeypatch.setattr(recorded, "folder", lambda: tmp_path / "profiles")


def test_a_comparison_is_read_as_it_was_written(made, tmp_path):
    made.path = tmp_path / "p.json"
    made.save()
    assert reading.comparison(made.path) == made


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: d.update(idle=-1), "idle"),
        (lambda d: d["frames"][0].pop("layer"), r"frames\[0\].layer"),
        (lambda d: d["stacks"][0].update(frames=[99]), r"stacks\[0\].frames"),
        (lambda d: d.update(colour="red"), "colour"),
    ],
)
def test_an_error_names_the_field(made, tmp_path, change, told):
    document = json.loads(json.dumps(made.to_json()))
    change(document["launches"][0]["profiles"]["a"])
    (tmp_path / "p.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=told):
        reading.comparison(tmp_path / "p.json")


# ── Recorded ─────────────────────────────────────────────────────────────────────────────────────


def test_a_recorded_one_says_what_the_whole_one_says(made, here, monkeypatch):
    monkeypatch.setattr(recorded, "MOST", 5)
    path = recorded.write(made)
    found = recorded.profile("77-made", ("a", "b"))
    before, after = differences.why(made), differences.why(found)
    assert [row.key for row in after.rows] == [row.key for row in before.rows]
    for one, other in zip(after.rows, before.rows, strict=True):
        assert one.more.mean == pytest.approx(other.more.mean)
    assert after.check == before.check and path.stat().st_size < 20_000
    assert after.layers[0].more.mean == pytest.approx(before.layers[0].more.mean)


def test_what_was_recorded_is_told_where_nothing_can_be_profiled(made, here, monkeypatch):
    recorded.write(made)
    recorded.write(COSTS)

    def refused(*args):
        raise ProfilerError("'a' can't be profiled: there is no profiler here for Gerbil")

    monkeypatch.setattr(service, "profiled_here", refused)
    monkeypatch.setattr(service.counting, "ready", refused)
    given = (EXPERIMENT, ("a", "b"), WhyOptions(), Quiet())
    said = ShownProfile(service.profiled(*given)).answer.text
    why = "Recorded on another machine, because here 'a' can't be profiled: there is no profiler"
    assert said.startswith(why) and "setHeader" in said
    assert cost_cards.summary(service.counted(*given)).text.startswith(why)
    with pytest.raises(ProfilerError):
        service.profiled(EXPERIMENT, ("a",), WhyOptions(), Quiet())


def test_who_asks_for_the_recorded_one_gets_it_or_is_told(made, here):
    recorded.write(made)
    asked = WhyOptions(recorded=True)
    shown = ShownProfile(service.profiled(EXPERIMENT, ("a", "b"), asked, None))
    assert shown.answer.text.startswith("Recorded on another machine.")
    assert shown.write() == []
    with pytest.raises(InputError, match="--recorded.*nothing is recorded of a, b"):
        service.counted(EXPERIMENT, ("a", "b"), asked, None)
    with pytest.raises(InputError, match="nothing is recorded of a, b"):
        service.profiled(EDITED, ("a", "b"), asked, None)


def test_a_cost_is_read_as_it_was_written(here):
    recorded.write(COSTS)
    assert recorded.cost("77-made", ("a", "b")) == COSTS
    assert recorded.cost("77-made", ("b", "a")) is None


def test_each_cell_of_a_notebook_that_profiles_has_its_recorded_one_and_no_other_is_kept():
    tool = loaded("record_profiles")
    cells = [each for path in paths.notebooks().glob("[0-9]*.ipynb") for each in tool.told(path)]
    wanted = {each.path: each for each in cells}
    there = set(recorded.folder().glob("*.json"))
    assert there <= set(wanted)
    assert {path.name for path in set(wanted) - there} == set()
    for path in there:
        each = wanted[path]
        whole = path.read_text(encoding="utf-8")
        assert len(whole) < 400_000 and not any(place in whole for place in ('"/', "file:///"))
        assert "node_modulesnode_modules" not in whole
        experiment = experiments.find(each.experiment)
        if each.what == recorded.LAYERS:
            found = recorded.layers(experiment.name, each.names)
            assert {x.name for x in found.programs} == set(each.names) and not found.missing
        elif each.what == recorded.COST:
            costing = recorded.cost(experiment.name, each.names)
            assert costing.programs == list(each.names)
            assert "bytes allocated" in cost_cards.summary(costing).text
        else:
            found = ShownProfile(recorded.profile(experiment.name, each.names)).found
            assert found.rows and not found.problem
