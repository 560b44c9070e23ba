"""Digests of what is shown of recorded runs: `python tools/digests.py [--write] [--keep DIR]`.

For each file of data/runs and tests/runs: the verdicts as JSON, every card as text and as HTML,
every figure as plotly's JSON and as SVG; for each experiment its claim's card and the plan of each
mode with a seed; and the scoreboard of the recorded runs. Numbers are rounded to nine digits first,
because the last ones differ between processors. What differs from tests/digests.json is named;
--write renews that file, --keep writes the digested texts to a folder, to be compared by `diff`.
"""

import hashlib
import json
import re
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / path) for path in ("src", "packages/benchbook-kernels/src")]

from benchbook.analysis import scoreboard  # noqa: E402
from benchbook.analysis.judging import judge, judgement_json  # noqa: E402
from benchbook.load import installed, registry  # noqa: E402
from benchbook.model import experiments, results  # noqa: E402
from benchbook.model.experiments import Experiment  # noqa: E402
from benchbook.model.samples import plain  # noqa: E402
from benchbook.programs import browser, readiness  # noqa: E402
from benchbook.race import prepare  # noqa: E402
from benchbook.race.kinds.functions import dotnet_project  # noqa: E402
from benchbook.race.kinds.page import web_page  # noqa: E402
from benchbook.race.options import Options  # noqa: E402
from benchbook.show.cards import (  # noqa: E402
    evidence_cards,
    race_cards,
    replay_cards,
    scoreboard_cards,
)
from benchbook.show.embed import PLOTLY, SVG, Figure  # noqa: E402
from benchbook.show.figures import growth  # noqa: E402
from benchbook.show.figures.latencies import latencies_figure  # noqa: E402
from benchbook.show.figures.parts import parts_figure  # noqa: E402
from benchbook.show.figures.ratios import ratios_figure  # noqa: E402
from benchbook.show.figures.samples import samples_figure  # noqa: E402
from benchbook.show.figures.scoreboard import scoreboard_figure  # noqa: E402
from benchbook.show.markup import Output  # noqa: E402
from benchbook.system import paths  # noqa: E402
from benchbook_kernels.base.errors import BenchError  # noqa: E402

KEPT = ROOT / "tests" / "digests.json"
RUNS = (ROOT / "data" / "runs", ROOT / "tests" / "runs")
SEED = 20261128
LONG_NUMBER = re.compile(r"-?\d+\.\d{6,}(?:e[-+]?\d+)?")
DIGITS = 9


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as empty:
        # no race of one's own is on the scoreboard, and its place in a page is always the same
        with (
            mock.patch.object(paths, "state", lambda: Path(empty)),
            mock.patch.object(secrets, "token_hex", lambda _: "0"),
        ):
            texts = dict(every())
    if "--keep" in arguments:
        folder = Path(arguments[arguments.index("--keep") + 1])
        for name, text in texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    found = {name: digest(text) for name, text in texts.items()}
    if "--write" in arguments:
        KEPT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    differ = [name for name in {**kept, **found} if kept.get(name) != found.get(name)]
    for name in differ:
        print(f"differs: {name}")
    print(f"{len(found) - len(differ)} as kept, {len(differ)} not")
    return bool(differ)


def every() -> Iterator[tuple[str, str]]:
    """(name, text) of everything that has a digest."""
    for folder in RUNS:
        for path in sorted(folder.glob("*.json")):
            # what `bench selfcheck` found, and answers by version, are no runs
            if path.name != "00-selfcheck.json" and ".versions." not in path.name:
                yield from of_run(path)
    for experiment in experiments.load_all():
        yield from of_experiment(experiment)
    board = scoreboard.board()
    yield "scoreboard/summary.txt", scoreboard_cards.summary(board)
    yield from of_output("scoreboard/table", scoreboard_cards.table(board))
    yield from of_figure("scoreboard/figure", scoreboard_figure(board))


def of_run(path: Path) -> Iterator[tuple[str, str]]:
    run = results.load(path)
    where = f"{path.parent.parent.name}/{path.stem}"
    yield f"{where}/run.json", rounded(run.to_text())
    if run.replay:
        yield from of_output(f"{where}/replay", replay_cards.summary(run))
        return
    claim = experiments.find(run.experiment.name).claim
    found = judge.judge(run, claim)
    yield f"{where}/judgement.json", as_json(judgement_json.to_json(found))
    shown: dict[str, Callable[[], Output]] = {
        "summary": lambda: race_cards.summary(run, found),
        "judged": lambda: race_cards.judged(run, found),
        "evidence": lambda: evidence_cards.evidence(run),
        "description": lambda: race_cards.race_description(run),
    }
    for name, made in shown.items():
        yield from of_output(f"{where}/{name}", made())
    figures: dict[str, Callable[[], Figure]] = {
        "ratios": lambda: ratios_figure(run, found, claim),
        "samples": lambda: samples_figure(run, found.left_out),
        "latencies": lambda: latencies_figure(run),
        "growth": lambda: growth.growth_figure(run),
        "parts": lambda: parts_figure(run),
    }
    for name, drawn in figures.items():
        try:
            yield from of_figure(f"{where}/{name}", drawn())
        except BenchError as error:  # this figure does not go with the run: the reason is shown
            yield f"{where}/{name}.txt", str(error)


def of_experiment(experiment: Experiment) -> Iterator[tuple[str, str]]:
    yield from of_output(f"claims/{experiment.name}", race_cards.claim(experiment, {}))
    for mode in experiment.modes:
        plan = plan_of(experiment, Options(mode=mode, seed=SEED))
        yield f"plans/{experiment.name}/{mode}.json", as_json(plain(plan))


def plan_of(experiment: Experiment, options: Options) -> object:
    """The plan of a race of all that an experiment has, where nothing is missing; nothing is built
    for it."""
    wrk = registry.get("wrk")
    nothing = mock.Mock(return_value="")
    with ExitStack() as stack:

        def put(place: object, name: str, value: object) -> None:
            stack.enter_context(mock.patch.object(place, name, value))

        put(registry, "choose", lambda _: wrk)
        put(installed, "version", nothing)
        put(registry, "refuses", nothing)
        put(browser, "version", nothing)
        put(readiness, "stage", lambda experiment, _: experiment)
        put(readiness, "make_ready", lambda variants, *_: {each.name: "" for each in variants})
        put(readiness, "look_for_packages", nothing)
        put(readiness, "lacking_packages", lambda _: {})
        put(readiness, "lacking", nothing)
        put(readiness, "software", lambda _: [])
        put(readiness, "remark", nothing)
        put(dotnet_project, "stage_folder", lambda *_: dotnet_project.Project(Path("made.csproj")))
        put(dotnet_project, "build", nothing)
        none = {each.name: "" for each in experiment.variants}
        put(web_page, "make_apps", lambda *_: ({}, none))
        put(web_page, "published", lambda *_: ({}, none))
        return prepare.prepare(experiment, options).plan


def of_output(name: str, shown: Output) -> Iterator[tuple[str, str]]:
    yield f"{name}.txt", shown.text
    yield f"{name}.html", rounded(shown.html)


def of_figure(name: str, figure: Figure) -> Iterator[tuple[str, str]]:
    data, _ = figure._repr_mimebundle_()
    yield f"{name}.json", as_json(data[PLOTLY])
    yield f"{name}.svg", rounded(data[SVG])
    yield f"{name}.txt", data["text/plain"]


def as_json(value: Any) -> str:
    return rounded(json.dumps(value, indent=1, ensure_ascii=False))


def rounded(text: str) -> str:
    """The same with numbers of at most nine digits."""
    return LONG_NUMBER.sub(lambda found: f"{float(found[0]):.{DIGITS}g}", text)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
