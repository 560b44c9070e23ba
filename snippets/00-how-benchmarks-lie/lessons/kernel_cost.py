"""What a kernel costs (notebook 00): one loop as a Release program and in notebook kernels.

The program is started anew for each round, each kernel once; rounds take turns.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from benchbook.programs import runners
from benchbook.race import turn
from benchbook.show import markup
from benchbook.show.embed import Figure
from benchbook.show.figures.base import COLOURS, SYMBOLS, Style, axis, figure, frame, marker
from benchbook_kernels.base import builds
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.notebook.sessions.csharp import CSharpSession
from benchbook_kernels.notebook.sessions.jupyter import JupyterSession, installed
from benchbook_kernels.notebook.sessions.session import Collected, Session, SessionError

LOOP = Path(__file__).parents[1] / "hot-loop.cs"
INTERACTIVE = ".net-csharp"  # .NET Interactive's kernel, as `jupyter kernelspec list` names it
GET_IT = (
    "not installed; it comes with: dotnet tool install -g Microsoft.dotnet-interactive, "
    "then: dotnet interactive jupyter install"
)
ROUNDS = 5
SECONDS = 60.0


@dataclass
class Place:
    """Where the loop runs. milliseconds: of the loop, by its own clock, in each round; first:
    seconds from the start of the process to the first result; reason: why it can't run there."""

    name: str
    run: Callable[[], str] = str
    milliseconds: list[float] = field(default_factory=list)
    first: float = 0.0
    reason: str = ""

    def round(self) -> None:
        begun = time.monotonic()
        try:
            self.milliseconds.append(float(self.run().split()[0]))
        except (BenchError, ValueError, IndexError) as error:
            self.reason = str(error) or "gave no result"
        self.first = self.first or time.monotonic() - begun

    @property
    def middle(self) -> float | None:
        return statistics.median(self.milliseconds) if self.milliseconds else None


def program(path: Path) -> Callable[[], str]:
    """Runs the file as a program, built in Release. Raises BenchError where it can't be built."""
    if not builds.dotnet_version():
        raise InputError("%lesson kernel", "", runners.Dotnet().missing())
    folder = builds.build_folder(path)
    builds.build(path, "build", folder, lambda: None)
    command = ["dotnet", str(folder / "out" / f"{path.stem}.dll")]
    return lambda: builds.run(command, path.parent, SECONDS)[1]


def session(session: Session, code: str) -> Callable[[], str]:
    """Runs the code as a cell; the session starts with the first one."""

    def run() -> str:
        output = Collected()
        result = session.submit(code, "the loop", output).result(SECONDS)
        if result.status != "ok":
            raise SessionError(f"{result.ename}: {result.evalue}")
        return output.text

    return run


def measure(path: Path, other: str = INTERACTIVE) -> list[Place]:
    """The loop in this file as a program, in our C# session and in another Jupyter kernel.

    Raises BenchError where it can't be built.
    """
    code = "\n".join(x for x in path.read_text("utf-8").splitlines() if not x.startswith("#:"))
    with ExitStack() as ending:
        ours, theirs = CSharpSession(), JupyterSession(CSharpSession(), other)
        for each in (ours, theirs):
            ending.callback(each.close)
        places = [
            Place("a Release program", program(path)),
            Place("a cell of this notebook", session(ours, code)),
            Place(f"the kernel {other}", session(theirs, code)),
        ]
        if not installed(other):
            places[-1].reason = GET_IT if other == INTERACTIVE else "not installed"
        for _ in range(ROUNDS):
            for place in places:
                if not place.reason:
                    place.round()
    return places


def lesson() -> Figure:
    """What a kernel costs: a loop in a cell, and alone.

    Raises BenchError where the program can't be built.
    """
    with turn.taken("a lesson", turn.calmly(print)):
        return draw(measure(LOOP))


def draw(places: Sequence[Place]) -> Figure:
    """A row a place, a point a round; the first place is what the others are compared with."""
    ran = [place for place in places if place.milliseconds]
    alone = places[0].middle
    ratios = {p.name: p.middle / alone for p in ran[1:] if p.middle} if alone else {}
    said = [f"{ratio:.2f} times its time in {name}" for name, ratio in ratios.items()]
    title = f"To the program, the loop takes {', '.join(said)}" if said else "It ran in one place"
    data = []
    for place, colour, symbol in zip(ran, COLOURS, SYMBOLS):
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": place.milliseconds,
                "y": [place.name] * len(place.milliseconds),
                "marker": marker(Style(colour, symbol), 15),
                "name": place.name,
                "hovertemplate": "%{x:.0f} ms<extra>" + place.name + "</extra>",
                "showlegend": False,
            }
        )
    layout = frame(
        title,
        f"the same loop of 50 million steps, {ROUNDS} rounds in turn",
        plot_px=50 * len(ran),
        bottom_px=48,
        xaxis=axis("time of the loop, ms", rangemode="tozero"),
        yaxis=axis("", type="category", range=[len(ran) - 0.5, -0.5]),
    )
    rows = [
        [
            place.name,
            "" if place.middle is None else f"{place.middle:.0f} ms",
            "" if not alone or place.middle is None else f"{place.middle / alone:.2f}",
            "" if place.middle is None else f"{place.first:.1f} s",
            place.reason,
        ]
        for place in places
    ]
    columns = ["the loop in", "median", "to the program", "start to first result", "not run"]
    return figure(title, data, layout, markup.table(columns, rows, right=[1, 2, 3]))
