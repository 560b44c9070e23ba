"""Experiment 07's page by hand: ./bench page 07, opened in Chromium as a reader opens it."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import psutil
import pytest

from benchbook.programs import packages
from benchbook.system import paths

pytestmark = [
    pytest.mark.slow("publishes the page and opens it in Chromium"),
    pytest.mark.xdist_group("weather_page"),  # with others who publish it: one waits, not two
]

PATIENCE_SECONDS = 600  # the first time the page is published


def bench(*words: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "benchbook", *words],
        env={**os.environ, "PYTHONPATH": paths.pythonpath(), "PYTHONUNBUFFERED": "1"},
        cwd=paths.root(),
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def served():
    """./bench page 07, as long as the tests last; it ends at Ctrl-C."""
    page = bench("page", "07")
    url = next(line for line in page.stdout if "http://" in line).split()[0]
    yield url
    page.send_signal(signal.SIGINT)
    assert page.wait(120) == 0
    page.stdout.close()
    with pytest.raises(OSError):
        urllib.request.urlopen(url, timeout=2)


def test_a_reader_switches_the_formats_and_measures(served, browse, screenshots):
    seen = browse("measure-page.mjs", served, screenshot=screenshots / "forecasts.png")
    assert seen["errors"] == [] and seen["requests"] == [] and seen["problems"] == []
    assert seen["isolated"], "without COOP and COEP the page's clock is coarse"
    libraries = [n for n in ("MessagePack", "MemoryPack") if not packages.lacks(n)]
    slides = ["JSON", *libraries]
    assert seen["clients"][: len(slides)] == slides
    assert seen["forecasts"]["JSON"][0] == ["2026-01-01", "-20", "-3", "Freezing"]
    for rows in seen["forecasts"].values():
        assert rows == seen["forecasts"]["JSON"], "every format shows the same table"
    assert [row[0] for row in seen["script"]] == [r[0] for r in seen["forecasts"]["JSON"]]
    assert [row[0] for row in seen["once"]] == seen["clients"]
    for title, size, loads, *times, twenty in seen["once"]:
        assert int(size.replace(",", "")) > 15_000 and int(loads) > 0 and not twenty
        assert float(times[-1]) > 0
    assert {row[0] for row in seen["twenty"] if row[-1]} == set(slides)
    sent = {name: int(size.replace(",", "")) for name, size, _ in seen["files"]}
    assert any("dotnet.native" in name and size > 100_000 for name, size in sent.items())


def ask(url: str, **headers: str) -> tuple[str, bytes]:
    """The type and the body of the web API's answer."""
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
        return answer.headers.get_content_type(), answer.read()


def test_the_web_api_answers_each_format(served):
    kind, text = ask(f"{served}WeatherForecast?n=2")
    assert kind == "application/json" and len(json.loads(text)) == 2
    kind, by_hand = ask(f"{served}WeatherForecast/by-hand/messagepack?n=2")
    assert kind == "application/x-msgpack" and by_hand[0] == 0x92  # an array of two
    with pytest.raises(urllib.error.HTTPError, match="400"):
        ask(f"{served}WeatherForecast?n=100001")
    with pytest.raises(urllib.error.HTTPError, match="404"):
        ask(f"{served}WeatherForecast/by-hand/xml")
    with pytest.raises(urllib.error.HTTPError, match="400"):  # a site whose name leads here
        ask(f"{served}WeatherForecast?n=2", Host="evil.example")
    if not packages.lacks("MessagePack"):
        assert ask(f"{served}WeatherForecast/messagepack?n=2") == (kind, by_hand)
        negotiated = f"{served}WeatherForecast/negotiated?n=2"
        assert ask(negotiated, Accept=kind) == (kind, by_hand)
        assert ask(negotiated) == ("application/json", text)
    if not packages.lacks("MemoryPack"):
        kind, library = ask(f"{served}WeatherForecast/memorypack?n=2")
        by_hand = ask(f"{served}WeatherForecast/by-hand/memorypack?n=2")[1]
        assert kind == "application/x-memorypack" and library == by_hand


def test_first_and_later_loads_of_the_page_are_measured_apart(chromium):
    page = bench("page", "07", "--loads", "2")
    told = page.communicate(timeout=PATIENCE_SECONDS)[0]
    assert page.returncode == 0
    assert re.search(r"(?m)^ +[\d,]+ +[\d,]+  /_framework/dotnet[.]native[.].*wasm$", told)
    first, later = re.findall(r"(?m)^(?:with an empty cache|again): .* ([\d,]+) kB sent", told)
    assert int(first.replace(",", "")) > 500 > int(later.replace(",", ""))
    assert told.count("(median of 2: ") == 2


def test_only_this_machine_can_ask_the_server(served):
    port = int(served.rstrip("/").rpartition(":")[2])
    owners = [
        c for c in psutil.net_connections("tcp") if c.status == "LISTEN" and c.laddr.port == port
    ]
    assert {c.laddr.ip for c in owners} == {"127.0.0.1"}
