"""Several programs by layer: each beside the first one, and a fault in one leaves the others."""

from types import SimpleNamespace

import pytest

from benchbook.model.profiles import recorded
from benchbook.model.profiles.comparison import ProfiledLaunch
from benchbook.model.profiles.profile import NATIVE, OWN, Frame
from benchbook.notebook.magics import why_magics
from benchbook.profiling import layers, service
from benchbook.profiling.options import WhyOptions
from benchbook.profiling.profiler import ProfilerError
from benchbook.show.pictures import picture
from benchbook.show.why import layer_bars, layer_cards
from benchbook_kernels.base.errors import BenchError, InputError
from profiling.simulated import HTTP, SERVER, comparison, of_b
from quiet import Quiet

ROUTER = Frame("route", "router", "node_modules/router/index.js", 9, "router 2.2.0")
KOA = Frame("handle", "koa", "node_modules/koa/lib.js", 9, "koa 3.0.0")
ADDED = {"express": {ROUTER: 30.0, Frame("set", HTTP, "node:http", 999): 20.0}, "koa": {KOA: 10.0}}
NAMES = ("bare", "express", "koa")
DONE = {name: name for name in NAMES}
EXPERIMENT = SimpleNamespace(
    saved_as="77-made",
    baseline="bare",
    variant=lambda name: SimpleNamespace(name=DONE[name], edited=False),
)


def beside_bare(name, speed=1.0):
    """A comparison of a framework with the bare server, on a machine that is so much slower."""
    slower = {frame: cost * speed for frame, cost in of_b(SERVER).items()}
    slower |= {frame: cost * speed for frame, cost in ADDED[name].items()}
    found = comparison({f: c * speed for f, c in SERVER.items()}, slower, scatter=0.0)
    found.programs, found.own = ["bare", name], []
    found.titles, found.files = (
        {"bare": members["a"], name: members["b"]} for members in (found.titles, found.files)
    )
    found.launches = [
        ProfiledLaunch(*({"bare": each["a"], name: each["b"]} for each in vars(launch).values()))
        for launch in found.launches
    ]
    return found


@pytest.fixture(scope="module")
def found():
    pairs = [beside_bare("express", speed=2.0), beside_bare("koa")]
    return layers.layers(pairs, [*NAMES, "hapi"], {"hapi": "'hapi' can't be profiled: it is away"})


def layer(program, name):
    return next((each for each in program.layers if each.name == name), None)


def test_the_first_one_is_first_and_the_cheapest_next(found):
    assert [each.name for each in found.programs] == ["bare", "koa", "express"]


def test_programs_that_were_measured_at_different_speeds_are_told_at_one(found):
    bare, koa, express = found.programs
    factor = bare.mean / (sum(SERVER.values()) + 0.4)  # 0.4 µs are other threads'
    assert 1.2 < factor < 1.8  # between both
    assert layer(express, "router").mean / factor == pytest.approx(30, rel=0.05)
    assert layer(koa, "koa").mean / factor == pytest.approx(10, rel=0.1)
    grown = layer(express, HTTP).mean - layer(bare, HTTP).mean
    assert grown / factor == pytest.approx(20, rel=0.15)
    for each in found.programs:
        assert sum(each.us) / len(each.us) == pytest.approx(each.mean)
        assert sum(each.beside) / len(each.beside) == pytest.approx(bare.mean)


def test_packages_are_known_from_parts_of_the_runtime(found):
    packaged = {x.name for each in found.programs for x in each.layers if x.packaged}
    assert packaged == {"router", "koa"}
    assert layer(found.base, NATIVE) and layer(found.base, OWN)


def test_the_table_says_what_each_adds_and_what_is_missing(found):
    text = layer_cards.answer(found).text
    assert text.startswith("bare takes ") and "express +" in text
    assert "router +" in text and "Node.js: HTTP +" in text
    assert "hapi can't be profiled, because it is away" in text
    assert "beside bare" in layer_cards.details(found).text


def test_the_parts_of_a_bar_add_up_to_what_its_program_costs(found):
    figure = layer_bars.layer_bars(found)
    for row, program in enumerate(found.programs[::-1]):
        assert sum(t["x"][row] for t in figure.plotly["data"]) == pytest.approx(program.mean)
    shown = [each["name"] for each in figure.plotly["data"] if each["showlegend"]]
    assert shown.count(layer_bars.PACKAGES) == 1 and HTTP in shown and "router" not in shown
    assert figure.numbers.text.count("router") == 1
    svg = picture.svg(figure.label, figure.plotly)
    assert ">router<" in svg and svg.count("<rect") > len(found.programs)


def test_a_recorded_one_is_read_as_it_was_written(found, tmp_path, monkeypatch):
    monkeypatch.setattr(recorded, "folder", lambda: tmp_path)
    path = recorded.write(found)
    read = recorded.layers(found.experiment, found.names)
    assert layer_cards.answer(read).text == layer_cards.answer(found).text
    assert path.stat().st_size < 20_000
    with pytest.raises(InputError, match=r"layers\[0\].*packaged"):
        path.write_text(path.read_text().replace('"packaged": false', '"packaged": 7'))
        recorded.layers(found.experiment, found.names)


# ── Found here ───────────────────────────────────────────────────────────────────────────────────


def measured(monkeypatch, **faults):
    """What there is of each program; its fault is raised."""

    def profiled(experiment, names, options, audience):
        assert names[0] == "bare"
        if fault := faults.get(names[1]):
            raise fault
        return beside_bare(names[1])

    monkeypatch.setattr(service, "profiled_here", profiled)
    return ("koa", "bare", "express"), WhyOptions(), Quiet()


def test_a_fault_in_one_leaves_the_others(monkeypatch):
    given = measured(monkeypatch, koa=BenchError("variant 'koa' ended by itself"))
    found = service.layered(EXPERIMENT, *given)
    assert [each.name for each in found.programs] == ["bare", "express"]
    assert found.missing == {"koa": "variant 'koa' ended by itself"}
    assert "koa can't be profiled, because it ended" in layer_cards.answer(found).text


def test_where_none_is_left_it_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setattr(recorded, "folder", lambda: tmp_path)
    fault = ProfilerError("'koa' can't be profiled: no")
    given = measured(monkeypatch, koa=fault, express=BenchError("another"))
    with pytest.raises(ProfilerError, match="'koa' can't be profiled"):
        service.layered(EXPERIMENT, *given)
    with pytest.raises(InputError, match="names 'koa' twice"):
        service.layered(EXPERIMENT, ("koa", "koa"), *given[1:])


def test_an_interrupt_keeps_what_was_complete(monkeypatch):
    stopped = service.ProfilingStopped(KeyboardInterrupt(), beside_bare("express"))
    stopped.comparison.launches = stopped.comparison.launches[:1]
    given = measured(monkeypatch, express=stopped)
    with pytest.raises(service.LayersStopped) as interrupt:
        service.layered(EXPERIMENT, *given)
    assert [each.name for each in interrupt.value.found.programs] == ["bare", "koa"]


def test_what_is_not_recorded_is_told_in_a_notebook_and_is_no_error(monkeypatch, tmp_path):
    monkeypatch.setattr(recorded, "folder", lambda: tmp_path)
    told, stopped = [], []
    block = SimpleNamespace(finish=told.append, stop=lambda: stopped.append(True))
    asked = WhyOptions(recorded=True)
    for ask in (service.layered, service.profiled, service.counted):
        with why_magics.ended_by_errors(block):
            ask(EXPERIMENT, ("bare", "koa"), asked, None)
    assert len(told) == 3 and not stopped
    assert all("nothing is recorded of bare, koa" in each.text for each in told)
    with pytest.raises(KeyError), why_magics.ended_by_errors(block):
        service.profiled(EXPERIMENT, ("bare", "unknown"), asked, None)
