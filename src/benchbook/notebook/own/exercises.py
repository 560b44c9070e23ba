"""The checks of a question of the reader's own: are there two programs, and do the sentences that
were written hold against the verdict? (see exercises.py)"""

import re
from collections.abc import Iterator

from benchbook.analysis.judging.judge import Judgement
from benchbook.analysis.judging.verdicts import NO_DIFFERENCE, NOT_VALID, TOO_CLOSE
from benchbook.compare import question
from benchbook.notebook.exercises import Missing, View, bare
from benchbook.show.cards import compare_cards

SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
NUMBER = re.compile(r"(\d+(?:[.,]\d+)?)\s*(%|per cent|percent|times|×|x\b)")
FASTER = re.compile(r"\b(faster|quicker|as fast as|cheaper|less CPU)\b", re.IGNORECASE)
SLOWER = re.compile(r"\b(slower|costlier|dearer|more CPU)\b", re.IGNORECASE)
EQUAL = re.compile(r"\b(no difference|equally|equal|the same|as fast as|makes no)\b", re.IGNORECASE)
OPEN = re.compile(
    r"\b(too close|open|can(no|['’])t (tell|say)|cannot tell|not sure|undecided|unknown)\b",
    re.IGNORECASE,
)
LIMIT = re.compile(r"\b(not|cannot|only|nothing|unknown|nobody|unless)\b|n['’]t\b", re.IGNORECASE)
COMPARED = r"(?:than|to|as|and|of|with|or|beats|between|program|variant)"
FEWEST, SHORTEST = 2, 5  # sentences; words of one that says a limit


def exercise_1(view: View) -> Iterator[str]:
    """Two programs that differ in the line that matters, a guess, and a race of both."""
    variants = view.experiment.variants
    if len(variants) < 2:
        raise Missing("Write two programs: the cells %%variant a and %%variant b.")
    codes = {" ".join(bare(variant.code).split()) for variant in variants}
    if len(codes) < len(variants):
        yield "The programs are still the same: write the line that matters, and run the cells."
    if not view.guesses:
        yield "Guess before you race: %predict b +10%, with a reason."
    view.raced(*(variant.name for variant in variants))


def exercise_2(view: View) -> Iterator[str]:
    """Two sentences that hold against the verdict, and say what it can't say."""
    variants = view.experiment.variants
    run = view.raced(*(variant.name for variant in variants)) if variants else None
    if run is None:
        raise Missing("Nothing was raced yet: run the cell with %race.")
    found = question.judged(run).judgements
    valid = [each for each in found if each.verdict != NOT_VALID and each.tests]
    if not valid:
        raise Missing("The race has no verdict: run its cell again.")
    sentences = [each for each in SENTENCES.split(view.sentences) if re.search(r"\w{2}", each)]
    if len(sentences) < FEWEST:
        raise Missing("Write two sentences in the cell %%claim, and run it.")
    judgement = about(sentences, valid)
    told = [each for each in sentences if names_both(each, judgement)]
    if not told:
        a, b = judgement.statement.names
        raise Missing(f"No sentence names both {a} and {b}: say which is compared with which.")
    yield from wrong(told[0], judgement)
    others = [each for each in sentences if each is not told[0]]
    if not any(LIMIT.search(each) and len(each.split()) >= SHORTEST for each in others):
        yield (
            "No sentence says what the race can't say: it is about this machine, these versions, "
            "this load and this job."
        )


def about(sentences: list[str], judgements: list[Judgement]) -> Judgement:
    """The pair that the sentences speak of; the first one, where that is not clear."""
    for judgement in judgements:
        if any(names_both(sentence, judgement) for sentence in sentences):
            return judgement
    return judgements[0]


def place(name: str, sentence: str) -> int:
    """Where a name stands in a sentence, -1 where it does not. "a" may be an article: a name of one
    letter counts as the subject, and where something is compared with it."""
    word = rf"({re.escape(name)})(?![\w-])"
    before = rf"(?:^|\b{COMPARED}\s+)[`*(\"']*" if len(name) == 1 else r"(?<![\w-])"
    match = re.search(before + word, sentence.strip())
    return match.start(1) if match else -1


def names_both(sentence: str, judgement: Judgement) -> bool:
    return all(place(name, sentence) >= 0 for name in judgement.statement.names)


def wrong(sentence: str, judgement: Judgement) -> Iterator[str]:
    """What a sentence says otherwise than the verdict, or leaves out."""
    a, b = judgement.statement.names
    said = f"the race says: {compare_cards.line(judgement)}"
    if judgement.verdict == TOO_CLOSE:
        if not OPEN.search(sentence):
            yield f"The first sentence decides what the race did not; {said}."
        return
    if judgement.verdict == NO_DIFFERENCE:
        if not EQUAL.search(sentence):
            yield f"The first sentence does not say that there is no difference; {said}."
        return
    turned = place(b, sentence) < place(a, sentence)
    found = judgement.tests[0].interval
    ends = (1 / found.high, 1 / found.low) if turned else (found.low, found.high)
    faster, slower = bool(FASTER.search(sentence)), bool(SLOWER.search(sentence))
    if faster == slower:
        yield f"Say who is faster, or slower: {said}."
        return
    if faster != ((found.ratio > 1) is not turned):
        yield f"The direction is the wrong way round: {said}."
        return
    if not (sizes := NUMBER.findall(sentence)):
        yield f"Say by how much: {said}."
    elif not any(inside(number, unit, ends, faster) for number, unit in sizes):
        yield f"The size lies outside of the interval: {said}."


def inside(number: str, unit: str, ends: tuple[float, float], faster: bool) -> bool:
    """Does a size lie in the interval of a ratio, as far as it was rounded?"""
    digits = number.replace(",", ".")
    half = 0.5 * 10 ** -len(digits.partition(".")[2])
    low, high = float(digits) - half, float(digits) + half
    if unit in ("%", "per cent", "percent"):
        low, high = (1 + low / 100, 1 + high / 100) if faster else (1 - high / 100, 1 - low / 100)
    elif not faster:  # "2 times slower"
        low, high = 1 / high, 1 / max(low, 1e-9)
    return bool(low <= ends[1] and high >= ends[0])
