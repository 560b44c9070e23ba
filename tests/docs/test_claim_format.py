"""docs/claim-format.md and docs/schemas are made from the schemas that files are checked with."""

import json

import pytest
from jsonschema import Draft202012Validator

from benchbook.commands.own import new
from benchbook.compare.own import drafting
from benchbook.model import documents
from benchbook.model.schemas import formats
from tool import loaded

made = loaded("make_claim_format")

OURS = {"namesOf", "tablesBy"}  # words that no editor knows


def test_the_page_and_the_schemas_are_made_anew():
    assert made.main(["--check"]) == 0, "python tools/make_claim_format.py"


def test_check_finds_an_old_page_and_writes_none(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(made, "PAGE", tmp_path / "page.md")
    assert made.main(["--check"]) == 1
    assert "page.md is not up to date" in capsys.readouterr().err
    assert made.main([]) == 0 == made.main(["--check"])


def words(part):
    if isinstance(part, dict):
        yield from part
        part = list(part.values())
    for each in part if isinstance(part, list) else ():
        yield from words(each)


@pytest.mark.parametrize("name", list(formats.NEWEST))
def test_a_schema_for_editors_has_json_schemas_words_only(name):
    schema = json.loads((made.SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    assert not OURS & set(words(schema))


@pytest.mark.parametrize("name", list(formats.NEWEST))
def test_every_field_is_in_the_page(name):
    text = made.PAGE.read_text(encoding="utf-8")
    for field in documents.whole(name)["properties"]:
        assert f"| `{field}` |" in text, field


def test_a_file_that_new_writes_leads_editors_to_its_schema(tmp_path):
    folder = new.write(drafting.small("mine"), tmp_path)
    for name in formats.NEWEST:
        first = (folder / f"{name}.toml").read_text(encoding="utf-8").splitlines()[0]
        schema = folder / first.removeprefix("#:schema ")
        assert first.startswith("#:schema ./")
        assert json.loads(schema.read_text(encoding="utf-8")) == documents.whole(name)
