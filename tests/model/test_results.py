"""A run on disk: fits the schema, comes back equal, is never half-written."""

import json
import math
import os

import pytest
from jsonschema import Draft202012Validator, validators

from benchbook.analysis.judging import judge, judgement_json
from benchbook.model import documents, results, samples
from benchbook_kernels.base.errors import InputError
from made import edited_json


def test_a_run_comes_back_as_it_was(make_run, tmp_path, experiment):
    run = make_run({"a": 1000, "b": 1100})
    run.path = tmp_path / "deep" / "run.json"
    run.results = judgement_json.to_json(judge.judge(run, experiment.claim))
    run.save()
    again = results.load(run.path)
    assert again == run
    documents.check(json.loads(run.path.read_text()), "run", "run.json")


def test_speeds_are_by_launch_and_block(recorded):
    speeds = recorded.speeds()
    assert [len(speeds["b"]), len(speeds["b"][0])] == [5, 4]
    dropped = recorded.samples.pop()
    assert math.isnan(recorded.speeds()[dropped.variant][dropped.launch][dropped.block])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda d: d.pop("plan"), "plan"),
        (lambda d: d["samples"][3].update(seconds="1"), "samples[3].seconds"),
        (lambda d: d["samples"][0].pop("latency_ms"), "samples[0].latency_ms"),
        (lambda d: d.update(status="done"), "status"),
        (lambda d: d.update(extra=1), "extra"),
        (lambda d: d["entries"][0].update(role="king"), "entries[0] ('a').role"),
        (lambda d: d["entries"][0].update(role="variant"), "entries"),
        (lambda d: d["entries"][1].update(name="b"), "entries"),
        (lambda d: d["samples"][3].update(variant="z"), "samples[3]"),
        (lambda d: d["samples"][3].update(launch=99), "samples[3]"),
        (lambda d: d.update(kind="races"), 'kind: expected one of "http"'),
        (lambda d: d["plan"].update(blocks=10**9), "plan"),
        (lambda d: d["plan"].update(launches=5.0), "plan.launches: expected a whole number"),
        (lambda d: d["samples"][3].update(seconds=math.inf), "samples[3].seconds: expected a num"),
    ],
)
def test_a_file_that_does_not_fit_is_explained(recorded, change, field):
    edited_json(recorded.path, change)
    with pytest.raises(InputError) as caught:
        results.load(recorded.path)
    assert field in str(caught.value)
    assert "run.json" in str(caught.value)


@pytest.mark.parametrize(
    ("unit", "tool", "kind"),
    [
        (None, "wrk", "http"),
        ("operations/s", "Benchbook", "functions"),
        ("operations/s", "BenchmarkDotNet", "benchmarks"),
        ("loads/s", "Chromium", "page"),
        ("loads/s", "the variant's own client", "client"),
    ],
)
def test_the_kind_of_an_older_file_follows_from_its_unit_and_tool(recorded, unit, tool, kind):
    def older(document):
        del document["kind"]
        document["experiment"] |= {"unit": unit} if unit else {}
        document["plan"]["tool"] = tool

    edited_json(recorded.path, older)
    assert results.load(recorded.path).kind.name == kind


STRANGE = (None, True, "1", -1, 0, 1.5, 3.0, 2**70, math.nan, math.inf, [], [1], {}, {"a": 1})


def test_what_is_passed_over_quickly_is_what_the_library_accepts(recorded):
    document, quick = json.loads(recorded.path.read_text()), documents.validator("run")
    rules = Draft202012Validator.VALIDATORS
    own = {name: rules[name] for name in ("properties", "items")}
    library = validators.extend(type(quick), own)(quick.schema)
    refused = 0
    document["samples"] = [sample := document["samples"][3]]
    sample["parts_ms"] = {"decode": 1.5}
    for fields in (sample, sample["evidence"], sample["latency_ms"], sample["errors"], document):
        for name, value in list(fields.items()):
            for strange in STRANGE:
                fields[name] = strange
                found = [str(error) for error in quick.iter_errors(document)]
                assert found == [str(error) for error in library.iter_errors(document)]
                refused += bool(found)
            del fields[name]
            assert quick.is_valid(document) == library.is_valid(document), name
            fields[name] = value
    assert refused > 200


def test_half_a_file_is_explained(recorded):
    text = recorded.path.read_text()
    recorded.path.write_text(text[: len(text) // 2])
    with pytest.raises(InputError, match="is not JSON"):
        results.load(recorded.path)


def test_a_failed_save_leaves_the_old_file(recorded, monkeypatch):
    before = recorded.path.read_text()

    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", broken)
    recorded.reason = "changed"
    with pytest.raises(OSError, match="disk full"):
        recorded.save()
    assert recorded.path.read_text() == before
    assert os.listdir(recorded.path.parent).count("run.json") == 1
    assert not [name for name in os.listdir(recorded.path.parent) if name.endswith(".tmp")]


def test_not_a_number_is_null_in_the_file(recorded):
    recorded.timing["total_seconds"] = 1.0
    text = json.dumps(samples.plain({"x": math.nan, "y": [math.inf, 1.5]}))
    assert text == '{"x": null, "y": [null, 1.5]}'
