"""JSON that anybody may have written: what is wrong is told with the file's name."""

import json
import os

import pytest

from benchbook_kernels.base import untrusted
from benchbook_kernels.base.errors import InputError


@pytest.fixture
def written(tmp_path):
    def write(content: bytes | str):
        path = tmp_path / "given.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_a_file_with_a_byte_order_mark_is_read(written):
    assert untrusted.read_json(written(b"\xef\xbb\xbf[1, {}]"), "it") == [1, {}]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[1,", "is not JSON"),
        ("", "it: is empty\n  → "),
        (" \n", "it: is empty\n  → "),
        (b"[\xff]", "is not UTF-8 (byte 1)\n  → save it as UTF-8"),
        ('{"a": {"b": 1, "b": 2}}', "it: b: is there twice"),
        ("[" * 200 + "]" * 200, "is nested deeper"),
        ("[" * 10**6, "is not JSON"),
        ("1" * 10**5, "is not JSON: a number has more than 4,300 digits\n"),
        ("[NaN]", "contains NaN"),
        ('{"a": -Infinity}', "contains -Infinity"),
    ],
)
def test_what_is_wrong_is_told(written, content, words):
    with pytest.raises(InputError) as told:
        untrusted.read_json(written(content), "it", finite=True)
    assert str(told.value).startswith("it: ") and words in str(told.value)


def test_a_file_that_is_not_there_or_too_large_is_told(written, tmp_path, monkeypatch):
    with pytest.raises(InputError, match="it: cannot be read: No such file"):
        untrusted.read_json(tmp_path / "missing.json", "it")
    monkeypatch.setattr(untrusted, "MOST_BYTES", 3)
    with pytest.raises(InputError, match="it: is too large"):
        untrusted.read_json(written("[1, 2]"), "it")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_what_would_never_end_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    for name in ("pipe.json", "zero.json"):
        with pytest.raises(InputError, match="it: is not a regular file"):
            untrusted.read_json(tmp_path / name, "it")


def test_half_of_a_character_comes_as_one_that_can_be_written(written):
    found = untrusted.read_json(written('{"a\\ud800": ["\\uDFFF", "\\ud83c\\udf89", 1]}'), "it")
    assert found == {"a\ufffd": ["\ufffd", "🎉", 1]}


def test_a_file_that_takes_more_memory_than_there_is_is_told(written, monkeypatch):
    def no_memory(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(untrusted.json, "loads", no_memory)
    with pytest.raises(InputError, match="it: needs more memory than there is"):
        untrusted.read_json(written("[]"), "it")


def test_depth_that_people_need_is_allowed(written):
    value = json.loads("[" * 60 + "]" * 60)
    assert untrusted.read_json(written(json.dumps(value)), "it") == value
