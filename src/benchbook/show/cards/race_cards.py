"""What a claim says, and what a race measured: the claim card, verdicts, ratios, the control."""

from collections.abc import Mapping, Sequence

from benchbook.analysis.judging.doubts import doubt
from benchbook.analysis.judging.judge import Judgement, Results
from benchbook.analysis.judging.verdicts import SMALLEST_EFFECT, TOO_CLOSE, band_text
from benchbook.analysis.statistics.exclusion import why_excluded
from benchbook.analysis.statistics.stats import Interval
from benchbook.model.experiments import Experiment
from benchbook.model.kinds.kind import Column
from benchbook.model.published import PublishedFigure
from benchbook.model.runs import CONTROL, Entry, Run
from benchbook.show import embed, pairs
from benchbook.show.cards.guess_cards import Guess, guess_text
from benchbook.show.markup import (
    Output,
    classed,
    folded,
    heading,
    more,
    note,
    paragraph,
    table,
    total,
)
from benchbook.show.wording import (
    advice,
    answer,
    interval_text,
    measured,
    percent,
    ratio_text,
    says_nothing,
    size_text,
    unbounded,
)
from benchbook.system import paths
from benchbook_kernels.base.words import counted

FOLDED = "What was published, with its figures: guess first, then look."
HOLM = (
    "p: how often equal programs would seem to differ so much; corrected, by Holm's method, "
    "because several statements are judged at once."
)


# ── The claim ────────────────────────────────────────────────────────────────────────────────────


def claim(
    experiment: Experiment, unavailable: Mapping[str, str], guess_first: bool = False
) -> Output:
    """The claim card: what was said, where, with which figures, and what races here.

    unavailable: the reason for each variant that can't run on this machine, '' for the others.
    guess_first: what was published is folded, for a reader who has not guessed yet.
    """
    said = experiment.claim
    end = [heading(f"Variants, in {paths.relative(experiment.home.resolve())}")]
    end = [more(total([*end, variants_table(experiment, unavailable)]))]
    first = [heading(f"{experiment.number} · {experiment.title}"), paragraph(experiment.question)]
    if not said.name:
        return for_slides(total([*first, paragraph(said.summary), *end]))
    source = said.source
    author = f" by {source.author}" if source.author else ""
    written = f"{source.language}, {source.year or 'undated'}"
    origin = f"Article {source.article}{author}: {source.title} ({written})"
    told = f"{origin}. Software: {source.software or 'not stated'}. How: {source.method}."
    summary, where = paragraph(said.summary.strip()), paragraph(told)
    first += [paragraph(f"The claim: {said.title}")]
    if not guess_first:
        return for_slides(total([*first, summary, where, *published(experiment), *end]))
    text = f"{FOLDED} %experiment {experiment.number} --show shows it at once."
    waits = Output(text, folded(FOLDED, total([summary, *published(experiment)])).html)
    return for_slides(total([*first, where, waits, *end]))


def published(experiment: Experiment) -> list[Output]:
    """What was said, with its figures, and which of it a race judges."""
    said = experiment.claim
    parts = []
    if said.figures:
        parts += [more(heading("Published figures") + published_figures(experiment))]
    rows = [[s.says, s.place] for s in said.statements]
    parts += [heading("Statements that the race judges"), table(["statement", "where"], rows)]
    if said.unjudged:
        rows = [[each.says, each.why, each.place] for each in said.unjudged]
        besides = table(["statement", "why not", "where"], rows)
        parts += [more(heading("What it says besides, which no race here judges") + besides)]
    return parts


def for_slides(shown: Output) -> Output:
    """An output that tells slides how to show what cells show."""
    return Output(shown.text, f"{shown.html}<style>{embed.asset('slides.css')}</style>")


def published_figures(experiment: Experiment) -> Output:
    """The article's figures, each with the variant that stands for it here."""
    rows = [
        [f.label, f"{f.value:,.10g}", f.unit, f.variant or "—", "; ".join([f.place, *remarks(f)])]
        for f in experiment.claim.figures
    ]
    return table(["in the article", "figure", "unit", "variant here", "where"], rows, right=[1])


def remarks(figure: PublishedFigure) -> list[str]:
    """What must be known of a published figure: a note, and why it is excluded, where it is."""
    void = f"excluded by our own rules: {figure.void}" if figure.void else ""
    return list(filter(None, [figure.note, void]))


def variants_table(experiment: Experiment, unavailable: Mapping[str, str]) -> Output:
    """The variants with their files, and whether they can run here."""
    home = experiment.home.resolve()
    rows = [
        [v.name, v.title, v.path.relative_to(home).as_posix(), unavailable.get(v.name) or "ready"]
        for v in experiment.variants
    ]
    return table(["variant", "what it is", "file", "on this machine"], rows)


# ── Ratios ───────────────────────────────────────────────────────────────────────────────────────


def ratios(run: Run, results: Results, guesses: Mapping[str, Guess] = {}) -> Output:
    """Every entry with its median speed, its ratio to the baseline, and the reader's guess."""
    before = run.kind.columns(run)
    rows = []
    for entry in run.entries:
        interval = results.ratios.get(entry.name)
        if interval and run.kind.unclear(run) and says_nothing(interval):
            interval = None
        rows.append(
            [
                entry.name + (" (edited)" if entry.edited else ""),
                *(cell(run, column, entry.name, results) for column in before),
                percent(interval.ratio) if interval else "",
                interval_text(interval) if interval else "",
                *([guess_text(entry.name, guesses, results)] if guesses else []),
                note_of(run, results, entry),
            ]
        )
    yours = ["your guess"] if guesses else []
    columns = [
        "variant",
        *(column.heading for column in before),
        "to baseline",
        "95 % interval",
        *yours,
        "note",
    ]
    found = table(columns, rows, right=range(1, len(columns) - 1))
    return more(total([found, *remedies(run)]))


def note_of(run: Run, results: Results, entry: Entry) -> str:
    """What must be said of an entry in a table of ratios: why it has none, or of itself."""
    return results.unlike.get(entry.name) or exclusion_note(run, entry) or entry_note(entry)


def cell(run: Run, shown: Column, name: str, results: Results) -> str:
    """What a column says of an entry; "—" where nothing is known."""
    value = shown.value(name, results.medians.get(name))
    if value is None:
        return "—"
    bound = "≤ " if shown.at_most(name) else ""
    return bound + measured(value, shown.form, run.kind.rate_format)


def exclusion_note(run: Run, entry: Entry) -> str:
    """Why an entry's figures count for nothing; '' where they count."""
    found = why_excluded(run, entry.name) if entry.status == "raced" else ""
    return f"excluded: {found.partition('; ')[0]}" if found else ""


def entry_note(entry: Entry) -> str:
    """What is special about an entry: that it did not race, or its role."""
    if entry.status == "unavailable":
        return f"not run here: {entry.short_reason}"
    if entry.status == "failed":
        return f"failed: {entry.short_reason}"
    return entry.reason or {"baseline": "baseline", CONTROL: "control"}.get(entry.role, "")


def remedies(run: Run) -> list[Output]:
    """How to get what variants lack that could not race here, each on a line to be copied."""
    reasons = [e.reason.strip().splitlines() for e in run.entries if e.status == "unavailable"]
    lines = dict.fromkeys(line.strip(" →") for _, *more in filter(None, reasons) for line in more)
    if not lines:
        return []
    return [paragraph("For what was not run here:"), note("\n".join(lines))]


# ── The race and its verdicts ────────────────────────────────────────────────────────────────────


def race_description(run: Run) -> Output:
    """What was raced, how long, and whether it is whole; before it what speaks against it."""
    return total([*doubts(run), how_raced(run)])


def how_raced(run: Run) -> Output:
    """What was raced, how long, and whether it is whole."""
    plan = run.plan
    with_what = f"{run.tool.name} {run.tool.version or ''}".rstrip() + run.kind.loaded(run)
    launches, blocks = counted(plan.launches, "launch"), counted(plan.blocks, "block")
    samples = f"{launches} × {blocks} × {counted(len(plan.entries), 'entry')}"
    text = (
        f"{run.experiment.title}: {plan.mode}, {run.kind.described(run)}; {samples} of "
        f"{plan.sample_seconds:g} s, "
        f"{with_what}, {run.kind.placed(run)}, seed {plan.seed}{software_text(run)}"
    )
    if not run.complete:
        text += f"\nINCOMPLETE: {counted(len(run.samples), 'sample')}; {run.reason}"
    return paragraph(text)


def doubts(run: Run) -> list[Output]:
    """What must be known before a verdict: that most samples are of a machine that was not free."""
    found = doubt(run)
    return [note(f"! {found}")] if found else []


def software_text(run: Run) -> str:
    """What the programs ran with, and in which versions; '' in run files that do not say it."""
    used = dict.fromkeys(each for e in run.entries if e.status == "raced" for each in e.software)
    return f"; with {', '.join(used)}" if used else ""


def control(results: Results) -> Output:
    """The control in a sentence: how much two copies of the baseline seemed to differ."""
    if results.control is None:
        return paragraph("Control: unknown, the second copy of the baseline has no samples.")
    return paragraph(control_text(results.control, "the baseline"))


def control_text(found: Interval, original: str) -> str:
    """What the ratio of two copies of the same program says of a race."""
    if unbounded(found):
        return f"Control: unknown, two copies of {original} were compared too few times."
    seen = f"Control: two copies of {original} differed by {ratio_text(found)}"
    if not found.low <= 1 <= found.high:
        return (
            f"{seen}, and should not: chance does that in one race of twenty, else something other "
            "than the programs moved the figures. Take differences of this size with care."
        )
    if found.half_width > SMALLEST_EFFECT:
        return (
            f"{seen}: no more than chance, but chance is large here, so small effects don't show."
        )
    return f"{seen}: as they should, nothing."


def verdicts(results: Results) -> Output:
    """The verdict on each statement, the answer on its size, and why; the numbers are folded.

    As text in three columns, so that a terminal is wide enough. Statements about programs that were
    left out of the race are counted only.
    """
    if not results.judgements:
        return paragraph("No claim: a plain comparison, with each program's ratio to the baseline.")
    absent = sum(judgement.absent for judgement in results.judgements)
    if absent and absent == len(results.judgements):
        return paragraph(left_out_text(absent))
    rows = [
        [
            answer(judgement),
            size_text(judgement, results.baseline) or "—",
            judgement.statement.says,
            measured_text(judgement, results.baseline),
            why_text(judgement),
        ]
        for judgement in results.judgements
        if not judgement.absent
    ]
    columns = ["verdict", "size", "the article says", "measured (95 %)", "why"]
    narrow = [[row[0], f"{row[3]}\n{row[1]}", f"{row[2]}\n→ {row[4]}"] for row in rows]
    text = table([columns[0], f"{columns[3]}\n{columns[1]}", f"{columns[2]}\n→ why"], narrow).text
    shown = classed("benchbook-verdicts", Output(text, table(columns, rows).html))
    if absent:
        shown = total([shown, paragraph(left_out_text(absent))])
    if not any(judgement.tests for judgement in results.judgements):
        return shown
    return shown + folded("How it was decided", verdict_details(results))


def judged(run: Run, results: Results) -> Output:
    """What a race says of each statement, after what must be known of it, and the control."""
    return total([*doubts(run), verdicts(results), control(results)])


def left_out_text(count: int) -> str:
    """That statements of the article are about programs that did not race."""
    said, verb = counted(count, "statement"), "is" if count == 1 else "are"
    return f"{said} of the claim {verb} about programs that were left out of this race."


def why_text(judgement: Judgement) -> str:
    """Why, and where a statement is not decided, what would decide it."""
    if judgement.verdict != TOO_CLOSE:
        return judgement.why
    return f"{judgement.why}; {advice(judgement.seconds_more)}"


def measured_text(judgement: Judgement, baseline: str) -> str:
    """The ratio with its interval and of what to what it is, or the τ of an order."""
    if pair := pairs.of(judgement, baseline):
        return f"{ratio_text(pair.interval)}\n{pair}"
    if judgement.tau is not None:
        return f"τ = {judgement.tau:.2f}"
    return "—"


def verdict_details(results: Results) -> Output:
    """The numbers behind the verdicts: a row for each pair that was compared."""
    rows = []
    for judgement in results.judgements:
        for test in judgement.tests:
            stated = judgement.published if len(judgement.tests) == 1 else None
            pair = pairs.tested(test, results.baseline, stated)
            published = percent(pair.published) if pair.published else "no size given"
            small, p = band_text(judgement.delta), f"{test.p_adjusted:.2g}"
            rows.append([str(pair), ratio_text(pair.interval), published, small, p])
    columns = ["compared", "measured (95 %)", "published", "too small to matter", "p"]
    once = list({tuple(row): row for row in rows}.values())
    return table(columns, once, right=[4]) + paragraph(HOLM)


def remark_notes(remarks: Sequence[str]) -> list[Output]:
    """Remarks as notes: what the samples show beside their ratios."""
    return [paragraph(f"Note: {remark}.") for remark in remarks]


def summary(run: Run, results: Results) -> Output:
    """All that a race tells, in order."""
    parts = [race_description(run), verdicts(results), ratios(run, results), control(results)]
    return total([*parts, *remark_notes(results.remarks)])
