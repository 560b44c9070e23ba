"""The schema that is made from types, and what the one of run files says."""

from dataclasses import dataclass, field
from typing import Annotated, NotRequired, TypedDict

import pytest

from benchbook.analysis.judging import verdicts
from benchbook.model import documents, schemas
from benchbook.model.schemas import LEFT_OUT, About, saved_results


class Inner(TypedDict):
    number: Annotated[float | None, About("how many", minimum=2)]
    maybe: NotRequired[Annotated[bool, About(younger=True)]]


@dataclass
class Made:
    word: Annotated[str, About(enum=["a", "b"])]
    inner: Annotated[Inner | None, About(younger=True, formerly="inside")]
    names: tuple[tuple[str, ...], ...] = ()
    times: Annotated[dict[str, float], About(only=("p50", "max"))] = field(default_factory=dict)
    unit: int | None = field(default=None, metadata=LEFT_OUT)
    place: str = field(default="", compare=False)


def test_a_schema_is_what_types_and_fields_say():
    inner = {
        "type": ["object", "null"],
        "properties": {
            "number": {"type": ["number", "null"], "minimum": 2, "description": "how many"},
            "maybe": {"type": "boolean"},
        },
        "required": ["number"],
        "additionalProperties": False,
    }
    number = {"type": "number"}
    assert schemas.of(Made) == {
        "type": "object",
        "properties": {
            "word": {"enum": ["a", "b"]},
            "inner": inner,
            "inside": {**inner, "description": "in older files: the inner"},
            "names": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
            "times": {
                "type": "object",
                "properties": {"p50": number, "max": number},
                "required": ["p50", "max"],
                "additionalProperties": False,
            },
            "unit": {"type": "integer"},
        },
        "required": ["word", "names", "times"],
        "additionalProperties": False,
    }


def test_a_type_that_json_has_not_is_refused():
    with pytest.raises(TypeError, match="no schema of .*set"):
        schemas.of(dict[str, set[str]])


def test_the_schema_of_runs_has_all_words_that_verdicts_have():
    assert set(saved_results.VERDICTS) == set(verdicts.VERDICTS)
    assert set(saved_results.SIZES) == {"", *verdicts.SIZES}


def test_what_older_run_files_lack_or_name_otherwise_is_read():
    run = documents.validator("run").schema
    assert "floor" in run["properties"]["entries"]["items"]["properties"]["role"]["enum"]
    assert "floor" in run["properties"]["results"]["properties"]
    assert "floor" in run["properties"]["replay"]["properties"]["honest"]["properties"]
    assert {"kind", "replay", "allocated_bytes"}.isdisjoint(run["required"])
    plan = run["properties"]["plan"]
    younger = set(plan["properties"]) - set(plan["required"])
    assert younger == {"looks", "together", "continuous", "beside"}
