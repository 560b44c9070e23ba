"""A program as what differs from another one, in colour; the whole of it is folded below."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from benchbook.model.variants import Variant
from benchbook.show import markup
from benchbook.show.markup import Output
from benchbook.system import paths

CONTEXT_LINES = 2
LEAST_SHARED = 1 / 3  # of a program's lines; below that its difference would be all of both
LEAST_ALIKE = 1 / 2  # of two lines' characters, or the words that differ are not marked
SIGNS = {"same": " ", "removed": "-", "added": "+"}


@dataclass(frozen=True)
class ProgramLine:
    """A line of a difference: what stands before, in and behind the part that differs.

    kind: one of SIGNS, or "gap" for lines left out. The part is '' where nothing of it is marked.
    """

    kind: str
    before: str = ""
    part: str = ""
    behind: str = ""

    @property
    def sign(self) -> str:
        return SIGNS.get(self.kind, "")


def program(variant: Variant, other: Variant, env: str = "") -> Output:
    """A variant as what differs from another one, or whole, where little of it is the other's.

    The text is a unified diff. env: what the program is given, as "SIZE=17".
    """
    file = paths.relative(variant.path)
    named = f"{variant.name} ({variant.title}{', your edit' * variant.edited})"
    whole = variant.code.rstrip()
    code, old = whole.splitlines(), other.code.rstrip().splitlines()
    summary = f"The whole of {file}{f', with {env}' if env else ''}: {len(code)} lines"
    if variant == other:
        return markup.heading(named) + markup.note(whole)
    if code == old:
        given = f", given {env}" if env else ""
        said = f"The same program as {other.name}{given}: {file}"
        return markup.heading(named) + markup.paragraph(said)
    if shared(old, code) < LEAST_SHARED:
        said = f"Little of it stands in {other.name}, so this is the whole of {file}:"
        return markup.heading(named) + markup.paragraph(said) + markup.note(whole)
    told = difference(old, code, paths.relative(other.path), file)
    cell = markup.note(f"%%variant {variant.name}\n{whole}")
    folded = Output("", markup.folded(summary, cell).html)
    heading = markup.heading(f"{named}: what differs from {other.name}")
    return Output(f"{heading.text}\n{told.text}", heading.html + told.html + folded.html)


def shared(old: list[str], new: list[str]) -> float:
    """Which share of the new lines stands in the old ones, in their order."""
    blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / max(1, len(new))


def difference(old: list[str], new: list[str], old_name: str, new_name: str) -> Output:
    """What differs between two programs: lines in colour, and a unified diff as text."""
    text = difflib.unified_diff(old, new, old_name, new_name, lineterm="", n=CONTEXT_LINES)
    return Output("\n".join(text), markup.fill("note.html.j2", lines=list(lines_of(old, new))))


def lines_of(old: list[str], new: list[str]) -> Iterator[ProgramLine]:
    """The lines of a difference, in order."""
    matcher = difflib.SequenceMatcher(None, old, new)
    for number, group in enumerate(matcher.get_grouped_opcodes(CONTEXT_LINES)):
        if number or group[0][1]:
            yield ProgramLine("gap")
        for kind, i, i_end, j, j_end in group:
            if kind == "equal":
                yield from (ProgramLine("same", line) for line in old[i:i_end])
                continue
            removed, added = old[i:i_end], new[j:j_end]
            marked = [parts(*pair) for pair in zip(removed, added)]
            marked *= len(removed) == len(added)
            yield from (ProgramLine("removed", *a) for a, _ in marked)
            yield from (ProgramLine("added", *b) for _, b in marked)
            if not marked:
                yield from (ProgramLine("removed", line) for line in removed)
                yield from (ProgramLine("added", line) for line in added)
    if group[-1][2] < len(old):
        yield ProgramLine("gap")


def parts(one: str, other: str) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    """Each of two lines in three: what they begin with alike, what differs, how they end alike."""
    most = min(len(one), len(other))
    start = next((i for i in range(most) if one[i] != other[i]), most)
    most -= start
    end = next((i for i in range(most) if one[-1 - i] != other[-1 - i]), most)
    if start + end < LEAST_ALIKE * max(len(one), len(other)):
        return (one, "", ""), (other, "", "")
    split = [(s[:start], s[start : len(s) - end], s[len(s) - end :]) for s in (one, other)]
    return split[0], split[1]
