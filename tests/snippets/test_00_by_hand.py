"""The race that notebook 00 builds by hand: its cells run as they stand, and leave nothing behind.

No speed is asserted: what is found on a busy machine is the machine's affair.
"""

import contextlib
import json
import random
import re
from statistics import geometric_mean

import psutil
import pytest

from benchbook.model.experiments import find
from benchbook.notebook import editions, exercises
from benchbook.notebook.headless import execute
from benchbook.notebook.workbench import Workbench
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.notebook.sessions.node import NodeSession
from benchbook_kernels.notebook.sessions.session import Collected, Result

NOTEBOOK = find("00").notebook
CELLS = {c.id: c.source for c in execute.read(NOTEBOOK).cells if c.cell_type == "code"}
BY_HAND = [name for name in CELLS if name.startswith("hand-") and name != "hand-check"]
PLOTLY = "application/vnd.plotly.v1+json"
SOLVED = editions.exercises(execute.read(NOTEBOOK), NOTEBOOK.name)[1].code[0]


class Reader:
    """A Node.js session beside the notebook, its output, and what it shows."""

    def __init__(self) -> None:
        self.session = NodeSession(str(paths.notebooks()))
        self.output = Collected()
        self.output.display = lambda data, *_: self.shown.append(data)
        self.shown: list[dict] = []

    def runs(self, code: str) -> Result:
        """Run a cell without its magics, which show programs."""
        plain = "\n".join(line for line in code.splitlines() if not line.startswith("%"))
        return self.session.submit(plain, "cell 1", self.output).result(300)

    def value(self, code: str):
        before = len(self.output.texts)
        assert self.runs(f"console.log(JSON.stringify({code}))").status == "ok"
        return json.loads("".join(self.output.texts[before:]))

    def get(self, name: str) -> str:
        """A variable, as %check asks for it."""
        return json.dumps(self.value(name))


@pytest.fixture
def reader():
    made = Reader()
    made.session.start()
    yield made
    made.session.close()


def started() -> list[psutil.Process]:
    """The programs of the experiment that sessions of this test run."""
    folder, found = str(find("00").folder), []
    for each in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # it has just ended
            if any(word.startswith(folder) for word in each.cmdline()):
                found.append(each)
    return found


def check(number: int, get) -> list[str]:
    return exercises.missing(number, exercises.view(Workbench(find("00")), get))


@pytest.mark.slow("races by hand, five launches")
def test_the_cells_build_a_race_and_leave_no_process(reader):
    for name in BY_HAND:
        result = reader.runs(SOLVED if name == "hand-interval" else CELLS[name])
        assert result.status == "ok", (name, result.traceback)
        if name == "hand-interval":
            assert check(1, reader.get) == [], "the solution's interval of the cell's own ratios"
            assert len(started()) == 2, "both servers stand side by side"
    text = reader.output.text
    assert len(re.findall(r"launch \d: .*(?:they differ|no difference is seen)", text)) == 5
    assert re.search(r"plus-ten / work: .*(?:they differ|no difference is seen)", text)
    assert sum(PLOTLY in each for each in reader.shown) == 3
    assert not psutil.wait_procs(started(), timeout=30)[1], "the last cell ends them all"


@pytest.mark.slow("starts servers")
def test_a_server_ends_when_its_name_starts_again_and_with_the_session(reader):
    assert reader.runs(CELLS["hand-number"]).status == "ok"
    (before,) = started()
    assert reader.runs("var old = work; work = await start('work');").status == "ok"
    assert not psutil.wait_procs([before], timeout=30)[1]
    (server,) = started()
    result = reader.runs("await old.ask(5)")
    assert (result.status, result.evalue) == ("error", "work does not run any more: start it again")
    assert reader.runs("await work.ask(5)").status == "ok"
    assert "ended (1) before it answered" in reader.runs("await start('no-such')").evalue
    reader.session.close()
    assert not psutil.wait_procs([server], timeout=30)[1]


@pytest.mark.slow("starts a session")
def test_before_the_interval_is_written_the_cells_say_so(reader):
    for code in (
        "var ofTwin = [1, 2, 3], mean = (list) => list[0], percent = String;",
        CELLS["hand-interval"],
        CELLS["hand-twin"].partition("\n\n")[0],
    ):
        assert reader.runs(code).status == "ok"
    assert reader.value("told(ofTwin)") == "no interval yet: write intervalOf above"
    assert check(1, reader.get) == ["interval is not [low, high] yet: two numbers."]


DRAW = random.Random(3)
RATIOS = [DRAW.lognormvariate(0, 0.5) for _ in range(30)]  # of a busy machine: 1/3 to 3


def means(count: int) -> list[float]:
    """Sorted geometric means of so many of RATIOS, drawn with replacement."""
    return sorted(geometric_mean(DRAW.choices(RATIOS, k=count)) for _ in range(2000))


HONEST = means(30)


@pytest.mark.parametrize(
    "mine, sentence",
    [
        ([HONEST[50], HONEST[1949]], None),
        ([HONEST[1949], HONEST[50]], "above its high end"),
        ([HONEST[0], HONEST[-1]], "It is wider"),
        ([HONEST[500], HONEST[1499]], "It is narrower"),
        ([means(5)[50], means(5)[1949]], "as many ratios as there are blocks"),
        ([min(RATIOS), max(RATIOS)], "It is wider"),
        ([30 * HONEST[50], 30 * HONEST[1949]], "no ratios"),
        ([HONEST[50] + 0.3, HONEST[1949] + 0.3], "its place is not"),
        (["low", "high"], "two numbers"),
        (None, "interval has no value yet"),
    ],
)
def test_an_interval_by_hand_is_held_by_the_same_ratios(mine, sentence):
    told = check(1, lambda name: json.dumps({"ofTwin": RATIOS, "interval": mine}[name]))
    assert (told == []) if sentence is None else sentence in " ".join(told)


@pytest.mark.parametrize("ratios", [[], [1.0], ["1", "1"], [1, 0], {"a": 1}])
def test_without_ratios_it_says_which_cell_to_run(ratios):
    told = check(1, lambda name: json.dumps({"ofTwin": ratios, "interval": [1, 1]}[name]))
    assert "run the cell with race(work, twin)" in told[0]


def test_before_any_cell_has_run_the_check_says_so():
    def nothing(name: str) -> str:
        raise BenchError(f"{name} does not exist")

    (told,) = check(1, nothing)
    assert told.startswith("ofTwin has no value yet")
