"""A table for the comment of a pull request: the answer, the interval, the control, what could be
seen, the machine and the run."""

from collections.abc import Iterator

from benchbook.analysis.judging import doubts
from benchbook.analysis.judging.judge import Results
from benchbook.compare.gate import Gated
from benchbook.model.runs import CONTROL, Entry, Run
from benchbook.show import gated as told
from benchbook.show import wording
from benchbook.show.cards import compare_cards, race_cards
from benchbook.show.exports import timings
from benchbook_kernels.base.errors import printable

NOTHING = "&#8203;"  # a space of no width: behind these, no name and no number is linked
SPECIAL = str.maketrans(
    {c: f"\\{c}" for c in "\\`*_|<>[]~&"}
    | {c: f"{c}{NOTHING}" for c in "@#"}
    | {"\n": " ", "\r": " "}
)


def text(run: Run, results: Results, gated: Gated | None = None) -> str:
    """The whole comment: it can stand in one whatever the entries are called."""
    return "\n".join(parts(run, results, gated)) + "\n"


def parts(run: Run, results: Results, gated: Gated | None) -> Iterator[str]:
    """Its lines."""
    yield f"### {plain(run.experiment.title)}"
    yield ""
    for line in told.lines(run, gated) if gated else compare_cards.lines(results):
        yield f"- {plain(line)}"
    if doubt := doubts.doubt(run):
        yield f"- **{plain(doubt)}**"
    yield ""
    yield from table(run, results)
    yield ""
    yield f"{plain(compare_cards.control(run, results))}.  "
    yield f"{plain(compare_cards.sureness(run))}.  "
    yield f"{plain(machine(run))}; {plain(run.started)}, Benchbook {plain(run.benchbook)}" + (
        f", `{run.path.name}`" if run.path else ""
    )


def table(run: Run, results: Results) -> Iterator[str]:
    """A row for each entry: its figures, and its difference to the baseline in the same case."""
    columns = run.kind.columns(run)
    one = {other for other, _ in timings.ratios(results).values()} <= {run.baseline}
    against = f"against {run.baseline}" if one else "against"
    headings = ["", *(column.heading for column in columns), against, "95 % interval"]
    yield row([plain(heading) for heading in headings])
    yield row(["---", *["---:"] * (len(headings) - 1)])
    for entry in run.entries:
        if entry.role != CONTROL:
            figures = [race_cards.cell(run, column, entry.name, results) for column in columns]
            cells = [named(entry), *figures, *difference(results, entry, one)]
            yield row([plain(cell) for cell in cells])


def named(entry: Entry) -> str:
    """What an entry is called, and what it is."""
    return entry.name if entry.title == entry.name else f"{entry.name}: {entry.title}"


def difference(results: Results, entry: Entry, one: bool) -> tuple[str, str]:
    """An entry's difference, and the interval of that. one: are all compared with the baseline, so
    that nothing need say with what?"""
    ratios = timings.ratios(results)
    if entry.name not in ratios:
        return ("" if entry.status == "raced" else entry.fate), ""
    other, ratio = ratios[entry.name]
    size = wording.percent(ratio.ratio)
    return (size if one else f"{other}: {size}"), wording.interval_text(ratio)


def machine(run: Run) -> str:
    """What it was measured on, in a line."""
    cpu, system = run.machine.get("cpu", {}), run.machine.get("os", {})
    cores = cpu.get("usable_cores") or cpu.get("logical_cores")
    known = [cpu.get("model"), f"{cores} CPUs" if cores else "", system.get("distribution")]
    known += [cpu.get("architecture"), *run.entry(run.baseline).software]
    return ", ".join(str(each) for each in known if each) or "unknown machine"


def row(texts: list[str]) -> str:
    return f"| {' | '.join(texts)} |"


def plain(words: str) -> str:
    """Words that Markdown leaves as they are, in which nobody is mentioned and no issue linked."""
    return printable(words).translate(SPECIAL)
