"""Text on a `#!` line that would be lost is an error that names it; options may follow a word."""

import pytest

from benchbook_kernels.notebook import cells
from benchbook_kernels.notebook.interactive import directives


@pytest.mark.parametrize(
    ("line", "lost"),
    [
        ("#!csharp var a = 1;", "var a = 1;"),
        ("#!c# --flag var a = 1;", "a = 1;"),
        ("#!html <b>1</b>", "<b>1</b>"),
        ("#!node console.log(1) // one", "console.log(1)"),
        ("#!markdown # Title", "# Title"),
        ("#!time var b = 2;", "var b = 2;"),
        ("#!about; 1", "; 1"),
        ("#!about 1", "1"),
        ("#!whos --all", "--all"),
        ("#!lsmagic x", "x"),
    ],
)
def test_the_text_that_would_be_lost(line, lost):
    found = directives.parse(line)
    assert (directives.dropped(found) if found else "") == lost
    if lost:
        (part, *rest) = cells.split(f"{line}\n1", "csharp")
        assert part.directive == found, "its turn comes before the lines below it"
        assert lost in str(directives.refused(found, lost)) and rest[0].code == "1"


@pytest.mark.parametrize(
    "line",
    [
        "#!csharp",
        "#!csharp // the notebook's own",
        "#!csharp --flag",
        "#!html --name page --other='a b'",
        "#!time // how long?",
        "#!share --from python x --as y",
        "#!set --name x --value @python:y",
        '#!value --name x --from-value "a // b"',
        "#!import helpers.dib",
    ],
)
def test_options_and_comments_are_no_text_that_is_lost(line):
    assert directives.dropped(directives.parse(line)) == ""


def test_a_comment_is_no_part_of_what_follows_a_word():
    rest = {
        "#!share --from python x // from above": "--from python x",
        '#!value --name x --from-value "a // b" // text': '--name x --from-value "a // b"',
        "#!set --name x --value https://a.b/c": "--name x --value https://a.b/c",
        "#!import a.dib // it's mine": "a.dib",
    }
    assert {line: directives.parse(line).rest for line in rest} == rest
