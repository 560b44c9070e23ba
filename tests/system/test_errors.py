"""What programs print is quoted without the codes that colour it or move a terminal's cursor."""

import pytest

from benchbook.show.markup import Output
from benchbook_kernels.base import paths
from benchbook_kernels.base.errors import BenchError, printable
from benchbook_kernels.base.running import run, uncoloured


@pytest.mark.parametrize(
    "code",
    [
        "\x1b[90m",
        "\x1b[39m",
        "\x1b[1;38;5;196m",
        "\x1b[2K",
        "\x1b[?25l",
        "\x1b]0;a title\x07",
        "\x1b]8;;https://example.org\x1b\\",
        "\x1b(B",
        "\x1bM",
        "\x1b=",
        "\x9b31m",
        "\x1bP1$r\x1b\\",
        "\x9d0;a title\x9c",
    ],
)
def test_escape_sequences_go_without_a_trace(code):
    assert printable(f"before{code}after") == "beforeafter"
    assert str(BenchError(f"{code}message")) == "message"
    shown = Output(f"{code}text", f"<p>{code}text</p>")
    assert (shown.text, shown.html) == ("text", "<p>text</p>")


def test_other_control_characters_are_marked():
    assert printable("a\x00b\tc\n\x1b") == "a\ufffdb\tc\n\ufffd"
    begun = "\x9d\x90\x98\x9e\x9f"  # sequences that never end, each to be looked for to the end
    assert printable(begun * 100_000) == "\ufffd" * 500_000


def test_commands_whose_output_is_wanted_are_not_asked_for_colours(monkeypatch):
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.setenv(name, "1")
    done = run(["sh", "-c", "echo $FORCE_COLOR$CLICOLOR_FORCE$NO_COLOR$HOME"], timeout=20)
    assert done.stdout.strip().startswith("/")
    assert uncoloured({"FORCE_COLOR": "1", "A": "2"}) == {"A": "2"}


def test_where_there_is_no_checkout_errors_and_paths_are_as_one_types_them_there(
    monkeypatch, tmp_path
):
    error = BenchError("it is missing; ./bench doctor says how", "./bench compare a.mjs b.mjs")
    assert "./bench doctor says" in str(error) and "→ ./bench compare" in str(error)
    monkeypatch.setattr(paths, "checkout", lambda: None)
    assert "; benchbook doctor says" in str(error) and "→ benchbook compare" in str(error)
    monkeypatch.chdir(tmp_path)
    assert paths.relative(tmp_path / "here" / "a.mjs") == "here/a.mjs"
    assert paths.relative(tmp_path.parent / "run.json") == str(tmp_path.parent / "run.json")
