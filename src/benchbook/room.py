"""A room of machines: the run files of many attendees, and what they say together.

Takes run files and the files of `./bench share`. A file that can't be used costs nobody else's
answer: it is named with the reason. Reads files, measures nothing.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchbook import documents, judge, paths, pooling, results, stats
from benchbook.errors import BenchError, InputError
from benchbook.pooling import Pooled
from benchbook.results import Entry, Run, Sample
from benchbook.stats import Interval

SHARED = "benchbook-share/1"

AGREES = "agrees"
ON_AVERAGE = "agrees on average"
DISAGREES = "disagrees"
UNTOLD = "can't tell yet"
ALONE = "alone"

SLOWEST, FASTEST = 1e-9, 1e15  # a second; beyond them a file is wrong, not a machine

UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")

Pair = tuple[str, str]  # the variant a compared with b


@dataclass(frozen=True)
class Reading:
    """What one machine says of one variant; pilot as in stats.interval."""

    interval: Interval
    pilot: int | None

    @property
    def log(self) -> float:
        return math.log(self.interval.ratio)

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the spread: one less than the launches that tell it."""
        return min(self.pilot or self.interval.launches, self.interval.launches) - 1

    @property
    def spread(self) -> float:
        """The variance of the launches' log ratios, from the width of Student's interval."""
        half = (math.log(self.interval.high) - math.log(self.interval.low)) / 2
        quantile = stats.t_quantile(self.interval.level, self.freedom + 1)
        return self.interval.launches * (half / quantile) ** 2


@dataclass(frozen=True)
class Told:
    """A machine's verdict on a statement; pair: what it compares, None where that is not a pair."""

    says: str
    verdict: str
    pair: Pair | None


@dataclass(frozen=True)
class Machine:
    """One attendee's run of one experiment.

    name: the attendee's code where the file was made by `./bench share`, else the file's name.
    floor: as a share; readings: by variant, to the baseline; verdicts: by statement; pairs: of two
    variants of which a statement speaks; left_out: why a variant of this run is not used.
    """

    name: str
    file: str
    shared: bool
    run: Run
    floor: float
    readings: Mapping[str, Reading]
    verdicts: Mapping[str, Told]
    pairs: Mapping[Pair, Reading]
    left_out: Mapping[str, str]


@dataclass(frozen=True)
class Skipped:
    """A file, or one run in it, that is not used, and why."""

    file: str
    reason: str


@dataclass(frozen=True)
class Line:
    """What the room says of one variant: `answer` in a word, `why` in a sentence."""

    name: str
    machines: tuple[Machine, ...]
    pooled: Pooled | None
    answer: str
    why: str


@dataclass(frozen=True)
class Tally:
    """A statement: how often each verdict was given, and the ratio that it is about, pooled; line
    is None for a statement about more than one pair."""

    says: str
    counts: Counter[str]
    line: Line | None


@dataclass(frozen=True)
class Room:
    """All machines' runs of one experiment.

    floor: the median of theirs, as a share; copies: their A/A ratios pooled, which tells how much
    two equal programs differ on all machines together.
    lines: one a variant; tallies: one a statement.
    """

    experiment: str
    title: str
    baseline: str
    unit: str
    floor: float
    copies: Pooled | None
    machines: tuple[Machine, ...]
    lines: tuple[Line, ...]
    tallies: tuple[Tally, ...]
    remarks: tuple[str, ...]


# ── Files ────────────────────────────────────────────────────────────────────────────────────────


def gather(places: Iterable[Path]) -> tuple[list[Machine], list[Skipped]]:
    """The usable runs in files and folders, and what was skipped.

    Raises InputError for a path that does not exist.
    """
    found: list[Machine] = []
    skipped: list[Skipped] = []
    for path in files(places):
        where = paths.relative(path)
        try:
            document = read(path, where)
            attendee, parts = runs_in(document, where)
            for part in parts:
                try:
                    found.append(machine(part, attendee or path.stem, where, bool(attendee)))
                except BenchError as error:
                    skipped.append(Skipped(where, called(part, attendee) + plainly(error, where)))
                except (TypeError, ValueError, ArithmeticError) as error:
                    reason = f"holds numbers that can't be calculated with: {error}"
                    skipped.append(Skipped(where, called(part, attendee) + reason))
        except BenchError as error:
            skipped.append(Skipped(where, plainly(error, where)))
    kept, doubled = once_each(found)
    return kept, skipped + doubled


def called(part: dict[str, Any], attendee: str) -> str:
    """Which of a shared file's runs is spoken of."""
    experiment = part.get("experiment")
    name = experiment.get("name") if isinstance(experiment, dict) else None
    return f"{name}: " if attendee and isinstance(name, str) else ""


def plainly(error: BenchError, where: str) -> str:
    return error.message.removeprefix(f"{where}: ")


def files(places: Iterable[Path]) -> list[Path]:
    """The files named, and all *.json in the folders named, each once."""
    found: dict[Path, None] = {}
    for place in places:
        if place.is_dir():
            inside = [p for p in sorted(place.rglob("*.json")) if p.is_file()]
            found.update(dict.fromkeys(p for p in inside if not p.name.startswith(".")))
        elif place.is_file():
            found[place] = None
        else:
            raise InputError(str(place), "", "does not exist", "give run files, or their folder")
    return list(found)


def read(path: Path, where: str) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(where, "", f"cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(where, "", "is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise InputError(where, "", f"is not JSON: {error}") from None


def runs_in(document: Any, where: str) -> tuple[str, list[dict[str, Any]]]:
    """(attendee, run documents) of a shared file; ('', the run) of a run file."""
    kind = document.get("format") if isinstance(document, dict) else None
    if kind == SHARED:
        documents.check(document, "share", where)
        return document["attendee"], document["runs"]
    if kind == results.FORMAT:
        return "", [document]
    problem = f"expected {results.FORMAT} or {SHARED}, found {documents.shown(kind)}"
    raise InputError(where, "format", problem)


def once_each(found: Sequence[Machine]) -> tuple[list[Machine], list[Skipped]]:
    """Of equal runs one, the shared one; of an attendee's runs of an experiment the newest."""
    kept: dict[tuple, Machine] = {}
    skipped = []
    for each in sorted(found, key=lambda m: (m.run.started, m.shared), reverse=True):
        run = each.run
        same = (run.experiment["name"], run.started, run.plan["seed"], len(run.samples))
        mine = (run.experiment["name"], owner(each))
        if same in kept:
            skipped.append(Skipped(each.file, f"is the same run as {kept[same].file}"))
        elif mine[1] and mine in kept:
            reason = f"is an older run of {mine[1]}, who has a newer one in {kept[mine].file}"
            skipped.append(Skipped(each.file, reason))
        else:
            kept[same] = each
            if mine[1]:
                kept[mine] = each
    chosen = {id(each) for each in kept.values()}
    return [each for each in found if id(each) in chosen], skipped


def owner(each: Machine) -> str:
    """Whose run it is, as far as is known: an attendee's, or the checkout's that kept it."""
    if each.shared:
        return each.name
    folder, own = Path(each.file).parent.as_posix(), each.run.experiment["name"]
    return folder.removesuffix(f"/{own}") if folder.endswith(f"/{own}") else ""


# ── One machine ──────────────────────────────────────────────────────────────────────────────────


def machine(document: dict[str, Any], name: str, where: str, shared: bool = False) -> Machine:
    """A machine's answer. Raises BenchError saying why a run can't be used."""
    run = parse(document, where)
    speeds = {key: np.array(rows, float) for key, rows in run.speeds().items()}
    pilot = run.plan["pilot"]
    left_out = {e.name: reason for e in run.entries if (reason := unusable(run, e))}
    for role in (run.baseline, run.floor_copy):
        if role in left_out:
            raise InputError(where, "", f"can't be compared: {role} {left_out[role]}")
    readings = {}
    for entry in run.entries:
        if entry.role == "baseline" or entry.name in left_out:
            continue
        found = reading(speeds[entry.name], speeds[run.baseline], pilot)
        if found:
            readings[entry.name] = found
        else:
            left_out[entry.name] = "was measured in one launch only"
    if run.floor_copy not in readings:
        reason = left_out.get(run.floor_copy, "has no samples")
        raise InputError(where, "", f"has no floor: {run.floor_copy} {reason}")
    floor = readings[run.floor_copy].interval.reach
    [each.spread for each in readings.values()]  # what can't be calculated is refused here
    told = verdicts(clean(document["results"]), where)
    pairs = {}
    for pair in {each.pair for each in told.values() if each.pair}:
        if set(pair) <= set(speeds) - set(left_out):
            if found := reading(speeds[pair[0]], speeds[pair[1]], pilot):
                pairs[pair] = found
    return Machine(name, where, shared, run, floor, readings, told, pairs, left_out)


def reading(a: np.ndarray, b: np.ndarray, pilot: int | None) -> Reading | None:
    """The ratio of a to b; None where fewer than two launches hold both."""
    logs = stats.log_ratios(a, b)
    if np.isfinite(logs).any(axis=1).sum() < 2:
        return None
    return Reading(stats.interval(logs, pilot=pilot), pilot)


def parse(document: dict[str, Any], where: str) -> Run:
    """A whole run. Raises InputError where it does not fit the schema, or is not a whole race.

    Of what is long only what is used here is read, and checked by hand: 1,000 files in seconds.
    """
    long = {"samples": [], "warmups": [], "results": None}
    light = clean({key: long.get(key, value) for key, value in document.items()})
    if isinstance(light.get("plan"), dict) and "order" in light["plan"]:
        light["plan"] = {**light["plan"], "order": []}
    documents.check(light, "run", where)
    try:
        run = results.from_document({**light, "samples": document["samples"]}, None)
    except TypeError as error:
        raise InputError(where, "samples", f"are not samples: {error}") from None
    if run.replay:
        raise InputError(where, "", "is a replay of the article's method, not a race")
    if not run.complete:
        raise InputError(
            where, "", f"was cut short: {run.reason.partition(chr(10))[0] or 'it says no reason'}"
        )
    if not run.takes_turns:
        raise InputError(where, "", "ran its programs one after another: drift looks like a result")
    roles = Counter(entry.role for entry in run.entries)
    names = {entry.name for entry in run.entries}
    if roles["baseline"] != 1 or roles["floor"] != 1 or len(names) != len(run.entries):
        raise InputError(
            where, "entries", "need one baseline, one floor copy, and names of their own"
        )
    if run.plan["launches"] * run.plan["blocks"] > len(run.samples):
        raise InputError(where, "samples", "are fewer than the plan's rounds")
    for i, sample in enumerate(run.samples):
        if problem := wrong(sample, run, names):
            raise InputError(where, f"samples[{i}]", problem)
    return run


def clean(value: Any) -> Any:
    """A JSON value without what upsets a terminal: control characters, halves of characters."""
    if isinstance(value, str):
        return UNPRINTABLE.sub("\ufffd", value)
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    return value


def wrong(sample: Sample, run: Run, names: set[str]) -> str:
    """What is wrong with a sample, '' where it can be used."""
    if problem := results.misplaced(sample, run, names):
        return problem
    speed = sample.requests_per_second
    if not documents.is_number(speed) or not (speed == 0 or SLOWEST < speed < FASTEST):
        return f"has no speed: {documents.shown(speed)}"
    counts = [*sample.errors.values()] if isinstance(sample.errors, dict) else [None]
    if not all(map(documents.is_number, (sample.requests, sample.non_2xx, *counts))):
        return "counts of requests and errors are not numbers"
    if not isinstance(sample.flags, list) or not all(isinstance(f, str) for f in sample.flags):
        return "flags are not a list of names"
    return ""


def unusable(run: Run, entry: Entry) -> str:
    """Why an entry of a run is not pooled; '' where it is."""
    if entry.status != "raced":
        return f"is {entry.status}"
    if entry.edited:
        return "was edited"
    if not any(sample.variant == entry.name for sample in run.samples):
        return "has no samples"
    if reason := judge.flagged(run, entry.name):
        return f"is void: {reason}"
    return ""


def verdicts(found: Any, where: str) -> dict[str, Told]:
    """The verdicts that a run's own machine came to, from its `results`; none where it has none.

    Raises InputError for anything else.
    """
    if found is None:
        return {}
    try:
        told = {each["id"]: told_of(each) for each in found["verdicts"]}
    except (KeyError, TypeError):
        raise InputError(where, "results.verdicts", "are not verdicts") from None
    if not all(isinstance(t.says, str) and t.verdict in judge.VERDICTS for t in told.values()):
        raise InputError(where, "results.verdicts", "hold a word that is no verdict")
    return told


def told_of(verdict: dict[str, Any]) -> Told:
    tests = verdict["tests"]
    pair = (str(tests[0]["a"]), str(tests[0]["b"])) if len(tests) == 1 else None
    return Told(verdict["says"], verdict["verdict"], pair)


# ── The room ─────────────────────────────────────────────────────────────────────────────────────


def rooms(machines: Sequence[Machine]) -> tuple[list[Room], list[Skipped]]:
    """A room for each experiment, in order, and the runs that don't fit in with the others'."""
    by_name: dict[str, list[Machine]] = {}
    for each in machines:
        by_name.setdefault(each.run.experiment["name"], []).append(each)
    found, skipped = [], []
    for name in sorted(by_name):
        kept, foreign = alike(by_name[name])
        found.append(room(kept))
        skipped += foreign
    return found, skipped


def alike(machines: Sequence[Machine]) -> tuple[list[Machine], list[Skipped]]:
    """The machines that compare with the same baseline in the same unit as most of them do."""

    def kind(each: Machine) -> tuple[str, str]:
        return each.run.baseline, each.run.unit

    usual = Counter(map(kind, machines)).most_common(1)[0][0]
    said = "compares with {} in {}, the room with {} in {}"
    foreign = [Skipped(m.file, said.format(*kind(m), *usual)) for m in machines if kind(m) != usual]
    return [m for m in machines if kind(m) == usual], foreign


def room(machines: Sequence[Machine]) -> Room:
    first = machines[0].run
    floor = float(np.median([each.floor for each in machines]))
    names = dict.fromkeys(e.name for each in machines for e in each.run.entries)
    roles = {first.baseline, first.floor_copy}
    copies = None
    if len(machines) > 1:
        copies = pooled_of([each.readings[each.run.floor_copy] for each in machines])
    lines = [line(n, machines, floor, copies) for n in names if n not in roles]
    return Room(
        experiment=first.experiment["name"],
        title=first.experiment["title"],
        baseline=first.baseline,
        unit=first.unit,
        floor=floor,
        copies=copies,
        machines=tuple(machines),
        lines=tuple(each for each in lines if each.machines),
        tallies=tallies(machines, floor, copies),
        remarks=tuple(remarks(machines)),
    )


def line(name: str, machines: Sequence[Machine], floor: float, copies: Pooled | None) -> Line:
    """What the machines that measured a variant say of it."""
    having = tuple(each for each in machines if name in each.readings)
    return line_of(name, having, [each.readings[name] for each in having], floor, copies)


def line_of(
    name: str,
    machines: tuple[Machine, ...],
    readings: Sequence[Reading],
    floor: float,
    copies: Pooled | None,
) -> Line:
    """What machines say together with their readings, one of each."""
    if len(readings) < 2 or copies is None:
        return Line(name, machines, None, ALONE, "one machine is no room; pool more run files")
    pooled = pooled_of(readings)
    return Line(name, machines, pooled, *agreement(pooled, floor, reach(copies)))


def pooled_of(readings: Sequence[Reading]) -> Pooled:
    """The ratio over two machines or more."""
    spreads, freedom = pooling.steadied([r.spread for r in readings], [r.freedom for r in readings])
    launches = np.array([r.interval.launches for r in readings])
    return pooling.pool([r.log for r in readings], spreads / launches, freedom)


def reach(copies: Pooled) -> float:
    """The room's own floor: how far from 1 the interval of the pooled A/A ratio reaches."""
    return max(copies.high, 1 / copies.low) - 1


def agreement(pooled: Pooled, floor: float, own_floor: float) -> tuple[str, str]:
    """Does the room agree? (answer, why). floor: the machines' median, own_floor: the room's.

    It does where a further machine's ratio, too, is expected on the same side of the room's own
    floor, or within the floor of a single machine. It does on average where only the mean's
    interval lies on one side.
    """
    low, high = pooled.next_low, pooled.next_high
    if low is None or high is None:
        return UNTOLD, "two machines can't tell what a third would say"
    edges = 1 / (1 + own_floor), 1 + own_floor
    word = "faster" if pooled.ratio > 1 else "slower"
    if low > edges[1] or high < edges[0]:
        small = ", by less than one machine can tell" if within(pooled, floor) else ""
        return AGREES, f"{word}{small}; a further machine is expected to be {word}, too"
    if floor <= judge.WIDEST_FLOOR and within(pooled, floor):
        band = judge.band_text(floor)
        return AGREES, f"no difference: a further machine, too, is expected within {band}"
    differs = pooled.q_p < judge.ALPHA
    if pooled.low > edges[1] or pooled.high < edges[0]:
        end = "they differ by more than chance" if differs else "they are few"
        return ON_AVERAGE, f"{word} on these machines, not surely on a further one: {end}"
    if differs:
        return DISAGREES, "the machines differ by more than chance, to both sides"
    return UNTOLD, "the machines differ no more than by chance: pool more of them, or race longer"


def within(pooled: Pooled, floor: float) -> bool:
    """Is a further machine expected within ±floor?"""
    low, high = pooled.next_low, pooled.next_high
    return low is not None and high is not None and low >= 1 / (1 + floor) and high <= 1 + floor


def tallies(machines: Sequence[Machine], floor: float, copies: Pooled | None) -> tuple[Tally, ...]:
    """How many machines came to each verdict, by statement, and its ratio on all of them."""
    by_id: dict[str, list[Told]] = {}
    for each in machines:
        for identity, told in each.verdicts.items():
            by_id.setdefault(identity, []).append(told)
    found = []
    for all_told in by_id.values():
        pair = next((told.pair for told in all_told if told.pair), None)
        having = tuple(each for each in machines if pair in each.pairs)
        pooled = None
        if pair and having:
            readings = [each.pairs[pair] for each in having]
            pooled = line_of(" : ".join(pair), having, readings, floor, copies)
        counts = Counter(told.verdict for told in all_told)
        found.append(Tally(all_told[0].says, counts, pooled))
    return tuple(found)


def kind_of(machine: Mapping[str, Any]) -> str:
    """What two runs of one machine have in common; other machines may have it, too."""
    cpu = machine.get("cpu")
    steady = {k: v for k, v in cpu.items() if k != "current_mhz"} if isinstance(cpu, dict) else cpu
    return json.dumps([steady, machine.get("memory"), machine.get("os")], sort_keys=True)


def remarks(machines: Sequence[Machine]) -> Iterator[str]:
    """What one must know of the room: other versions of the code, variants left out."""
    digests: dict[str, Counter[str]] = {}
    for each in machines:
        for entry in each.run.entries:
            if not entry.edited:
                digests.setdefault(entry.name, Counter())[entry.sha256] += 1
    mixed = [name for name, counts in digests.items() if len(counts) > 1]
    if mixed:
        yield f"the machines did not all race the same version of {', '.join(mixed)}"
    unnamed = Counter(kind_of(m.run.machine) for m in machines if not m.shared)
    if doubtful := sum(count for count in unnamed.values() if count > 1):
        yield (
            f"{doubtful} run files may be of one machine, which would count that often: "
            "give one of each machine, or the files of ./bench share"
        )
    reasons = Counter((name, reason) for each in machines for name, reason in each.left_out.items())
    for (name, reason), count in reasons.most_common(8):
        yield f"left out on {count} of {len(machines)} machines: {name} {reason}"
