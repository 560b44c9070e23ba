"""Experiment 07's page: its clients read the same, it races in Chromium, nothing stays behind."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from benchbook.model import experiments, results
from benchbook.model.kinds.kind import part_names
from benchbook.model.samples import Evidence
from benchbook.model.variants import Variant
from benchbook.programs import packages, readiness, runners
from benchbook.programs.programs import VariantError
from benchbook.race import replaying
from benchbook.race.kinds.decoded import DecodedAnswer
from benchbook.race.kinds.page import executor as page_executor
from benchbook.race.kinds.page import web_page
from benchbook.race.options import Options
from benchbook.race.prepare import prepare
from benchbook.show.cards import replay_cards
from benchbook.show.figures.parts import parts_figure
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError
from made import copy_of_checkout

pytestmark = [
    pytest.mark.slow("builds the page's clients and races them in Chromium"),
    pytest.mark.xdist_group("weather_page"),  # with others who publish it: one waits, not two
]

LACKING = "npm:nobody-has-this"  # what one of the clients needs here
GOLDEN = json.loads((paths.root() / "data" / "serializers" / "golden.json").read_text("utf-8"))
HERE = Path(__file__).parent
SHORT = ("--launches", "1", "--blocks", "40", "--seconds", "0.3", "--warmup", "0")
PATIENCE_SECONDS = 240  # the first time the page is published


# ── JavaScript clients ───────────────────────────────────────────────────────────────────────────


def decode(*inputs: tuple[str, str]) -> list[dict]:
    """What the JavaScript client of a format reads of bytes in hex."""
    asked = json.dumps([{"format": kind, "hex": text} for kind, text in inputs])
    done = subprocess.run(
        ["node", HERE / "decode.mjs"],
        input=asked,
        capture_output=True,
        text=True,
        cwd=paths.root(),
        env={**os.environ, "TZ": "UTC"},  # JSON has no zone for a date of kind Unspecified
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def milliseconds(item: dict) -> str:
    """A golden date, as a Date prints itself."""
    return f"{item['dateIso'][:23]}Z"


def test_javascript_clients_read_what_the_real_libraries_wrote():
    golden = GOLDEN["array"]
    wanted = [
        {"date": milliseconds(i), "temperatureC": i["temperatureC"], "summary": i["summary"]}
        for i in GOLDEN["items"]
    ]
    read = decode(
        ("json", golden["jsonHex"]),
        ("memorypack", golden["memoryPackHex"]),
        ("memorypack", golden["memoryPackUtf16Hex"]),
        ("messagepack", golden["messagePackIntKeyHex"]),
    )
    assert read[:3] == [{"read": wanted}] * 3
    # @msgpack/msgpack rounds the last millisecond of the year 9999 up
    assert read[3]["read"][:4] == wanted[:4]
    assert read[3]["read"][4]["date"] == "+010000-01-01T00:00:00.000Z"


def test_the_memorypack_reader_knows_null_and_empty():
    names = ("nullArray", "emptyArray", "arrayWithOneNullElement")
    read = decode(*(("memorypack", GOLDEN[name]["memoryPackHex"]) for name in names))
    assert read == [{"read": None}, {"read": []}, {"read": [None]}]


def test_the_memorypack_reader_refuses_what_is_cut_off_or_senseless():
    whole = GOLDEN["array"]["memoryPackHex"]
    cut = [whole[: 2 * i] for i in range(len(whole) // 2)]
    senseless = ["feffffff", "ffffff7f", "0100000004", "01000000" + "03" + "00" * 12 + "ffffff7f"]
    answers = decode(*(("memorypack", text) for text in [*cut, *senseless]))
    assert {answer.get("error") for answer in answers} == {"RangeError"}


def test_random_bytes_do_not_hang_the_memorypack_reader():
    draw = random.Random(7)
    noise = [draw.randbytes(draw.randrange(200)).hex() for _ in range(2000)]
    answers = decode(*(("memorypack", text) for text in noise))
    assert {answer.get("error") for answer in answers} <= {"RangeError", "TypeError", None}


# ── The race ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module", autouse=True)
def experiment(tmp_path_factory):
    """The experiment in a checkout of its own, where one client needs what is not there.

    It is one in JavaScript: with the others the page is what other tests have published, too.
    """
    root = copy_of_checkout(tmp_path_factory.mktemp("few") / "checkout")
    path = root / "snippets" / "07-serializers" / "browser" / "experiment.toml"
    head, *variants = path.read_text("utf-8").split("[[variants]]\n")
    for i, text in enumerate(variants):
        if 'name = "msgpack-javascript"' in text:
            variants[i] = re.sub("needs = .*", f'needs = ["{LACKING}"]', text)
    path.write_text("[[variants]]\n".join([head, *variants]), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHBOOK_ROOT", str(root))
        yield experiments.find("07/browser")


@pytest.fixture(scope="module")
def ran(experiment, tmp_path_factory):
    """A short race of all its variants."""
    path = tmp_path_factory.mktemp("page") / "run.json"
    options = Options(more=True, launches=1, blocks=2, seconds=0.2, warmup=0.0, seed=1, path=path)
    race = prepare(experiment, options)
    list(race.events())
    return race


def test_every_client_sees_the_same_objects_and_is_timed_in_parts(experiment, ran):
    run = results.load(ran.run.path)
    raced = [entry for entry in run.entries if entry.status == "raced"]
    there = {v.name for v in experiment.variants if not readiness.lacking(v)}
    assert run.complete and {e.name for e in raced} == there | {"json#2"}
    assert {"json", "memorypack-by-hand", "memorypack-javascript"} <= there
    assert {answer["sha256"] for answer in run.parity.values()} == {run.parity["json"]["sha256"]}
    assert len({answer["sha256_exact"] for answer in run.parity.values()}) == 2  # C#'s, and ''
    assert {answer["forecasts"] for answer in run.parity.values()} == {1000}
    for sample in run.samples:
        assert sample.requests > 0 and not sum(sample.errors.values())
        together = sample.variant == "json-in-one-call"  # its GET and decode can't be told apart
        assert set(sample.parts_ms) == (set() if together else {"GET", "decode"})
    assert len(run.samples) == len(raced) * 2


def test_the_libraries_read_what_they_write_trimmed(experiment, ran):
    raced = {entry.name for entry in ran.run.entries if entry.status == "raced"}
    for name, by_hand in (
        ("messagepack", "messagepack-by-hand"),
        ("memorypack", "memorypack-by-hand"),
    ):
        if name in raced:
            assert ran.run.parity[name]["sha256_exact"] == ran.run.parity["json"]["sha256_exact"]
            assert ran.run.parity[name]["bytes"] == ran.run.parity[by_hand]["bytes"]
    framework = runners.built_in(ran.executor.apps[0].server) / "out/wwwroot/_framework"
    libraries = list(framework.glob("System.*.wasm"))
    assert libraries and not list(framework.glob("System.Xml.*.wasm")), "what nobody uses is gone"
    assert all(path.with_name(f"{path.name}.br").is_file() for path in libraries)


def test_the_size_on_the_wire_is_that_of_the_format(ran):
    sizes = {name: answer["bytes"] for name, answer in ran.run.parity.items()}
    assert sizes["json"] == sizes["json-javascript"]
    assert sizes["memorypack-by-hand"] == sizes["memorypack-javascript"]
    assert sizes["messagepack-by-hand"] < sizes["memorypack-by-hand"] < sizes["json"]


def test_what_can_not_be_had_is_unavailable_with_the_reason(ran):
    entry = ran.run.entry("msgpack-javascript")
    assert entry.status == "unavailable" and "nobody-has-this" in entry.reason


def test_nothing_of_a_race_stays_behind(ran):
    members = [*ran.executor.members, ran.executor.browser.driver.process.pid]
    psutil.wait_procs([psutil.Process(p) for p in members if psutil.pid_exists(p)], timeout=120)
    assert not [pid for pid in members if psutil.pid_exists(pid)]
    assert not any(site.folder.exists() for site in ran.executor.sites)


def test_the_table_and_the_plot_show_the_parts(ran):
    figure = parts_figure(ran.run)
    assert [trace["name"] for trace in figure.plotly["data"]] == ["GET", "decode"]
    assert "json: decode is" in figure.label
    assert "decode" in part_names(ran.run)
    ran.run.samples.clear()
    with pytest.raises(InputError, match="has no parts to plot"):
        parts_figure(ran.run)


def bench(*words: str, **settings) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "benchbook", *words],
        env={**os.environ, "PYTHONPATH": paths.pythonpath(), "PYTHONUNBUFFERED": "1"},
        cwd=paths.root(),
        text=True,
        **settings,
    )


def line_with(process: subprocess.Popen, wanted: str) -> str:
    """The first line with these words that a process prints."""
    for line in process.stdout:
        if wanted in line:
            return line
    pytest.fail(f"it ended with {process.wait()} and never printed '{wanted}'")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_chromium_and_server_end_with_a_race_that_is_killed(ran, tmp_path):
    command = ("race", "07/browser", "--variants", "json-javascript", *SHORT)
    race = bench(
        *command,
        "--json",
        str(tmp_path / "r.json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    line_with(race, "block 1 of 40")
    family = psutil.Process(race.pid).children(recursive=True)
    names = " ".join(process.name() for process in family)
    assert "chrom" in names and "node" in names and "dotnet" in names
    race.kill()
    race.wait()
    race.stdout.close()
    _, alive = psutil.wait_procs(family, timeout=120)
    assert not alive


def test_a_client_that_reads_something_else_is_out():
    json_, other = Variant("json", "", Path("a.cs")), Variant("b", "", Path("b.mjs"))
    seen = DecodedAnswer(1000, "abc", 10, "exact")
    page_executor.check(json_, seen, seen)
    page_executor.check(
        other, DecodedAnswer(1000, "abc", 5, ""), seen
    )  # JavaScript can't tell ticks
    for wrong in (
        DecodedAnswer(1000, "xyz", 5, ""),
        DecodedAnswer(999, "abc", 5, ""),
        DecodedAnswer(1000, "abc", 5, "else"),
    ):
        with pytest.raises(VariantError, match="all clients must see the same objects"):
            page_executor.check(other, wrong, seen)


def test_a_sample_is_the_sum_of_get_and_decode():
    measured = page_executor.measurement({"get": [3, 5], "decode": [1, 1]}, 100, Evidence(), 0.0)
    assert measured.load.requests_per_second == pytest.approx(200)
    assert measured.load.latency_ms["mean"] == pytest.approx(5)
    assert measured.parts_ms == {"GET": 4, "decode": 1}
    whole = page_executor.measurement({"get": [5, 5], "decode": []}, 100, Evidence(), 0.0)
    assert whole.load.requests_per_second == pytest.approx(200) and not whole.parts_ms


def test_without_chromium_every_variant_is_unavailable_and_says_how_to_get_it(
    experiment, monkeypatch
):
    monkeypatch.setenv("BENCHBOOK_CHROMIUM", "/nowhere/chromium")
    for variant in [v for v in experiment.variants if v.needs != (LACKING,)]:
        assert "./bench setup --with-browser" in readiness.unavailable(variant)
    with pytest.raises(BenchError, match="Chromium is not installed"):
        prepare(experiment)


def test_a_page_that_fails_puts_its_client_out_with_the_page_s_words(experiment, ran, tmp_path):
    home = experiment.home
    copy = tmp_path / home.name
    shutil.copytree(home, copy, ignore=shutil.ignore_patterns("bin", "obj"))
    path = copy / "browser/Server/wwwroot/javascript/json.mjs"
    path.write_text(path.read_text("utf-8").replace("JSON.parse(", "JSON.purse("), "utf-8")
    found = experiment.variant("json-javascript")
    edited = experiment.with_edit(Variant(**{**vars(found), "path": path, "edited": True}))
    options = Options(
        launches=1,
        blocks=1,
        seconds=0.2,
        warmup=0.0,
        variants=("json-javascript",),
        path=tmp_path / "run.json",
    )
    race = prepare(edited, options)
    list(race.events())
    entry = race.run.entry("json-javascript")
    assert entry.status == "failed" and "JSON.purse is not a function" in entry.reason


@pytest.fixture
def quickly(monkeypatch):
    """Publish neither trimmed nor compressed, which takes half of the time."""
    monkeypatch.setenv("PublishTrimmed", "false")
    monkeypatch.setenv("CompressionEnabled", "false")


def test_an_edit_in_csharp_is_published_without_libraries_that_nuget_lacks(
    experiment, quickly, monkeypatch, tmp_path
):
    missing = ("MessagePack", "MemoryPack")
    monkeypatch.setattr(packages, "probe", lambda *names: {})
    monkeypatch.setattr(packages, "lacks", lambda name: "not here" if name in missing else "")
    found = experiment.variant("json-in-one-call")
    path = tmp_path / "Client" / "Clients" / found.path.name
    path.parent.mkdir(parents=True)
    path.write_text(found.code.replace('"WeatherForecast")', '"Weather")'), "utf-8")
    assert path.read_text("utf-8") != found.code
    edited = experiment.with_edit(replace(found, path=path, edited=True))
    asked = (found.name, "messagepack", "memorypack", "memorypack-by-hand")
    options = Options(
        launches=1, blocks=1, seconds=0.2, warmup=0.0, variants=asked, path=tmp_path / "r"
    )
    race = prepare(edited, options)
    list(race.events())
    entries = {entry.name: entry for entry in race.run.entries}
    assert entries[found.name].status == "failed"
    assert "JSON, GetFromJsonAsync" in entries[found.name].reason  # the page's own words
    assert entries["json"].status == entries["memorypack-by-hand"].status == "raced"
    for name in ("messagepack", "memorypack"):
        assert (entries[name].status, entries[name].reason) == ("unavailable", "not here")
    out = runners.built_in(race.executor.apps[0].server) / "out"
    assert (out / "MessagePackByHand.dll").is_file()
    assert not (out / "MessagePack.dll").exists() and not (out / "MemoryPack.Core.dll").exists()


def test_the_slides_method_is_replayed_in_the_browser(experiment, ran, tmp_path):
    replayed = replaying.prepare(experiment, shorten=10, path=tmp_path / "run.json")
    list(replayed.events())
    found = results.load(tmp_path / "run.json").replay
    rows = {row.label: row for row in found.rows}
    assert rows["JSON, measurement 10"].published == {"ms": 868}
    assert rows["JSON, measurement 10"].replayed["ms"] > 0
    assert rows["JSON, mean"].replayed["ms"] > 0
    json_ = next(m for m in found.measured if m.name == "json")
    assert [run.requests for run in json_.runs] == [2] * 20  # 20 loops, shortened; ten times
    assert any("browser" in reason for reason in replay_cards.reasons(replayed.run))
    assert not any(site.folder.exists() for site in replayed.executor.sites)


def test_an_experiment_without_a_page_says_which_have_one():
    with pytest.raises(InputError, match="has no web page.*07/browser"):
        web_page.find("04")
    with pytest.raises(InputError, match="no experiment '77'"):
        web_page.find("77")
    assert web_page.find("07").name == "07-serializers/browser"
