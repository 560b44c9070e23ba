"""The format of files that people write: what older ones are made, and what newer ones are told."""

import pytest

from benchbook.model import documents, experiments
from benchbook.model.schemas import formats
from benchbook_kernels.base.errors import InputError


def test_every_step_from_an_older_version_has_its_migration():
    wanted = {(s, v) for s, newest in formats.NEWEST.items() for v in range(1, newest)}
    assert set(formats.MIGRATIONS) == wanted


@pytest.fixture
def two_versions_later(monkeypatch):
    """Version 1 called statements `sayings`, version 2 still had one place for all of them."""

    def to_2(document):
        return {**document, "statements": document.pop("sayings")}

    def to_3(document):
        place = document.pop("place")
        found = [{**each, "place": place} for each in document["statements"]]
        return {**document, "statements": found}

    monkeypatch.setitem(formats.NEWEST, "claim", 3)
    monkeypatch.setitem(formats.MIGRATIONS, ("claim", 1), to_2)
    monkeypatch.setitem(formats.MIGRATIONS, ("claim", 2), to_3)


@pytest.mark.parametrize(
    "older",
    [
        {"sayings": [{"id": "a"}], "place": "p"},
        {"format": "benchbook-claim/1", "sayings": [{"id": "a"}], "place": "p"},
        {"format": "benchbook-claim/2", "statements": [{"id": "a"}], "place": "p"},
        {"format": "benchbook-claim/3", "statements": [{"id": "a", "place": "p"}]},
    ],
)
def test_an_older_form_is_read_step_by_step(two_versions_later, older):
    found = formats.current(older, "claim", "claim.toml")
    assert found["statements"] == [{"id": "a", "place": "p"}]
    assert found.get("format") in (None, "benchbook-claim/3")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('"benchbook-claim/2"', "is benchbook-claim/2; this Benchbook reads up to benchbook-claim"),
        ('"benchbook-experiment/1"', "expected benchbook-claim/1, found 'benchbook-experiment/1'"),
        ("1", "expected benchbook-claim/1, found 1"),
        ('"benchbook-claim/0"', "expected benchbook-claim/1"),
    ],
)
def test_a_newer_form_or_another_file_is_told(two_servers, said, told):
    file = two_servers / "claim.toml"
    file.write_text(f"format = {said}\n{file.read_text()}")
    with pytest.raises(InputError, match="claim.toml: format: ") as caught:
        experiments.load(two_servers)
    assert told in str(caught.value)


def test_the_form_of_today_may_be_said(two_servers):
    for name in ("claim", "experiment"):
        file = two_servers / f"{name}.toml"
        file.write_text(f'format = "benchbook-{name}/1"\n{file.read_text()}')
    assert experiments.load(two_servers).claim.statements


def test_schemas_for_editors_say_the_newest_form_and_their_own_name():
    for name, newest in formats.NEWEST.items():
        schema = documents.whole(name)
        assert schema["properties"]["format"]["enum"] == [formats.name(name, newest)]
        assert schema["$id"] == f"urn:benchbook:schema:{name}:{newest}"
