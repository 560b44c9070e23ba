"""What a claim says, and what a race measured: the claim card, ratios, floor and verdicts."""

import statistics
from collections.abc import Mapping, Sequence

from benchbook.analysis.judge import Judgement, Results
from benchbook.analysis.stats import Interval
from benchbook.analysis.verdicts import band_text
from benchbook.model.experiments import Experiment
from benchbook.model.runs import Entry, Run
from benchbook.show.markup import Output, heading, paragraph, table, total
from benchbook.show.wording import (
    LARGEST_FACTOR,
    duration,
    interval_text,
    marked,
    percent,
    ratio_text,
)
from benchbook.system import paths

HOLM = "Several statements are judged at once: p-values are corrected by Holm's method."


# ── The claim ────────────────────────────────────────────────────────────────────────────────────


def claim(experiment: Experiment, unavailable: Mapping[str, str]) -> Output:
    """The claim card: what was said, where, with which figures, and what races here.

    unavailable: the reason for each variant that can't run on this machine, '' for the others.
    """
    said = experiment.claim
    source = said.source
    author = f" by {source.author}" if source.author else ""
    written = f"{source.language}, {source.year or 'undated'}"
    origin = f"Article {source.article}{author}: {source.title} ({written})"
    parts = [
        heading(f"{experiment.number} · {experiment.title}"),
        paragraph(experiment.question),
        paragraph(f"The claim: {said.title}"),
        paragraph(said.summary.strip()),
        paragraph(f"{origin}. Software: {source.software or 'not stated'}. How: {source.method}."),
    ]
    if said.figures:
        parts += [heading("Published figures"), published_figures(experiment)]
    rows = [[s.says, s.place] for s in said.statements]
    parts += [heading("Statements that the race judges"), table(["statement", "where"], rows)]
    parts += [heading(f"Variants, in {paths.relative(experiment.home.resolve())}")]
    return total([*parts, variants_table(experiment, unavailable)])


def published_figures(experiment: Experiment) -> Output:
    """The article's figures, each with the variant that stands for it here."""
    rows = [
        [f.label, f"{f.value:,.10g}", f.unit, f.variant or "—", f.place]
        for f in experiment.claim.figures
    ]
    return table(["in the article", "figure", "unit", "variant here", "where"], rows, right=[1])


def variants_table(experiment: Experiment, unavailable: Mapping[str, str]) -> Output:
    """The variants with their files, and whether they can run here."""
    home = experiment.home.resolve()
    rows = [
        [v.name, v.title, v.path.relative_to(home).as_posix(), unavailable.get(v.name) or "ready"]
        for v in experiment.variants
    ]
    return table(["variant", "what it is", "file", "on this machine"], rows)


# ── Ratios ───────────────────────────────────────────────────────────────────────────────────────


def ratios(run: Run, results: Results, guesses: Mapping[str, float] = {}) -> Output:
    """Every entry with its median speed, its ratio to the baseline, and the reader's guess."""
    rows = []
    for entry in run.entries:
        interval = results.ratios.get(entry.name)
        median = results.medians.get(entry.name)
        rows.append(
            [
                entry.name + (" (edited)" if entry.edited else ""),
                f"{median:,.0f}" if median else "—",
                percent(interval.ratio) if interval else "",
                interval_text(interval) if interval else "",
                *([guess_text(entry.name, guesses, interval)] if guesses else []),
                entry_note(entry),
            ]
        )
    yours = ["your guess"] if guesses else []
    columns = ["variant", run.unit, "to baseline", "95 % interval", *yours, ""]
    if not run.counts_requests:
        add_times(columns, rows, run, results)
    return table(columns, rows, right=range(1, len(columns) - 1))


def entry_note(entry: Entry) -> str:
    """What is special about an entry: that it did not race, or its role."""
    if entry.status == "unavailable":
        return f"unavailable: {entry.reason}"
    if entry.status == "failed":
        return f"failed: {entry.short_reason}"
    return entry.reason or {"baseline": "baseline", "floor": "the floor"}.get(entry.role, "")


def add_times(columns: list[str], rows: list[list[str]], run: Run, results: Results) -> None:
    """Add columns for a benchmark: the time of an operation, and what it allocates or its parts."""
    kinds = part_kinds(run)
    columns[2:2] = ["time", *(kinds or ["allocated"])]
    allocated = run.allocated_bytes or {}
    for entry, row in zip(run.entries, rows):
        speed = results.medians.get(entry.name)
        parts = part_times(run, entry.name)
        if kinds:
            more = [duration(parts[kind] * 1e6) if kind in parts else "—" for kind in kinds]
        else:
            more = [f"{allocated[entry.name]:,.0f} B" if entry.name in allocated else "—"]
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


# ── Guesses ──────────────────────────────────────────────────────────────────────────────────────


def guess_text(name: str, guesses: Mapping[str, float], interval: Interval | None) -> str:
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


# ── The race and its verdicts ────────────────────────────────────────────────────────────────────


def race_description(run: Run) -> Output:
    """What was raced, how long, and whether it is whole."""
    plan = run.plan
    with_what = f"{run.tool.name} {run.tool.version or ''}"
    if run.counts_requests:
        with_what += f" with {plan.connections} connections"
    text = (
        f"{run.experiment.title}: {plan.mode}, {plan.launches} launches × "
        f"{plan.blocks} blocks × {len(plan.entries)} entries of {plan.sample_seconds:g} s, "
        f"{with_what}, {where_it_ran(run)}, seed {plan.seed}"
    )
    if not run.complete:
        text += f"\nINCOMPLETE: {len(run.samples)} samples; {run.reason}"
    return paragraph(text)


def where_it_ran(run: Run) -> str:
    """The CPUs of both sides, or the processes of a benchmark."""
    if not run.counts_requests:
        turns = "blocks are" if run.plan.interleaved else "launches take turns"
        page = run.counts_loads and run.tool.name == "Chromium"
        return f"a {'page' if page else 'process'} each, {turns} in random order"
    side = run.pinning
    if side.server and side.client:
        return f"server on CPU {numbers(side.server)}, client on CPU {numbers(side.client)}"
    return f"not pinned ({side.reason})"


def numbers(cpus: Sequence[int]) -> str:
    return ", ".join(map(str, cpus))


def floor(results: Results) -> Output:
    """The floor in a sentence."""
    if results.floor is None:
        return paragraph("Floor: unknown, the A/A copy of the baseline has no samples.")
    if results.floor.reach > LARGEST_FACTOR:
        return paragraph("Floor: unknown, two copies of the baseline were compared too few times.")
    return paragraph(
        f"Floor: {band_text(results.floor.reach)}. "
        f"Two copies of the baseline differed by {ratio_text(results.floor)}; "
        "a difference smaller than the floor means nothing."
    )


def verdicts(results: Results) -> Output:
    """One row for each statement: published, measured, verdict, why."""
    rows = [
        [
            judgement.statement.says,
            percent(judgement.published) if judgement.published else "no size given",
            measured_text(judgement),
            marked(judgement.verdict),
            judgement.why + size_text(judgement),
        ]
        for judgement in results.judgements
    ]
    columns = ["the article says", "published", "measured (95 %)", "verdict", "why"]
    return table(columns, rows)


def measured_text(judgement: Judgement) -> str:
    """The ratio with its interval, or the τ of an order."""
    if len(judgement.tests) == 1:
        return ratio_text(judgement.tests[0].interval)
    if judgement.tau is not None:
        return f"τ = {judgement.tau:.2f}"
    return "—"


def size_text(judgement: Judgement) -> str:
    """Whether the published size fits: direction and size are two answers."""
    if judgement.published_inside is None or judgement.published is None or not judgement.tests:
        return ""
    if judgement.published_inside:
        return "; the published size lies in the interval"
    larger = judgement.published > judgement.tests[0].interval.high
    return f"; the published size is {'larger' if larger else 'smaller'} than measured"


def remark_notes(remarks: Sequence[str]) -> list[Output]:
    """Remarks as notes: what the samples show beside their ratios."""
    return [paragraph(f"Note: {remark}.") for remark in remarks]


def summary(run: Run, results: Results) -> Output:
    """All that a race tells, in order."""
    parts = [race_description(run), floor(results), ratios(run, results)]
    parts += remark_notes(results.remarks)
    return total([*parts, verdicts(results), paragraph(HOLM)])
