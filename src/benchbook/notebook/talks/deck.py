"""`./bench export --slides FILE`: a talk about each notebook, in one page that needs no network.

Every talk goes the way of its notebook: question, claim, guess, plot, verdict, for each experiment;
then its picture, and the quiz's question about a plot. Plots and verdicts are those of recorded
races (data/runs; of an experiment elsewhere, of the own race that counts), drawn as pictures, so
that the page holds no plotly.js.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from benchbook.analysis.judging import judge
from benchbook.analysis.judging.judge import Judgement, Results
from benchbook.model import picker
from benchbook.model.experiments import Experiment
from benchbook.model.runs import Run
from benchbook.notebook.headless import choosing, execute
from benchbook.notebook.quiz import cards, pictures, questions
from benchbook.notebook.quiz.questions import QuizQuestion
from benchbook.notebook.talks import talk
from benchbook.notebook.talks.talk import Act, Talk
from benchbook.show import embed, markup
from benchbook.show.cards import race_cards
from benchbook.show.embed import Figure
from benchbook.show.markup import Output, bullets, folded, heading, paragraph, table, total
from benchbook.show.pictures import diagrams
from benchbook.show.wording import answer, size_text
from benchbook.system import paths
from benchbook_kernels.base.files import write_atomically

T = TypeVar("T")
STATEMENTS, GUESSES, ENTRIES = 4, 6, 9  # on one slide
ABOVE_PX = 28  # above a plot, for what the band is
HOW_MUCH = "Faster or slower, and by how many per cent? Write it down, with your reason."


@dataclass(frozen=True)
class TalkSlide:
    """One slide: its kind, by which styles know it; what it is headed; HTML below that."""

    kind: str
    title: str
    body: str


def write(out: Path, names: Sequence[str]) -> int:
    """Write the page of these notebooks' talks (all where none is named); returns the number of
    slides. Raises InputError where a notebook, claim or recorded race is wrong."""
    recorded = picker.reference_runs()
    talks = [talk.of(path.stem, execute.read(path)) for path in choosing.choose(names)]
    shown = [(each, list(slides(each, recorded))) for each in talks]
    write_atomically(out, render(shown))
    return sum(len(some) for _, some in shown)


def render(talks: Sequence[tuple[Talk, Sequence[TalkSlide]]]) -> str:
    style = f"{embed.asset('deck.css')}\n{embed.asset('figure.css')}"
    script = embed.asset("deck.js")
    return markup.fill(
        "talks/deck.html.j2", title="Benchbook: slides", style=style, script=script, talks=talks
    )


def slides(given: Talk, recorded: Mapping[str, Run]) -> Iterator[TalkSlide]:
    """The slides of a talk. recorded: races by experiment."""
    yield TalkSlide("question", given.title, paragraph(given.question).html)
    for act in given.acts:
        yield from act_slides(act, recorded)
    if given.picture:
        shown = diagrams.shown(given.picture)
        yield TalkSlide("picture", diagrams.title(given.picture), shown.html)
    path = questions.OF_OWN_QUESTIONS
    if given.acts:
        path = questions.file_of(given.acts[0].experiment)
    if path.is_file():
        yield from quiz_slides(list(questions.load(path).questions.values()))


def act_slides(act: Act, recorded: Mapping[str, Run]) -> Iterator[TalkSlide]:
    """Claim, guess, plot and verdict of an experiment; the last two where a race is recorded."""
    experiment = act.experiment
    yield claim_slide(experiment)
    yield from guess_slides(act)
    run = recorded.get(experiment.name) or picker.own_run(experiment)
    if run is None:
        return
    results = judge.judge(run, experiment.claim)
    figure = pictures.neutral(pictures.with_entries(run, chosen(act, run)))
    yield TalkSlide(
        "plot", f"The plot: {experiment.title}", drawn(figure, legend(run)) + recorded_on(run)
    )
    for found in in_parts([j for j in results.judgements if not j.absent], STATEMENTS):
        body = verdict_table(found, results).html + race_cards.control(results).html
        yield TalkSlide("verdict", f"The verdict: {experiment.title}", body + recorded_on(run))


# ── One kind of slide each ───────────────────────────────────────────────────────────────────────


def claim_slide(experiment: Experiment) -> TalkSlide:
    """What the article says, where; what is asked where there is none."""
    said = experiment.claim
    if not said.name:
        body = total([paragraph(experiment.question), paragraph(said.summary)])
        return TalkSlide("claim", experiment.title, body.html)
    source = said.source
    author = f" by {source.author}" if source.author else ""
    origin = f"Article {source.article}{author}: {source.title} ({source.year or 'undated'})"
    shown = total([heading(said.title), paragraph(said.summary.strip()), paragraph(origin)])
    return TalkSlide("claim", f"The claim: {experiment.title}", shown.html)


def guess_slides(act: Act) -> Iterator[TalkSlide]:
    """What the class guesses before it sees anything; a question in words has its own slide."""
    experiment = act.experiment
    titles = {variant.name: variant.title for variant in experiment.variants}
    in_words = questions.in_words_of(experiment)
    of_variants = [each for each in act.asked if each.name not in in_words]
    for some in in_parts(of_variants, GUESSES):
        lines = [
            f"{each.name}: {titles.get(each.name, each.name)}"
            + (f", compared with {each.to}" if each.to else "")
            for each in some
        ]
        base = experiment.baseline
        against = paragraph(f"Compared with {base}: {titles.get(base, base)}")
        body = total([against, bullets(lines), paragraph(HOW_MUCH)])
        yield TalkSlide("guess", f"Your guess: {experiment.title}", body.html)
    for each in act.asked:
        if question := in_words.get(each.name):
            yield question_slide("guess", question)


def quiz_slides(asked: Sequence[QuizQuestion]) -> Iterator[TalkSlide]:
    """The questions about a plot of a recorded race: what may you say?"""
    for question in asked:
        shown = question.picture
        if shown and (paths.references() / shown.run).is_file():
            run = pictures.chosen(shown)
            below = legend(run) if shown.plot == "ratios" else run.kind.described(run)
            yield question_slide("quiz", question, drawn(pictures.neutral(run, shown.plot), below))


def question_slide(kind: str, question: QuizQuestion, above: str = "") -> TalkSlide:
    """A question with its choices; the answer is folded, so that it is asked first."""
    why = paragraph(question.why[question.right])
    told = paragraph(f"✔ {cards.lettered(question, question.right)}") + why
    body = cards.choices(question) + folded("The answer", told)
    return TalkSlide(kind, question.asks, above + body.html)


def verdict_table(found: Sequence[Judgement], results: Results) -> Output:
    """What became of some statements, without the numbers behind it."""
    rows = [
        [
            answer(each),
            each.statement.says,
            race_cards.measured_text(each, results.baseline),
            size_text(each, results.baseline) or "—",
        ]
        for each in found
    ]
    return table(["verdict", "the article says", "measured (95 %)", "size"], rows)


# ── Parts ────────────────────────────────────────────────────────────────────────────────────────


def chosen(act: Act, run: Run) -> tuple[str, ...]:
    """The entries of a plot: those that were guessed, then those that statements name, as many as a
    slide has room for; () for all where that is few enough."""
    if len(run.entries) <= ENTRIES:
        return ()
    guessed = [name for each in act.asked for name in (each.name, each.to)]
    stated = [name for s in act.experiment.claim.statements for name in s.names]
    wanted = dict.fromkeys([*guessed, *stated, *(e.name for e in run.entries)])
    here = {e.name for e in run.entries if e.role == "variant"}
    return tuple(name for name in wanted if name in here)[: ENTRIES - 2]


def drawn(figure: Figure, below: str) -> str:
    """A figure as a picture without its title, which the slide has; below: what is drawn. Its
    numbers are there for those who don't see it."""
    layout = figure.plotly["layout"]
    margin = {**layout["margin"], "t": ABOVE_PX}
    height = layout["height"] - layout["margin"]["t"] + ABOVE_PX
    bare = {**layout, "margin": margin, "height": height, "title": {**layout["title"], "text": ""}}
    return replace(figure, plotly={**figure.plotly, "layout": bare}).still_html(below)


def legend(run: Run) -> str:
    """What a plot of a race shows, in a line."""
    return f"● difference to {run.baseline} with its 95 % interval; {run.kind.described(run)}"


def recorded_on(run: Run) -> str:
    """When and on what a race was recorded, as HTML."""
    cpu = run.machine.get("cpu", {})
    where = f"{cpu.get('model') or 'an unnamed CPU'}, {cpu.get('usable_cores')} cores"
    entries = sum(entry.status == "raced" for entry in run.entries)
    text = f"A recorded race of {entries} programs, {run.started[:10]}, on {where}."
    return f"<footer>{paragraph(text).html}</footer>"


def in_parts(items: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    """So many at a time, as evenly as it goes."""
    parts = -(-len(items) // most)
    for i in range(parts):
        yield items[i * len(items) // parts : (i + 1) * len(items) // parts]
