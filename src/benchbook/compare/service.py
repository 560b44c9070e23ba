"""From the things that somebody wants compared to an answer, whichever way it was asked."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchbook.analysis.judging.judge import Results
from benchbook.compare import detect, programs_given
from benchbook.compare.question import DELTA, SECONDS, Question
from benchbook.model import plan
from benchbook.model.kinds.commands import WholeProcesses
from benchbook.model.kinds.http import Http
from benchbook.model.kinds.kind import Kind
from benchbook.model.runs import Run
from benchbook.model.variants import Mode, Variant
from benchbook.race import service
from benchbook.race.options import Options, RaceRequest
from benchbook.race.service import Audience
from benchbook.race.warming import WarmUp

WARMUP_SECONDS = 0.2  # of what needs no load generator
LAUNCH_SECONDS = 10.0  # of a launch, about
FEWEST_BLOCKS = 2  # of a launch


@dataclass(frozen=True)
class ComparisonRequest:
    """What is wanted. things: files, addresses and commands as they were typed, the first of which
    the others are compared with; kind: one of detect.KINDS, '' for what they seem to be.

    delta: the smallest difference that matters, as a share; seconds: how long to race; path: what
    servers are asked; answers: how far theirs must be alike (programs/parity.py); options: of the
    race; folder: where paths begin.
    """

    things: tuple[str, ...]
    kind: str = ""
    delta: float = DELTA
    seconds: float = SECONDS
    path: str = "/"
    answers: str = "body"
    options: Options = field(default_factory=Options)
    anyway: bool = False
    folder: Path = field(default_factory=Path.cwd)


@dataclass(frozen=True)
class Comparison:
    """What came out: the question, its race, and what that says."""

    question: Question
    run: Run
    results: Results


def compare(wanted: ComparisonRequest, audience: Audience) -> Comparison:
    """Find out what the things are, race them, and judge.

    Raises InputError for what can't be compared, else as service.race does.
    """
    with asked(wanted, audience) as question:
        request = RaceRequest(anyway=wanted.anyway)
        run, results = service.race(question.experiment(), request, wanted.options, audience)
    return Comparison(question, run, results)


@contextmanager
def asked(wanted: ComparisonRequest, audience: Audience) -> Iterator[Question]:
    """The question, whose things are there as long as the context lasts."""
    with ExitStack():
        kind, variants = things(wanted)
        mode = mode_of(kind, wanted.seconds, len(variants) + 1)
        yield Question(kind, tuple(variants), mode, wanted.folder, wanted.delta)


def things(wanted: ComparisonRequest) -> tuple[Kind, Sequence[Variant]]:
    """What is compared, and of which kind it is. Raises InputError."""
    words, folder = wanted.things, wanted.folder
    kind = detect.kind_of(words, wanted.kind, folder)
    if kind == detect.SERVERS:
        connections = wanted.options.connections or Http.connections
        return (
            Http(path=wanted.path, connections=connections, answers=wanted.answers),
            programs_given.variants(words, folder),
        )
    return WholeProcesses(), programs_given.variants(words, folder)


def mode_of(kind: Kind, seconds: float, entries: int) -> Mode:
    """How a race of so many seconds is divided: three launches, more in a longer one, whose blocks
    fill the time. entries: what is raced, with the copy of the first."""
    launches = min(plan.MOST_LAUNCHES, max(plan.FEWEST_LAUNCHES, round(seconds / LAUNCH_SECONDS)))
    usual = Mode(seconds, max(0.05, kind.shortest_sample_seconds), WARMUP_SECONDS, launches)
    if not kind.under_load:
        return usual
    needed = plan.Needed.of(entries, plan.CONTINUOUS_BLOCK_SECONDS, WarmUp(entries).expected, True)
    left = seconds / launches - needed.launch
    return replace(usual, blocks=max(FEWEST_BLOCKS, int(left / needed.block)))
