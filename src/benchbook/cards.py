"""Claim cards and tables: HTML for a notebook, with a plain-text twin for terminals and readers.

HTML carries its few styles inline and takes its colours from the page, so that it looks right in
light and dark themes, in every front end and in static pages.
"""

import html
import re
import statistics
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchbook import judge, paths, stats
from benchbook import witness as evidence
from benchbook.experiments import Experiment
from benchbook.judge import Judgement, Results
from benchbook.results import Run, Sample

MARKS = {
    judge.REPRODUCED: "✔",
    judge.OPPOSITE: "✘",
    judge.NO_DIFFERENCE: "=",
    judge.TOO_CLOSE: "?",
    judge.NOT_VALID: "∅",
}
# blue, vermillion and grey of Okabe & Ito's palette: told apart by the colour-blind
COLOURS = {
    judge.REPRODUCED: "#0072b2",
    judge.OPPOSITE: "#d55e00",
    judge.NO_DIFFERENCE: "#737373",
    judge.TOO_CLOSE: "#737373",
    judge.NOT_VALID: "#cc79a7",
}
HOLM = "Several statements are judged at once: p-values are corrected by Holm's method."
UNKNOWN_FLAG = "a flag that this version of Benchbook does not know"
WIDEST = 48  # characters of a column in a text table
IN_A_PATH = re.compile(r"(?<=\w)/(?=\w+[/.])")  # its slashes, not that of requests/s
LINE = "border-bottom:1px solid rgba(128,128,128,.35)"


@dataclass(frozen=True)
class Output:
    """Something to show: HTML and its plain-text twin."""

    text: str
    html: str

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": self.text, "text/html": self.html}

    def __add__(self, other: "Output") -> "Output":
        return Output(f"{self.text}\n\n{other.text}", self.html + other.html)


def heading(text: str) -> Output:
    style = "font-weight:600;margin:.8em 0 .3em"
    return Output(text, f'<div role="heading" aria-level="4" style="{style}">{esc(text)}</div>')


def paragraph(text: str) -> Output:
    return Output(text, f'<p style="margin:.3em 0;max-width:50em">{esc(text)}</p>')


def table(
    headers: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()
) -> Output:
    """A table of text; columns in `right` are aligned to the right (numbers)."""
    rows, right = [list(map(str, row)) for row in rows], set(right)
    text = text_table([list(headers), *rows], right)

    def cell(tag: str, i: int, value: str) -> str:
        align = "right" if i in right else "left"
        style = f"text-align:{align};padding:.2em .8em .2em 0;vertical-align:top;{LINE}"
        scope = ' scope="col"' if tag == "th" else ""
        return f'<{tag}{scope} style="{style}">{coloured(value)}</{tag}>'

    body = "".join(
        "<tr>" + "".join(cell("td", i, value) for i, value in enumerate(row)) + "</tr>"
        for row in rows
    )
    head = "".join(cell("th", i, value) for i, value in enumerate(headers))
    style = "border-collapse:collapse;background:transparent;font-variant-numeric:tabular-nums"
    return Output(
        text,
        f'<table style="{style}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>',
    )


def text_table(rows: Sequence[Sequence[str]], right: set[int]) -> str:
    """Rows (the first is the header) in aligned columns; long cells go on in the next line."""
    wrapped = [
        [textwrap.wrap(cell, WIDEST, break_long_words=False) or [""] for cell in row]
        for row in rows
    ]
    columns = range(len(rows[0]))
    widths = [max(len(line) for row in wrapped for line in row[i]) for i in columns]

    def lines(row: Sequence[Sequence[str]]) -> list[str]:
        found = []
        for n in range(max(map(len, row))):
            parts = [cell[n] if n < len(cell) else "" for cell in row]
            padded = (
                part.rjust(width) if i in right else part.ljust(width)
                for i, (part, width) in enumerate(zip(parts, widths))
            )
            found.append("  ".join(padded).rstrip())
        return found

    rule = "  ".join("─" * width for width in widths)
    return "\n".join([*lines(wrapped[0]), rule, *(x for row in wrapped[1:] for x in lines(row))])


def coloured(value: str) -> str:
    """A cell's HTML: a verdict in its colour, anything else as text; a path may break after a /."""
    verdict = value[2:]
    if verdict in COLOURS and value == marked(verdict):
        style = f"color:{COLOURS[verdict]};font-weight:600;white-space:nowrap"
        return f'<span style="{style}">{esc(value)}</span>'
    return IN_A_PATH.sub("/<wbr>", esc(value))


MOST = 1e6  # a factor beyond which an interval says nothing


def marked(verdict: str) -> str:
    """The verdict with its mark, so that colour is not all that tells it."""
    return f"{MARKS[verdict]} {verdict}"


def esc(text: str) -> str:
    return html.escape(text).replace("\n", "<br>")


def percent(ratio: float) -> str:
    """A factor as a difference: 1.034 is +3.4 %; very large ones stay factors."""
    if ratio >= 3:
        return f"{ratio:.1f}×"
    return f"{ratio - 1:+.1%}".replace("%", " %").replace("-", "−")


def interval_text(interval: stats.Interval) -> str:
    if interval.low <= 0 or interval.high > MOST:
        return "unknown: too few samples"
    return f"{percent(interval.low)} to {percent(interval.high)}"


def claim(experiment: Experiment, unavailable: dict[str, str]) -> Output:
    """The claim card: what was said, where, with which figures, and what races here.

    unavailable: the reason for each variant that can't run on this machine, '' for the others.
    """
    said = experiment.claim
    source = said.source
    author = f" by {source.author}" if source.author else ""
    written = f"{source.language}, {source.year or 'without a date'}"
    origin = f"Article {source.article}{author}: {source.title} ({written})"
    parts = [
        heading(f"{experiment.number} · {experiment.title}"),
        paragraph(experiment.question),
        paragraph(f"The claim: {said.title}"),
        paragraph(said.summary.strip()),
        paragraph(f"{origin}. Software: {source.software or 'not stated'}. How: {source.method}."),
    ]
    if said.figures:
        parts += [heading("Published figures"), figures(experiment)]
    rows = [[s.says, s.place] for s in said.statements]
    parts += [heading("Statements that the race judges"), table(["statement", "where"], rows)]
    home = experiment.home.resolve()
    rows = [
        [v.name, v.title, v.path.relative_to(home).as_posix(), unavailable.get(v.name) or "ready"]
        for v in experiment.variants
    ]
    columns = ["variant", "what it is", "file", "on this machine"]
    parts += [heading(f"Variants, in {paths.relative(home)}"), table(columns, rows)]
    return total(parts)


def figures(experiment: Experiment) -> Output:
    """The article's figures, each with the variant that stands for it here."""
    rows = [
        [f.label, f"{f.value:,.10g}", f.unit, f.variant or "—", f.place]
        for f in experiment.claim.figures
    ]
    return table(["in the article", "figure", "unit", "variant here", "where"], rows, right=[1])


def ratios(run: Run, results: Results, guesses: Mapping[str, float] = {}) -> Output:
    """Every entry with its median requests/s, its ratio to the baseline, and the reader's guess."""
    rows = []
    for entry in run.entries:
        interval = results.ratios.get(entry.name)
        median = results.medians.get(entry.name)
        if entry.status == "unavailable":
            note = f"unavailable: {entry.reason}"
        elif entry.status == "failed":
            note = f"failed: {entry.short_reason}"
        else:
            note = {"baseline": "baseline", "floor": "the floor"}.get(entry.role, "")
            note = entry.reason or note
        rows.append(
            [
                entry.name + (" (edited)" if entry.edited else ""),
                f"{median:,.0f}" if median else "—",
                percent(interval.ratio) if interval else "",
                interval_text(interval) if interval else "",
                *([guess_text(entry.name, guesses, interval)] if guesses else []),
                note,
            ]
        )
    yours = ["your guess"] if guesses else []
    columns = ["variant", run.unit, "to baseline", "95 % interval", *yours, ""]
    if run.micro:
        add_micro(columns, rows, run, results)
    return table(columns, rows, right=range(1, len(columns) - 1))


def add_micro(columns: list[str], rows: list[list[str]], run: Run, results: Results) -> None:
    """What else is asked of a benchmark: the time of an operation, and what it allocates or what
    parts it consists of."""
    kinds = part_kinds(run)
    columns[2:2] = ["time", *(kinds or ["allocated"])]
    for entry, row in zip(run.entries, rows):
        speed, allocated = results.medians.get(entry.name), (run.allocated_bytes or {})
        bytes_ = f"{allocated[entry.name]:,.0f} B" if entry.name in allocated else "—"
        parts = part_times(run, entry.name)
        more = [duration(parts[kind] * 1e6) if kind in parts else "—" for kind in kinds] or [bytes_]
        row[2:2] = [duration(1e9 / speed) if speed else "—", *more]


def part_kinds(run: Run) -> list[str]:
    """What the operations of this run consist of, in order; empty where parts were not timed."""
    return list(dict.fromkeys(kind for sample in run.samples for kind in sample.parts_ms))


def part_times(run: Run, name: str) -> dict[str, float]:
    """The time of each part of an entry's operations: median over its samples, in milliseconds."""
    found = [s.parts_ms for s in run.samples if s.variant == name and s.parts_ms]
    if not found:
        return {}
    return {kind: statistics.median(parts[kind] for parts in found) for kind in found[0]}


def duration(nanoseconds: float) -> str:
    """A time with its unit: 6.1 ns, 1.2 µs."""
    for unit, size in (("ns", 1.0), ("µs", 1e3), ("ms", 1e6)):
        if nanoseconds < 1000 * size or unit == "ms":
            return f"{nanoseconds / size:.3g} {unit}"


def guess_text(name: str, guesses: Mapping[str, float], interval: stats.Interval | None) -> str:
    """The guess beside the result: does it lie in the interval?"""
    if name not in guesses or interval is None:
        return ""
    inside = interval.low <= guesses[name] <= interval.high
    return f"{percent(guesses[name])}{', in the interval' if inside else ''}"


def guesses(noted: Mapping[str, float], baseline: str) -> Output:
    """The reader's guesses so far."""
    if not noted:
        return paragraph("No guess yet. Write, for example: %predict VARIANT +5%")
    rows = [[name, percent(ratio)] for name, ratio in noted.items()]
    return table(["variant", f"your guess, compared with {baseline}"], rows, right=[1])


def note(text: str) -> Output:
    """Text with its line breaks kept: a message, a diff."""
    style = "white-space:pre-wrap;background:transparent;margin:.3em 0"
    return Output(text, f'<pre style="{style}">{html.escape(text)}</pre>')


def micro_witness(run: Run) -> Output:
    """Each benchmark's evidence: what else used the CPUs, what it allocates, flags."""
    rows, seen = [], set()
    for entry in run.entries:
        samples = [s for s in run.samples if s.variant == entry.name]
        if samples:
            flags = sorted({flag for sample in samples for flag in sample.flags})
            seen.update(flags)
            counts = [f"{flag} ({sum(flag in s.flags for s in samples)})" for flag in flags]
            shares = [
                share(samples, lambda s, kind=kind: s.evidence[f"{kind}_cpu_seconds"])
                for kind in ("outside", "stolen")
            ]
            seconds = statistics.median(s.seconds for s in samples)
            rows.append([entry.name, *shares, f"{seconds:.3g} s", ", ".join(counts) or "none"])
    count = run.plan["launches"] * run.plan["blocks"]
    columns = ["variant", "other programs", "stolen", "an iteration"]
    parts = [table([*columns, f"flags (of {count} samples)"], rows, right=range(1, 4))]
    parts += [
        paragraph(f"{flag}: {evidence.EXPLAIN.get(flag, UNKNOWN_FLAG)}") for flag in sorted(seen)
    ]
    notes = [message for message in run.messages if message.startswith(run.tool["name"])]
    return total([*parts, *map(paragraph, notes)])


def witness(run: Run) -> Output:
    """Each entry's evidence: CPU of both sides, requests in flight, failures, flags."""
    if run.micro:
        return micro_witness(run)
    rows, seen = [], set()
    for entry in run.entries:
        samples = [s for s in run.samples if s.variant == entry.name]
        if not samples:
            continue
        flags = sorted({flag for sample in samples for flag in sample.flags})
        seen.update(flags)
        rows.append(
            [
                entry.name,
                share(samples, lambda s: s.evidence["server_cpu_seconds"]),
                share(samples, lambda s: s.client_cpu_seconds),
                share(samples, lambda s: s.evidence["outside_cpu_seconds"]),
                switches(samples),
                in_flight(samples),
                f"{sum(sum(s.errors.values()) + s.non_2xx for s in samples):,}",
                ", ".join(f"{f} ({sum(f in s.flags for s in samples)})" for f in flags) or "none",
            ]
        )
    wanted = run.plan["connections"]
    columns = [
        "variant",
        "server CPU",
        "client CPU",
        "other programs",
        "forced switches/s",
        f"in flight (of {wanted})",
        "failed",
        f"flags (of {run.plan['launches'] * run.plan['blocks']} samples)",
    ]
    parts = [table(columns, rows, right=range(1, 7))]
    parts += [paragraph(f"{flag}: {evidence.EXPLAIN[flag]}") for flag in sorted(seen)]
    return total(parts)


def share(samples: Sequence[Sample], cpu: Callable[[Sample], float | None]) -> str:
    """CPU time as a share of one CPU, over all samples."""
    known = [(value, s.seconds) for s in samples if (value := cpu(s)) is not None]
    if not known:
        return "unknown"
    return f"{sum(value for value, _ in known) / sum(seconds for _, seconds in known):.0%}"


def switches(samples: Sequence[Sample]) -> str:
    """The server's involuntary context switches a second: how often it had to give up its CPU."""
    known = [(s.evidence["involuntary_switches"], s.seconds) for s in samples]
    known = [(count, seconds) for count, seconds in known if count is not None]
    if not known:
        return "unknown"
    return f"{sum(count for count, _ in known) / sum(seconds for _, seconds in known):,.0f}"


def in_flight(samples: Sequence[Sample]) -> str:
    """Little's law, median over the samples: throughput × mean latency."""
    values = [
        s.requests_per_second * s.latency_ms["mean"] / 1000
        for s in samples
        if s.latency_ms["mean"] is not None
    ]
    return f"{statistics.median(values):.1f}" if values else "unknown"


def floor(results: Results) -> Output:
    """The floor in a sentence."""
    if results.floor is None:
        return paragraph("Floor: unknown, the A/A copy of the baseline has no samples.")
    if results.floor.reach > MOST:
        return paragraph("Floor: unknown, two copies of the baseline were compared too few times.")
    measured = f"{percent(results.floor.ratio)} ({interval_text(results.floor)})"
    return paragraph(
        f"Floor: {judge.band_text(results.floor.reach)}. "
        f"Two copies of the baseline differed by {measured}; "
        "a difference under the floor means nothing."
    )


def verdicts(results: Results) -> Output:
    """One row a statement: published, measured, verdict, why."""
    rows = []
    for judgement in results.judgements:
        rows.append(
            [
                judgement.statement.says,
                percent(judgement.published) if judgement.published else "no size given",
                measured_text(judgement),
                marked(judgement.verdict),
                judgement.why + size_text(judgement),
            ]
        )
    columns = ["the article says", "published", "measured (95 %)", "verdict", "why"]
    return table(columns, rows)


def measured_text(judgement: Judgement) -> str:
    if len(judgement.tests) == 1:
        interval = judgement.tests[0].interval
        return f"{percent(interval.ratio)} ({interval_text(interval)})"
    if judgement.tau is not None:
        return f"τ = {judgement.tau:.2f}"
    return "—"


def size_text(judgement: Judgement) -> str:
    """Whether the published size fits: direction and size are two answers."""
    if judgement.published_inside is None or not judgement.tests:
        return ""
    if judgement.published_inside:
        return "; the published size lies in the interval"
    larger = judgement.published > judgement.tests[0].interval.high
    return f"; the published size is {'larger' if larger else 'smaller'} than measured"


def headline(run: Run) -> Output:
    """What was raced, how long, and whether it is whole."""
    plan = run.plan
    side = run.pinning
    with_what = f"{run.tool['name']} {run.tool['version'] or ''}"
    if run.micro:
        turns = "blocks are" if plan.get("interleaved") else "launches take turns"
        page = run.page and run.tool["name"] == "Chromium"
        pins = f"a {'page' if page else 'process'} each, {turns} in random order"
    elif side["server"]:
        pins = f"server on CPU {numbers(side['server'])}, client on CPU {numbers(side['client'])}"
    else:
        pins = f"not pinned ({side['reason']})"
    if not run.micro:
        with_what += f" with {plan['connections']} connections"
    text = (
        f"{run.experiment['title']}: {plan['mode']}, {plan['launches']} launches × "
        f"{plan['blocks']} blocks × {len(plan['entries'])} entries of "
        f"{plan['sample_seconds']:g} s, "
        f"{with_what}, {pins}, seed {plan['seed']}"
    )
    if not run.complete:
        text += f"\nINCOMPLETE: {len(run.samples)} samples; {run.reason}"
    return paragraph(text)


def numbers(cpus: Sequence[int]) -> str:
    return ", ".join(map(str, cpus))


def summary(run: Run, results: Results) -> Output:
    """All that a race tells, in order."""
    parts = [headline(run), floor(results), ratios(run, results), *remarks(results)]
    return total([*parts, verdicts(results), paragraph(HOLM)])


def remarks(results: Results) -> list[Output]:
    """What the samples show beside their ratios: drift, outliers, disagreement."""
    return [paragraph(f"Look: {remark}.") for remark in results.remarks]


def total(parts: Sequence[Output]) -> Output:
    return Output(
        "\n\n".join(part.text for part in parts),
        "<div>" + "".join(p.html for p in parts) + "</div>",
    )
