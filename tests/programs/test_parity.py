"""Programs are asked as the load generator asks: in its HTTP, with its headers and encodings."""

from types import SimpleNamespace

import pytest

from benchbook.loadtools.manner import PLAIN, Manner
from benchbook.loadtools.tools.ab import KEEP_ALIVE, NEW_CONNECTIONS
from benchbook.model.variants import Variant
from benchbook.programs import parity
from benchbook.programs.parity import Answer
from benchbook.programs.programs import VariantError
from talkers import Talker, talking

GZIP = Manner("1.1", (("Accept-Encoding", "gzip"),))


def variant(path) -> Variant:
    return Variant(name="b", title="b", path=path)


def ask(talker: Talker, tmp_path, manner: Manner) -> Answer:
    with talking(talker):
        program = SimpleNamespace(address="127.0.0.1", port=talker.port, variant=variant(tmp_path))
        return parity.ask_as(program, "/", manner)


@pytest.mark.parametrize("says", [True, False])
@pytest.mark.parametrize(
    ("keep", "older", "newer"),
    [
        ({}, 5, 5),  # it keeps every connection
        ({"1.0": 1}, 1, 5),
        ({"1.0": 1, "1.1": 1}, 1, 1),
        ({"1.0": 3, "1.1": 3}, 3, 3),
        ({"1.0": 100, "1.1": 100}, 5, 5),
    ],
)
def test_what_becomes_of_connections_is_known_before_the_race(tmp_path, keep, older, newer, says):
    if not says and 3 in keep.values():
        older = newer = 3
    found = ask(Talker(keep, says), tmp_path, PLAIN).connections
    assert [(each.http, each.answers, each.tool) for each in found] == [("1.1", newer, True)]
    if says:  # without a word HTTP/1.0 ends with each answer
        found = ask(Talker(keep), tmp_path, KEEP_ALIVE).connections
        told = [(each.http, each.answers, each.tool) for each in found]
        assert told == [("1.0", older, True), ("1.1", newer, False)]


def test_who_wants_new_connections_is_not_asked_whether_old_ones_are_kept(tmp_path):
    assert ask(Talker(), tmp_path, NEW_CONNECTIONS).connections == ()


@pytest.mark.parametrize(("manner", "encoding"), [(PLAIN, ""), (GZIP, "gzip"), (KEEP_ALIVE, "")])
def test_a_server_that_compresses_when_asked_is_seen(tmp_path, manner, encoding):
    found = ask(Talker(encodes=True), tmp_path, manner)
    assert (found.encoding, found.compressed) == (encoding, "gzip")
    assert ask(Talker(), tmp_path, manner).to_json()["compressed"] == ""


@pytest.mark.parametrize("ours, theirs", [("gzip", ""), ("", "br"), ("gzip", "br")])
def test_another_encoding_is_named_before_the_body(tmp_path, ours, theirs):
    def answer(encoding: str) -> Answer:
        headers = {"content-encoding": encoding} if encoding else {}
        return Answer(200, headers, encoding.encode())

    with pytest.raises(VariantError, match="content encoding") as caught:
        parity.check(variant(tmp_path), answer(ours), answer(theirs))
    assert all((name or "none") in caught.value.message for name in (ours, theirs))


def test_another_answer_to_an_older_version_is_an_error(tmp_path):
    older, newer = Answer(505, {}, b"no"), Answer(200, {}, b"hello")
    with pytest.raises(VariantError, match=r"HTTP/1\.0 with status 505.*HTTP/1\.1 with status 200"):
        parity.check_version(variant(tmp_path), older, newer, KEEP_ALIVE)
