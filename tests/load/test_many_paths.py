"""Many paths asked at random: each load generator asks all of them, evenly, in a seed's order."""

import json
import urllib.request
from collections import Counter
from dataclasses import dataclass
from urllib.error import HTTPError

import pytest

from benchbook.load import loading, registry
from benchbook.load.errors import LoadError
from benchbook.loadtools.tool import Paths
from benchbook.model import experiments
from benchbook.model.variants import Variant
from benchbook.programs import programs
from benchbook.race import prepare
from benchbook.race.kinds.http import executor
from benchbook.race.options import Options
from benchbook.system.pinning import Pinning
from benchbook_kernels.base.errors import BenchError, InputError
from made import SERVER

COUNT = 1000
FEWER = 200  # are asked several times in two seconds, also on a busy machine
# A server that notes which paths it was asked, in their order, and tells them at /asked.
COUNTING = """
import http from 'node:http';
const asked = [];
http.createServer((request, response) => {
  if (request.url === '/asked') return response.end(JSON.stringify(asked.splice(0)));
  if (request.url.startsWith('/items/')) asked.push(request.url);
  else response.statusCode = 404;
  response.end('hello');
}).listen(process.env.PORT, '127.0.0.1');
"""


@dataclass
class Counting:
    """The counting server: what it was asked since it was last looked at."""

    address: str

    def asked(self) -> list[str]:
        with urllib.request.urlopen(f"{self.address}/asked") as answer:
            return json.load(answer)


@pytest.fixture
def counting(keeper, tmp_path):
    file = tmp_path / "counting.mjs"
    file.write_text(COUNTING)
    program = programs.start(Variant("counting", "counts", file), keeper)
    programs.await_ready(program, "/asked")
    yield Counting(f"http://{programs.HOST}:{program.port}")
    program.end(keeper)


@pytest.mark.parametrize("name", ["wrk", "autocannon", "python-load"])
@pytest.mark.slow("asks many paths with each load tool")
def test_many_paths_are_asked_evenly(name, counting, keeper):
    tool, paths = registry.choose(name), Paths("/items/{number}", FEWER, seed=7)
    measured = loading.run(tool, f"{counting.address}/items/0", 2.0, 8, keeper, paths=paths)
    asked = counting.asked()
    counts = Counter(asked)
    assert set(counts) == {f"/items/{number}" for number in range(FEWER)}
    # the order begins anew when all were asked; autocannon asks one before its clock starts
    assert max(counts.values()) - min(counts.values()) <= 2
    assert measured.non_2xx == 0 and not any(measured.errors.values())
    assert measured.requests <= len(asked)
    first, second = asked[1 : FEWER + 1], asked[FEWER + 1 : 2 * FEWER + 1]
    assert first != second, "each time round there is another order"
    assert first != sorted(first, key=lambda path: int(path.rpartition("/")[2]))


@pytest.mark.parametrize("name", ["wrk", "autocannon", "python-load"])
@pytest.mark.slow("asks many paths with each load tool")
def test_the_order_is_the_seeds(name, counting, keeper):
    def order(seed: int) -> list[str]:
        tool, paths = registry.choose(name), Paths("/items/{number}", COUNT, seed)
        loading.run(tool, f"{counting.address}/items/0", 1.0, 1, keeper, paths=paths)
        return counting.asked()[:30]

    first = order(3)
    assert order(3) == first
    assert order(4) != first


def test_threads_of_wrk_have_orders_of_their_own(counting, keeper):
    paths = Paths("/items/{number}", COUNT, seed=7)
    loading.run(
        registry.choose("wrk"), f"{counting.address}/items/0", 1.0, 2, keeper, [0, 1], paths
    )
    asked = counting.asked()
    together = sum(one == other for one, other in zip(asked[::2], asked[1::2]))
    assert together < len(asked) / 10


def test_ab_says_that_it_asks_one_path_only(counting, keeper):
    tool, url = registry.get("ab"), f"{counting.address}/items/0"
    able = "wrk, autocannon or python-load"
    with pytest.raises(LoadError, match=f"one path only, and not 1,000 .* {able}"):
        loading.run(tool, url, 1, 1, keeper, paths=Paths("/items/{number}", COUNT))
    assert counting.asked() == []
    assert loading.run(tool, url, 1, 1, keeper, paths=Paths("/items/{number}", 1)).requests


ASKED = {"a": "paths = 1", "b": f"paths = {COUNT}"}
SETTINGS = 'path = "/items/0"\npaths = "/items/{number}"\nunknown = "/nothing"'
KNOWS = SERVER.replace(
    "response.setHeader",
    "const known = Number(request.url.slice(7)) < process.env.PATHS;\n"
    "  response.statusCode = known ? 200 : 404;\n  response.setHeader",
)
ANSWERS_ALL = SERVER


def made(make_experiment, codes):
    folder = make_experiment(codes, ASKED)
    file = folder / "experiment.toml"
    file.write_text(file.read_text().replace('path = "/"', SETTINGS))
    return experiments.load(folder)


def launched(experiment, keeper):
    variants = {v.name: v for v in experiment.variants}
    free = Pinning(None, None, "for a test")
    started = executor.HttpExecutor(
        experiment, variants, registry.choose("wrk"), free, 8, keeper=keeper
    )
    return started, started.launch(list(variants))


def test_variants_know_how_many_paths_they_are_asked(make_experiment, keeper):
    started, errors = launched(made(make_experiment, {"a": KNOWS, "b": KNOWS}), keeper)
    assert errors == {}
    for name in ("a", "b"):
        measured = started.measure(name, 0.3).load
        assert measured.requests > 0 and measured.non_2xx == 0
    program = started.running["a"]
    with pytest.raises(HTTPError, match="404"):
        urllib.request.urlopen(f"http://{programs.HOST}:{program.port}/items/1")


def test_who_answers_an_unknown_path_is_out_of_the_race(make_experiment, keeper):
    _, errors = launched(made(make_experiment, {"a": KNOWS, "b": ANSWERS_ALL}), keeper)
    assert list(errors) == ["b"]
    assert "/nothing, which does not exist, with status 200" in str(errors["b"])


def test_with_ab_only_what_is_asked_one_path_races(make_experiment):
    experiment = made(make_experiment, {"a": KNOWS, "b": KNOWS})
    prepared = prepare.prepare(experiment, Options(tool="ab", launches=1, blocks=1))
    entries = {e.name: e for e in prepared.run.entries}
    prepared.executor.close()
    assert entries["a"].status == "raced"
    assert entries["b"].status == "unavailable" and "one path only" in entries["b"].reason


def test_a_baseline_that_the_tool_can_not_ask_is_an_error(make_experiment):
    experiment = made(make_experiment, {"a": KNOWS, "b": KNOWS})
    swapped = made_baseline(experiment, "b")
    with pytest.raises(BenchError, match="the baseline 'b' can't be raced: ab can ask one path"):
        prepare.prepare(swapped, Options(tool="ab"))


def test_a_mode_may_race_some_of_the_variants(make_experiment):
    experiment = made(make_experiment, {"a": KNOWS, "b": KNOWS, "c": KNOWS})
    file = experiment.folder / "experiment.toml"
    file.write_text(file.read_text().replace("[race.quick]", '[race.quick]\nvariants = ["c"]'))
    changed = experiments.load(experiment.folder)

    def raced(**options) -> list[str]:
        prepared = prepare.prepare(changed, Options(**options))
        prepared.executor.close()
        return [entry.name for entry in prepared.run.entries]

    assert raced() == ["a", "a#2", "c"]
    assert raced(variants=("b",)) == ["a", "a#2", "b"]
    assert raced(mode="full") == ["a", "a#2", "b", "c"]


def made_baseline(experiment, name):
    file = experiment.folder / "experiment.toml"
    file.write_text(file.read_text().replace('baseline = "a"', f'baseline = "{name}"'))
    return experiments.load(experiment.folder)


def test_paths_need_their_form_and_the_first_of_them(make_experiment):
    folder = make_experiment({"a": KNOWS}, ASKED)
    with pytest.raises(InputError, match=r"\('a'\).paths: is given without http.paths"):
        experiments.load(folder)
    file = folder / "experiment.toml"
    text = file.read_text()
    file.write_text(text.replace('path = "/"', 'path = "/"\npaths = "/items/{number}"'))
    with pytest.raises(InputError, match=r"http.path: '/' is not the first of http.paths"):
        experiments.load(folder)
    file.write_text(text.replace('path = "/"', 'path = "/items/"\npaths = "/items/"'))
    with pytest.raises(InputError, match="http.paths: .*form"):
        experiments.load(folder)
