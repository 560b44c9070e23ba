"""Each notebook has a cell in which its readers draw: as committed, it draws a race."""

import functools
import json
import math
from collections.abc import Iterator

import pytest

from benchbook.analysis.rows import rows
from benchbook.model import results
from benchbook.notebook.headless import execute
from benchbook.system import paths
from benchbook_kernels.install.languages import declared
from benchbook_kernels.notebook import cells
from benchbook_kernels.notebook.open_sessions import Sessions
from benchbook_kernels.notebook.sessions.session import Collected, Result

DRAWN = {"scatter", "bar"}  # what Notebook 6 and our pages draw: base.py says why
WIDEST = 112  # characters of a line, that fit into a window of 1,280 px
PLOTLY = "application/vnd.plotly.v1+json"
# The race that a notebook's cell draws, where there are several.
OF_PART = {"05": "memory", "07a": "memory", "07b": "http", "07c": "browser", "08": "memory"}
OF_PART |= {"12": "memory", "14": "dotnet"}
NOTEBOOKS = sorted(  # all but the scoreboard, and the ten minutes to start with
    path for path in paths.notebooks().glob("*.ipynb") if path.name[:2] not in ("99", "st")
)
# What cells above it made; those of 07b are run as they are.
BEFORE = {
    "02": """
        record Count(int Keepalive, int ConnectionsToKestrel);
        var opened = new List<Count> { new(64, 50), new(16, 300), new(0, 1000) };""",
    "06": """
        var found = { a: { 'on the way': 10, 'requests/s': 900, 'mean latency, ms': 11 },
                      b: { 'on the way': 100, 'requests/s': 1000, 'mean latency, ms': 99 } };""",
}


def number_of(path) -> str:
    """What a notebook's name begins with: 04, or 07a."""
    return path.stem.partition("-")[0]


class Shown(Collected):
    """What a cell displays."""

    def __init__(self) -> None:
        super().__init__()
        self.bundles: list[dict] = []

    def display(self, data: dict, *_: object) -> None:
        self.bundles.append(data)


@pytest.fixture(scope="module")
def sessions() -> Iterator[Sessions]:
    """A C# and a Node.js session for all notebooks."""
    opened = Sessions("csharp")
    for name in ("csharp", "node"):
        opened.get(name).start()
        ran(opened, name, "1", Shown())
    yield opened
    opened.close()


@functools.cache
def recorded(number: str) -> str:
    """The samples of a notebook's recorded race, as JSON; those of 04 where it has none."""
    part = f".{OF_PART[number]}" if number in OF_PART else ""
    found = list((paths.root() / "data" / "runs").glob(f"{number[:2]}-*{part}.json"))
    others = ("selfcheck", ".versions.")
    raced = [path for path in found if not any(other in path.name for other in others)]
    path = next(iter(raced), paths.root() / "data/runs/04-setheader-vs-writehead.json")
    told = rows(results.load(path))
    if number == "00":
        names = {"bare": "work", "write-head-length": "twin", "no-header": "plus-ten"}
        told = [{**row, "name": names[row["name"]]} for row in told if row["name"] in names]
    return json.dumps(told)


def drawing(path) -> tuple[str, str]:
    """The language and the code of the cell in which readers draw."""
    notebook = execute.read(path)
    (cell,) = [c for c in notebook.cells if c.cell_type == "code" and is_drawing(c.source)]
    own = notebook.metadata.kernelspec.name.removeprefix("benchbook-")
    (part,) = cells.split(cell.source, own)
    return part.language, part.code


def is_drawing(source: str) -> bool:
    return "plotly(" in source and "// yours" in source


def ran(sessions: Sessions, language: str, code: str, output: Shown) -> Result:
    return sessions.ready(language).submit(code, "a cell", output).result(120)


@pytest.mark.slow("starts two sessions")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=number_of)
def test_the_cell_to_draw_in_draws_as_it_is(sessions, path):
    number = number_of(path)
    language, code = drawing(path)
    output = Shown()
    sessions.give("run", recorded(number))
    before = BEFORE.get(number, "")
    if number == "07b":
        law = next(c.source for c in execute.read(path).cells if "double Faster(" in c.source)
        before = law.partition("\n")[2]  # without the magic before it
    if before:
        assert ran(sessions, language, before, output).status == "ok"
    result = ran(sessions, language, code, output)
    assert result.status == "ok", result.traceback
    (figure,) = [bundle[PLOTLY] for bundle in output.bundles if PLOTLY in bundle]
    assert max(map(len, code.split("\n"))) <= WIDEST
    for series in figure["data"]:
        assert series.get("type", "scatter") in DRAWN
        values = [*series.get("x", ()), *series.get("y", ())]
        assert values, f"{series.get('name')} is empty"
        numbers = [each for each in values if not isinstance(each, str)]
        assert numbers and all(each is not None and math.isfinite(each) for each in numbers)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=number_of)
def test_it_says_before_it_what_to_change_and_where(path):
    notebook = execute.read(path)
    places = [i for i, c in enumerate(notebook.cells) if is_drawing(c.source)]
    assert len(places) == 1 and drawing(path)[0] in declared()
    text = notebook.cells[places[0] - 1]
    assert text.cell_type == "markdown" and "?" in text.source
    assert "Change" in text.source or "write" in text.source.lower()
