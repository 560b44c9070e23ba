"""From the things that somebody wants compared to an answer, whichever way it was asked."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchbook.analysis.judging.judge import Results
from benchbook.analysis.judging.stopping import Asked
from benchbook.compare import answers, commands, detect, functions, methods, programs_given
from benchbook.compare.commands import CommandOptions
from benchbook.compare.given import expanding
from benchbook.compare.given.asked import Given
from benchbook.compare.given.expanding import Placed
from benchbook.compare.question import DELTA, NAME, Question, judged
from benchbook.compare.servers import addresses
from benchbook.model import claims, plan
from benchbook.model.experiments import Experiment
from benchbook.model.kinds.commands import WholeProcesses
from benchbook.model.kinds.functions import Functions
from benchbook.model.kinds.http import Http
from benchbook.model.kinds.kind import Kind
from benchbook.model.runs import Run
from benchbook.model.variants import Mode, Variant
from benchbook.race import limits, service
from benchbook.race.options import Options, RaceRequest
from benchbook.race.service import Audience
from benchbook.race.warming import WarmUp
from benchbook_kernels.base.errors import InputError

# How long a race is where nobody says it: with what is built before, within 40 seconds.
SECONDS = {
    detect.SERVERS: 30.0,
    detect.FUNCTIONS: 20.0,
    detect.METHODS: 15.0,
    detect.COMMANDS: 25.0,
}
WARMUP_SECONDS = 0.2  # of what needs no load generator
LAUNCH_SECONDS = 10.0  # of a launch, about
FEWEST_BLOCKS = 2  # of a launch
WARM_MARGIN = 1.25  # times what a launch takes beside its blocks: heavy servers warm up longer
WORTH_BLOCKS = 5  # that a launch has then, where its length is not ten seconds anyway
NOT_RACED = Mode(LAUNCH_SECONDS, 0.0)
TURN_SECONDS = 1.0  # of a server that is loaded alone: many times as long as an answer takes


@dataclass(frozen=True)
class ComparisonRequest:
    """What is wanted. things: files, addresses and commands as they were typed, the first of which
    the others are compared with; kind: one of detect.KINDS, '' for what they seem to be.

    delta: the smallest difference that matters, as a share; seconds: how long to race, None for as
    long as is usual; path: what servers are asked; answers: how far theirs must be alike
    (programs/parity.py); options: of the race; undecided: what else is to be decided by it; inputs:
    a module of values that functions are called with; given: what each program is given besides;
    typed_as: how commands are run; pids: of servers that run already; folder: where paths begin.
    """

    things: tuple[str, ...]
    kind: str = ""
    delta: float = DELTA
    seconds: float | None = None
    path: str = "/"
    answers: str = "body"
    options: Options = field(default_factory=Options)
    anyway: bool = False
    inputs: Path | None = None
    given: Given = Given()
    typed_as: CommandOptions = CommandOptions()
    pids: tuple[int, ...] = ()
    folder: Path = field(default_factory=Path.cwd)
    undecided: Asked | None = None


@dataclass(frozen=True)
class ComparisonOutcome:
    """What came out: the question, its race, and what that says."""

    question: Question
    run: Run
    results: Results


def compare(wanted: ComparisonRequest, audience: Audience) -> ComparisonOutcome:
    """Find out what the things are, race them, and judge.

    Raises InputError for what can't be compared, else as service.race does.
    """
    with asked(wanted, audience) as (question, notes):
        request = RaceRequest(anyway=wanted.anyway)
        within = None if wanted.options.until else question.mode.budget_seconds
        options = replace(wanted.options, most=limits.read().lengths, within=within)
        run, _ = service.race(question.experiment(), request, options, audience, wanted.undecided)
        if notes:
            run.messages += notes
            run.save()
    return ComparisonOutcome(question, run, judged(run))


def commands_of(wanted: ComparisonRequest) -> CommandOptions:
    """How commands are run: what sets up a checkout or packages is no set-up of each command."""
    if wanted.given.git or wanted.given.npm:
        return replace(wanted.typed_as, setup="")
    return wanted.typed_as


@contextmanager
def asked(
    wanted: ComparisonRequest, audience: Audience
) -> Iterator[tuple[Question, Sequence[str]]]:
    """The question, whose things are there as long as the context lasts, and what a reader should
    know of them."""
    say, given = audience.say, wanted.given
    addresses.check(wanted.things, wanted.pids, given)
    with expanding.places(wanted.things, given, say, wanted.folder) as places:
        named = {kind_in(wanted, each): each for each in places}
        called = next(iter(named))
        check_options(wanted, called)
        if len(named) > 1:
            told = ", ".join(f"{' '.join(each.labels)}: {kind}" for kind, each in named.items())
            problem = f"is not the same in all places: {told}"
            raise InputError(" ".join(wanted.things), "", problem, "say what it is with --kind")
        seconds = (wanted.seconds or SECONDS[called]) * limits.read().share
        files = [methods.files(p.words, p.folder) for p in places if called == detect.METHODS]
        early = [variant for each in files for variant in each]  # known before they are built
        axes = expanding.asked(given, say, early) if early else []
        found = [things(wanted, called, each, say) for each in places]
        kind = found[0][0]
        there = zip(places, (variants for _, variants in found), strict=True)
        programs = [variant for _, variants in found for variant in variants]
        axes = axes if early else expanding.asked(given, say, programs)
        variants = expanding.expanded(list(there), axes)
        notes: Sequence[str] = []
        if isinstance(kind, Functions):
            notes = answers.check(kind, variants, wanted.answers == "any", say)
            made_of = methods if called == detect.METHODS else functions
            mode = made_of.mode(seconds, len(variants) + 1)
        else:
            if isinstance(kind, WholeProcesses):  # the names are known now
                kind = commands.kind(variants, commands_of(wanted))
            mode = mode_of(kind, seconds, len(variants) + 1)
            if kind.under_load and (least := shortest(mode, len(variants) + 1)) > seconds:
                say(f"the shortest race of these takes about {least:.0f} s")
        yield Question(kind, tuple(variants), mode, wanted.folder, wanted.delta), notes


def kind_in(wanted: ComparisonRequest, place: Placed) -> str:
    """What the things in a place are, one of detect.KINDS: commands, where a sweep makes them.
    Raises InputError."""
    if wanted.typed_as.is_sweep and not wanted.kind:
        return detect.COMMANDS
    return detect.kind_of(place.words, wanted.kind, place.folder)


def check_options(wanted: ComparisonRequest, kind: str) -> None:
    """Raises InputError for options that are given for something else than what they are for."""
    flags = commands_of(wanted).given_flags()
    if kind != detect.COMMANDS and flags:
        problem = f"is for commands, but these are {kind}"
        raise InputError(flags[0], "", problem, "leave it out, or give commands in quotes")
    if wanted.inputs and kind != detect.FUNCTIONS:
        problem = f"is for functions in JavaScript, but these are {kind}"
        raise InputError("--with", "", problem, "leave it out")
    if wanted.options.until and (wanted.typed_as.runs or wanted.typed_as.max_runs):
        flag = "--runs" if wanted.typed_as.runs else "--max-runs"
        problem = "goes against --until, which takes as many runs as it needs"
        raise InputError(flag, "", problem, "leave one of them out")


def things(
    wanted: ComparisonRequest, called: str, place: Placed, say: Callable[[str], None]
) -> tuple[Kind, Sequence[Variant]]:
    """What is compared in a place, and of which kind it is: one of detect.KINDS. Raises
    InputError."""
    words, folder = place.words, place.folder
    if called == detect.FUNCTIONS:
        return functions.variants(words, wanted.inputs, folder)
    if called == detect.METHODS:
        return methods.variants(words, say, folder)
    if called == detect.COMMANDS:
        return WholeProcesses(), commands.variants(words, wanted.typed_as, folder)
    connections = wanted.options.connections or Http.connections
    kind = Http(path=wanted.path, connections=connections, answers=wanted.answers)
    if addresses.are_addresses(words):
        return addresses.kind(kind, wanted.pids), addresses.variants(words, wanted.pids)
    return kind, programs_given.variants(words, folder)


def named(words: Sequence[str], folder: Path) -> Question:
    """What would be compared, by the names of programs that are not raced yet."""
    variants = programs_given.variants(words, folder)
    return Question(WholeProcesses(), tuple(variants), NOT_RACED, folder)


def unasked(folder: Path) -> Experiment:
    """An experiment of which it is not known yet what is compared."""
    return Experiment(
        name=NAME,
        folder=folder,
        title="your own question",
        question="",
        claim=claims.none("your own question", folder / NAME),
        baseline="",
        kind=WholeProcesses(),
        modes={"quick": NOT_RACED, "full": NOT_RACED},
        variants=(),
        in_place=True,
        delta=DELTA,
    )


def shortest(mode: Mode, entries: int) -> float:
    """How long a race of servers takes that is divided so, in seconds."""
    needed = needed_of(entries)
    return (mode.launches or 1) * (needed.launch + (mode.blocks or 0) * needed.block)


def needed_of(entries: int) -> plan.Needed:
    """What a launch of so many servers needs that are loaded together."""
    warmth = WarmUp(entries, continuous=True).expected
    return plan.Needed.of(entries, plan.CONTINUOUS_BLOCK_SECONDS, warmth, True)


def mode_of(kind: Kind, seconds: float, entries: int) -> Mode:
    """How a race of so many seconds is divided: three launches, more in a longer one, whose blocks
    fill the time. entries: what is raced, with the copy of the first."""
    if isinstance(kind, Functions):
        return functions.mode(seconds, entries)
    usual = Mode(seconds, max(0.05, kind.shortest_sample_seconds), WARMUP_SECONDS)
    usual = replace(usual, launches=launches_in(seconds, LAUNCH_SECONDS))
    if not kind.under_load:
        return usual
    if not (isinstance(kind, Http) and kind.loads_together):
        return replace(usual, sample_seconds=TURN_SECONDS)
    needed = needed_of(entries)
    worth = WARM_MARGIN * needed.launch + WORTH_BLOCKS * needed.block
    launches = launches_in(seconds, max(LAUNCH_SECONDS, worth))
    left = seconds / launches - needed.launch
    blocks = max(FEWEST_BLOCKS, int(left / needed.block))
    return replace(usual, launches=launches, blocks=blocks)


def launches_in(seconds: float, each: float) -> int:
    """How many launches of so many seconds each a race has."""
    return min(plan.MOST_LAUNCHES, max(plan.FEWEST_LAUNCHES, round(seconds / each)))
