"""docs/systems.md, a row for every program that the articles name, is made from the claims."""

from dataclasses import replace

import pytest

from benchbook.model import experiments
from benchbook_kernels.base.errors import InputError
from tool import loaded

made = loaded("make_systems")

EVERY = experiments.load_all()


def of(article: str) -> list:
    return [e.claim for e in made.by_article(EVERY)[article]]


def test_the_page_is_made_from_the_claims():
    assert made.main(["--check"]) == 0, "python tools/make_systems.py"


def test_check_finds_an_old_page_and_writes_none(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(made, "PAGE", tmp_path / "systems.md")
    made.PAGE.write_text("old")
    assert made.main(["--check"]) == 1
    assert "not up to date" in capsys.readouterr().err
    assert made.PAGE.read_text() == "old"
    assert made.main([]) == 0 == made.main(["--check"])


@pytest.mark.parametrize(
    ("article", "names"),
    [
        (
            "000",
            "System.Web, Helios, WCF REST, ASP.NET MVC, ASP.NET Web API, Nancy, ServiceStack, "
            "Katana, HttpHandler, HttpTaskAsyncHandler, LightNode, SelfHost, IIS, IIS Express",
        ),
        ("001", "System.Text.Json, MessagePack for C#, MemoryPack, Blazor WebAssembly"),
        ("002", "Express, hapi, Restify, Koa, Fastify, http.Server, JSON.stringify"),
        ("003", "IIS 7.5 and IIS 8, HttpSelfHostServer, ASP.NET Web API, IIS Express"),
        ("004", "Gerbil httpd, default mux; Gerbil httpd, static mux; Hono; Deno"),
        ("005", "Bun, Node.js, Deno, Hono"),
        ("006", "Task, ValueTask, runtime-async, .NET 11, .NET 10, return await"),
        ("007", "file-based apps, projects"),
    ],
)
def test_what_an_article_compares_has_one_row(article, names):
    rows = [system.name for claim in of(article) for system in claim.systems]
    assert set(names.split("; " if ";" in names else ", ")) <= set(rows)
    assert len(set(rows)) == len(rows)


def test_a_system_without_a_row_is_named_with_its_claim_wherever_it_is_said():
    claim = next(c for c in of("004") if c.systems)
    for changed in (
        replace(claim, figures=(*claim.figures, replace(claim.figures[0], label="Bun 1.3"))),
        replace(claim, statements=(replace(claim.statements[0], says="… and so is Bun."),)),
        replace(claim, source=replace(claim.source, software="Deno, Bun")),
    ):
        with pytest.raises(InputError, match="08-routers-and-muxes.toml.*'Bun' has no row"):
            made.check([changed])
    made.check([claim])


def test_a_row_that_was_taken_out_is_missed_and_two_rows_are_too_many():
    claim = next(c for c in of("004") if c.systems)
    with pytest.raises(InputError, match="'Hono' has no row"):
        made.check([replace(claim, systems=tuple(s for s in claim.systems if s.name != "Hono"))])
    with pytest.raises(InputError, match="has rows here and in 08-routers-and-muxes.toml"):
        made.check([claim, replace(claim, path=claim.path.with_name("other.toml"))])
