"""What a replay tells: the article's table beside ours, the honest answer, and why they differ.

Everything is made from the run file's `replay` (schemas/run.schema.json); nothing is measured here.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from benchbook.analysis import verdicts
from benchbook.load import registry
from benchbook.model.runs import Run
from benchbook.race import witness
from benchbook.setup.words import counted
from benchbook.show import cards
from benchbook.show.markup import Output, heading, more, note, paragraph, table, total
from benchbook.show.wording import bracketed, marked, percent

FEW_CYCLES_NS = 2.0  # an iteration that takes less can hardly have done any work
TAKES = {
    "best": "the best of which is taken",
    "last": "the last of which is taken",
    "mean": "the mean of which is taken",
}


def summary(run: Run) -> Output:
    """All that a replay tells, in order."""
    beside = heading("The article's table, and the same here") + figures(run)
    parts = [headline(run), more(beside)]
    parts += [heading("What the article says, by its own method and by an honest race")]
    told = [paragraph(text) for text in comparisons(run)]
    told += [heading("Why the two may differ"), *(paragraph(f"• {why}") for why in reasons(run))]
    return total([*parts, answers(run), more(total(told))])


def replay_of(run: Run) -> Mapping[str, Any]:
    """What the run file of a replay holds under `replay`."""
    assert run.replay is not None, "the run is a race's"
    return run.replay


def headline(run: Run) -> Output:
    """The method in a sentence, and whether it was shortened or cut short."""
    replay = replay_of(run)
    text = f"{run.experiment.title}, as published: {method_text(replay)}"
    if remark := replay["method"]["note"]:
        text += f"\n{remark.strip()}"
    if replay["shortened"] > 1:
        text += (
            f"\nSHORTENED {replay['shortened']} times: {length(replay['played'])} instead of "
            f"{length(replay['method'])}. This is no longer the article's method."
        )
    if not run.complete:
        text += f"\nINCOMPLETE: {run.reason}"
    return total([*cards.doubts(run), *honest_doubts(replay), paragraph(text)])


def honest_doubts(replay: Mapping[str, Any]) -> list[Output]:
    """What speaks against the race that a replay is compared with; older files don't say it."""
    found = (replay["honest"] or {}).get("doubt")
    return [note(f"! The honest race: {found}")] if found else []


def method_text(replay: Mapping[str, Any]) -> str:
    method = replay["method"]
    text = str(replay["line"])
    if method.get("warmup_seconds"):
        text += f", after a warm-up of {method['warmup_seconds']} s"
    if method["runs"] > 1:
        text += f", {counted(method['runs'], 'run')}, {TAKES[method['take']]}"
    if method["measurements"] > 1:
        text += f", {method['measurements']} measurements"
    if "order" in method:
        turns = "one after the other" if replay["kind"] == "http" else "in turns"
        text += f"; {turns}: {', '.join(method['order'])}"
    return text


def length(method: Mapping[str, Any]) -> str:
    """How long a run is, in the method's own terms."""
    units = {"duration_seconds": "s", "requests": "requests", "iterations": "iterations"}
    return ", ".join(f"{method[n]:,} {unit}" for n, unit in units.items() if method.get(n))


def figures(run: Run) -> Output:
    """The article's rows in the article's order; each column as in the article, and here."""
    replay = replay_of(run)
    columns = replay["columns"]
    rows = []
    for row in replay["rows"]:
        cells = []
        for unit in columns:
            cells += [number(row["published"].get(unit)), number(row["replayed"].get(unit))]
        note = row["note"] or each_run(row, replay)
        rows.append([row["label"] or "(no figure)", *cells, called(row["reads"], run), note])
    heads = [f"{where}: {unit}" for unit in columns for where in ("article", "here")]
    right = range(1, 2 * len(columns) + 1)
    return table(["in the article", *heads, "measured here", ""], rows, right=right)


def number(value: float | None) -> str:
    if value is None:
        return "—"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"


def called(name: str, run: Run) -> str:
    edited = any(e.name == name and e.edited for e in run.entries)
    return (name or "—") + (" (edited)" if edited else "")


def each_run(row: Mapping[str, Any], replay: Mapping[str, Any]) -> str:
    """The figures of all runs, where one was taken of several; and what went wrong in them."""
    found = measured(replay, row["reads"])
    unit = replay["columns"][0]
    parts = []
    if replay["method"]["runs"] > 1 and replay["method"]["measurements"] == 1:
        values = "; ".join(number(run["figures"][unit]) for run in found["runs"])
        parts.append(f"runs: {values}")
    if found["reason"]:
        parts.append(found["reason"].splitlines()[0])
    return "; ".join(parts)


def measured(replay: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return next(m for m in replay["measured"] if m["name"] == name)


def answers(run: Run) -> Output:
    """One row per statement: the article, the replay, the race, and the race's verdict."""
    rows = []
    for said in replay_of(run)["statements"]:
        rows.append(
            [
                said["says"],
                percent(said["published"]) if said["published"] else "no size given",
                replayed_text(said),
                honest_text(said),
                marked(said["verdict"]) if said["verdict"] else "not raced yet",
            ]
        )
    columns = ["the article says", "its figures", "as published, here", "honest race (95 %)"]
    return table([*columns, "verdict"], rows)


def replayed_text(said: Mapping[str, Any]) -> str:
    if said["missing"]:
        return "—"
    return " > ".join(said["order"]) if said["order"] else percent(said["replayed"])


def honest_text(said: Mapping[str, Any]) -> str:
    if not said["honest"]:
        return "—"
    found = said["honest"]
    return bracketed(found["ratio"], found["low"], found["high"])


def comparisons(run: Run) -> list[str]:
    """A sentence for each statement: as published, honest, and how they differ."""
    name = run.experiment.name
    if not replay_of(run)["honest"]:
        return [
            "There is no complete race of this experiment on this machine to compare with: run "
            f"./bench race {name.partition('-')[0]} first, then this again."
        ]
    return [f"{said['says']}: {comparison(said)}" for said in replay_of(run)["statements"]]


def comparison(said: Mapping[str, Any]) -> str:
    if said["missing"]:
        return f"not replayed ({said['missing']})."
    as_published = f"as published {replayed_text(said)}"
    if unlike := said.get("unlike"):
        return f"{as_published}, which compares unlike things: {unlike}."
    if said["verdict"] == verdicts.NOT_VALID:
        return f"{as_published}; the honest race gives no answer: {said['why']}."
    if not said["honest"]:
        return f"{as_published}; honest: {said['verdict']} ({said['why']})."
    return f"{as_published}; honest {honest_text(said)}: {difference(said)}."


def difference(said: Mapping[str, Any]) -> str:
    """How the replayed ratio lies to the honest interval, in words."""
    ratio, found = said["replayed"], said["honest"]
    low, high = found["low"], found["high"]
    unclear = said["verdict"] in (verdicts.NO_DIFFERENCE, verdicts.TOO_CLOSE)
    if low <= ratio <= high:
        text = "they agree, the replay lies in the honest interval"
        return f"{text}; but honestly it is {said['verdict']}" if unclear else text
    if (ratio < 1 < low) or (high < 1 < ratio):
        return "the article's method says the opposite here"
    side = "above" if ratio > high else "below"
    text = f"the article's method gives a figure {side} the honest interval"
    return f"{text}, and honestly it is {said['verdict']}" if unclear else text


def reasons(run: Run) -> list[str]:
    """What the replayed method does differently from a race, from the facts of both."""
    replay = replay_of(run)
    own = REASONS[replay["kind"]]
    found = [sampling(replay), *spread(replay), *busy(replay), *own(replay), *failures(replay)]
    if replay["shortened"] > 1:
        found.append(f"This replay was shortened {replay['shortened']} times.")
    race = replay["honest"]
    control = race.get("control", race.get("floor")) if race else None  # older files: floor
    if race and control is not None:
        found.append(
            f"In the honest race ({race['file']}) two copies of one program differ by at most "
            f"{verdicts.band_text(control)[1:]}; the article's method has no such control."
        )
    if race and race["changed"]:
        names = ", ".join(race["changed"])
        found.append(f"The code has changed since the honest race: {names}. Race again.")
    return found


def sampling(replay: Mapping[str, Any]) -> str:
    """How many figures there are behind each side, and in which order they were taken."""
    method, race = replay["method"], replay["honest"]
    count = method["runs"] * method["measurements"]
    runs = "one run" if count == 1 else f"{count} runs"
    what = {
        "http": "each program",
        "loop": "everything, in a single process",
        "client": "each server with its client",
        "page": "each client in a page of its own",
    }[replay["kind"]]
    text = f"As published: {runs} of {what}, started once"
    if replay["kind"] == "http":
        text += ", one program after the other, so that a change in the machine's speed counts "
        text += "as a difference between programs"
    if method["take"] == "best":
        text += "; the best run is the luckiest one, too"
    text += "; one figure, no interval."
    if race:
        text += (
            f" The race: {counted(race['launches'], 'start')} of each program and "
            f"{counted(race['blocks'], 'sample')} of "
            f"{race['sample_seconds']:g} s in each, in random order, with an interval."
        )
    return text


def spread(replay: Mapping[str, Any]) -> list[str]:
    """How far runs of the same thing lay apart: what a single figure hides."""
    unit, widest, whose = replay["columns"][0], 0.0, ""
    for found in replay["measured"]:
        values = [run["figures"][unit] for run in found["runs"] if run["figures"][unit]]
        if len(values) > 1 and max(values) / min(values) - 1 > widest:
            widest, whose = max(values) / min(values) - 1, found["name"]
    if not whose:
        return []
    return [f"Runs of the same program lay up to {widest:.1%} apart here ({whose})."]


def busy(replay: Mapping[str, Any]) -> list[str]:
    """Programs that were loaded while the machine did something else as well."""
    shares = {
        found["name"]: max((run["outside_share"] or 0 for run in found["runs"]), default=0)
        for found in replay["measured"]
    }
    named = [f"{name} ({s:.0%})" for name, s in shares.items() if s > witness.OUTSIDE]
    if not named:
        return []
    return [
        f"Other programs used the CPUs while these were timed: {', '.join(named)}. One after the "
        "other, that hits some programs and not the rest."
    ]


def http_reasons(replay: Mapping[str, Any]) -> list[str]:
    method, race, found = replay["method"], replay["honest"], []
    pipelining = method["pipelining"] or 1
    if pipelining > 1:
        flying = f", {method['connections'] * pipelining:,} in all" if method["connections"] else ""
        found.append(
            f"Pipelining: every connection has {pipelining} requests on the way{flying}. Few real "
            "clients do that; it hides the cost of reading and writing sockets, and latency."
        )
    if caution := registry.replayable(method["tool"]).caution(method["keep_alive"]):
        found.append(caution)
    if race:
        found += against_race(replay)
    if method["runs"] == 1 and not method["warmup_seconds"]:
        found.append("There was no warm-up: the first requests ran code that was not compiled yet.")
    if bound := client_bound(replay):
        found.append(
            f"{method['tool']} used all of a CPU while it loaded {', '.join(bound)}: it may have "
            "been the load generator's speed that was measured."
        )
    return found


def against_race(replay: Mapping[str, Any]) -> list[str]:
    """Load and processors, where they were not the race's."""
    method, race, found = replay["method"], replay["honest"], []
    here = (method["tool"], method["connections"] or "its usual number of")
    there = (race["tool"], race["connections"])
    if here != there:
        found.append(
            f"Another load: {here[0]} with {here[1]} connections; in the race {there[0]} with "
            f"{there[1]}."
        )
    if race["pinned"]:
        found.append(
            "Server and load generator shared all CPUs as the system pleased; in the race each had "
            "its own."
        )
    return found


def client_bound(replay: Mapping[str, Any]) -> list[str]:
    """Which servers were loaded by a tool that had no CPU time left."""
    method = replay["method"]
    threads = registry.replayable(method["tool"]).published_threads(method["threads"])
    return [
        found["name"]
        for found in replay["measured"]
        if any(
            run["client_cpu_seconds"] / run["seconds"] > witness.CLIENT_BOUND * threads
            for run in found["runs"]
            if run["client_cpu_seconds"] and run["seconds"]
        )
    ]


def loop_reasons(replay: Mapping[str, Any]) -> list[str]:
    found = ["All loops ran in one process: what the first makes the compiler do changes the next."]
    unit, iterations = replay["columns"][0], replay["played"]["iterations"]
    if not iterations:
        return found
    scale = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}[unit]
    for thing in replay["measured"]:
        each = [run["figures"][unit] * scale / iterations for run in thing["runs"]]
        if each and min(each) < FEW_CYCLES_NS:
            found.append(
                f"An iteration of '{thing['name']}' took {min(each):.2g} ns, a few clock cycles: "
                "the optimiser may have removed the work, because nothing used its result."
            )
    return found


def client_reasons(replay: Mapping[str, Any]) -> list[str]:
    """The article's client was a page in a browser; these are programs."""
    iterations = replay["played"]["iterations"]
    return [
        "The article's client was C# on WebAssembly in a browser; here it is a .NET program, whose "
        "compiler is better. The sizes of the data may differ, too: the article does not say.",
        f"Only {counted(iterations, 'load')} make a figure: what .NET has not yet compiled well "
        "counts, and a single interruption shows.",
    ]


def page_reasons(replay: Mapping[str, Any]) -> list[str]:
    """The clients were a page in a browser, as the article's were."""
    iterations = replay["played"]["iterations"]
    return [
        "The browser, its runtime for .NET and the libraries are newer than the article's. The "
        "sizes of the data may differ, too: the article does not say.",
        f"Only {counted(iterations, 'load')} make a figure: what is not yet compiled well counts, "
        "and a single interruption shows.",
    ]


REASONS = {
    "http": http_reasons,
    "loop": loop_reasons,
    "client": client_reasons,
    "page": page_reasons,
}


def failures(replay: Mapping[str, Any]) -> Sequence[str]:
    """Requests that failed, or were not counted: their figures count what is left."""
    found = []
    for thing in replay["measured"]:
        if failed := sum(run["failed"] or 0 for run in thing["runs"]):
            requests = sum(run["requests"] or 0 for run in thing["runs"])
            found.append(f"{failed:,} of {requests:,} requests to {thing['name']} failed.")
    return found
