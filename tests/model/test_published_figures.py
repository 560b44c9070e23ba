"""The claims' figures are the articles': each is in a table typed from the articles, all of that in
the claims.

The table knows nothing of the claims but how they label a figure. Articles by their number, in each
the places in their order, in each the numbers that stand there.
"""

import pytest

from benchbook.model import claims, published
from benchbook.system import paths

WINDOWS = ["Windows 7 (IIS 7.5)", "Windows 7 (self-host)", "Windows 8 (IIS 8)"]
WINDOWS += ["Windows 8 (self-host)"]
LOADED = {  # slide 23, a row a measurement: JSON, MessagePack, MemoryPack
    "measurement 1": (637, 293, 218),
    "measurement 2": (535, 484, 252),
    "measurement 3": (853, 345, 231),
    "measurement 4": (522, 332, 288),
    "measurement 5": (625, 537, 305),
    "measurement 6": (653, 426, 249),
    "measurement 7": (713, 341, 222),
    "measurement 8": (582, 292, 257),
    "measurement 9": (484, 289, 211),
    "measurement 10": (868, 530, 283),
    "mean": (647, 387, 252),
}
FORMATS = ("JSON", "MessagePack", "MemoryPack")

ARTICLES: dict[str, dict[str, dict[tuple[str, str], float]]] = {
    "000": {
        "Sync vs Async, the sentence below the code": {
            ("RawOwinHandler: Write ahead of WriteAsync by", "requests/s"): 1000,
        },
        "notes on the environment, the first paragraph": {
            ("Windows Defender's real-time scanning, for comparison", "requests/s"): 3000,
        },
    },
    "001": {
        "slide 23": {
            (f"{name}, {row}", "ms"): value
            for row, values in LOADED.items()
            for name, value in zip(FORMATS, values, strict=True)
        },
        "slide 24, the row of differences": {
            ("MessagePack below JSON by", "ms, difference"): 260,
            ("MemoryPack below MessagePack by", "ms, difference"): 135,
        },
        "slide 26": {("a real page, JSON", "ms, page"): 783},
        "slide 27": {("a real page, MemoryPack", "ms, page"): 539},
    },
    "002": {
        "the table at the top": {
            ("Express 4.17.1", "requests/s"): 15_978,
            ("hapi 19.1.0", "requests/s"): 45_815,
            ("Restify 8.5.1", "requests/s"): 49_279,
            ("Koa 2.13.0", "requests/s"): 54_848,
            ("Fastify 3.0.0", "requests/s"): 78_956,
            ("http.Server 12.18.2", "requests/s"): 70_380,
        },
        "what the loop printed, near the end": {
            ("template string, first", "ms"): 108.867,
            ("JSON.stringify, first", "ms"): 3896.154,
            ("template string, second", "ms"): 94.697,
            ("JSON.stringify, second", "ms"): 3979.037,
            ("template string, third", "ms"): 92.277,
            ("JSON.stringify, third", "ms"): 4003.761,
        },
    },
    "003": {
        "The Results, the column of requests": {
            (name, "requests/s"): value
            for name, value in zip(WINDOWS, (3025.73, 4624.44, 4778.23, 5612.23), strict=True)
        },
        "The Results, the column of times": {
            (name, "ms"): value
            for name, value in zip(WINDOWS, (33.050, 21.624, 20.928, 17.818), strict=True)
        },
    },
    "004": {
        "the first output of wrk": {
            ("gerbil, default mux", "requests/s"): 58_202.46,
            ("gerbil, default mux", "ms"): 1.15,
        },
        "the second output of wrk": {
            ("Hono on Deno", "requests/s"): 81_882.84,
            ("Hono on Deno", "ms"): 0.12339,  # printed as 123.39us
        },
        "the third output of wrk": {
            ("gerbil, static mux", "requests/s"): 75_491.31,
            ("gerbil, static mux", "ms"): 1.11,
        },
    },
    "005": {
        "Bun's documentation, Bun.serve, Benchmarks": {
            ("Node 16", "requests/s"): 64_000,
            ("Bun", "requests/s"): 160_000,
        },
        "Bun's home page, Serving Express over HTTPS": {
            ("Bun 1.4, Express", "requests/s over HTTPS"): 48_243,
            ("Node.js 26.7.0, Express", "requests/s over HTTPS"): 25_181,
            ("Deno 2.9.5, Express", "requests/s over HTTPS"): 19_243,
        },
        "Deno's release note of 1.0": {
            ("Deno 1.0", "requests/s, hello world"): 25_000,
            ("a comparable Node program", "requests/s, hello world"): 34_000,
        },
        "Hono's page of benchmarks, Deno": {
            ("Hono 3.0.0 on Deno 1.22.0", "requests/s with bombardier"): 136_112,
        },
        "bun-http-framework-benchmark, the column Get (/)": {
            ("Bun 0.2.2, its own server", "requests/s on a MacBook"): 143_474.42,
            ("Hono on Bun 0.2.2", "requests/s on a MacBook"): 148_663.19,
        },
    },
    "006": {
        "the README of AsyncBenchmark, Benchmark": {
            ("GetStringWithAsync", "ns"): 30.4626,
            ("GetStringWithAsyncValue", "ns"): 17.6272,
            ("GetStringSync", "ns"): 0.0625,
        },
        "dotnet/runtime#132943, the matrix": {
            (".NET 10, default, at best", "µs a call"): 2.4,
            (".NET 11 preview 7, default, late", "µs a call"): 1.5,
            ("runtime-async on, at best", "µs a call"): 1.6,
        },
    },
    "007": {},  # sentences only
}

# The sizes that articles state in a sentence: claim, statement, lowest and highest.
STATED = {
    ("02-selfhost-vs-hosted", "self-host-beats-hosted"): (4624.44 / 3025.73, 4624.44 / 3025.73),
    ("02-selfhost-vs-hosted", "self-host-by-17-to-50-percent"): (1.175, 1.5),  # both are "about"
    ("05-json-vs-templates", "template-forty-times"): (40, 40),
    ("05-json-vs-templates", "schema-twice-as-fast"): (2, 2),
    ("13-is-it-the-runtime", "bun-serve-beats-node"): (2.5, 2.5),
    ("13-is-it-the-runtime", "bun-serve-over-its-node-http"): (2, 3),
    ("13-is-it-the-runtime", "node-beats-deno"): (34_000 / 25_000, 34_000 / 25_000),
    ("14-async-is-free-now", "value-task-beats-task"): (30.4626 / 17.6272, 30.4626 / 17.6272),
    ("14-async-is-free-now-runtimes", "half-as-fast-again"): (1.5, 1.5),
    ("14-async-is-free-now-runtimes", "recompiled-eleven-beats-ten"): (2.4 / 1.5, 2.4 / 1.5),
    ("14-async-is-free-now-runtimes", "runtime-async-beats-ten-where-it-waits"): (1.5, 1.5),
}

EVERY = [claims.load(path.stem) for path in sorted(paths.claims().glob("*.toml"))]
OF_ARTICLES = [c for c in EVERY if c.source.article in ARTICLES]


def typed(article: str) -> dict[tuple[str, str], float]:
    """All numbers of an article, by label and unit."""
    found: dict[tuple[str, str], float] = {}
    for numbers in ARTICLES[article].values():
        assert not found.keys() & numbers.keys(), "typed twice"
        found |= numbers
    return found


def test_every_claim_is_from_an_article_but_that_about_the_method_itself():
    others = [c.name for c in EVERY if c not in OF_ARTICLES]
    assert others == ["00-how-benchmarks-lie"]
    assert {c.source.article for c in OF_ARTICLES} == set(ARTICLES)


@pytest.mark.parametrize("claim", OF_ARTICLES, ids=lambda c: c.name)
def test_every_figure_of_a_claim_is_the_articles(claim):
    numbers = typed(claim.source.article)
    assert {(f.label, f.unit): f.value for f in claim.figures} == {
        (f.label, f.unit): numbers.get((f.label, f.unit)) for f in claim.figures
    }
    assert len({(f.label, f.unit) for f in claim.figures}) == len(claim.figures)


@pytest.mark.parametrize("article", ARTICLES)
def test_every_number_of_an_article_is_in_a_claim(article):
    of_it = [c for c in OF_ARTICLES if c.source.article == article]
    assert {(f.label, f.unit) for c in of_it for f in c.figures} == set(typed(article))


def test_every_size_of_a_statement_is_the_articles():
    said = {
        (c.name, s.id): (s.low or s.ratio, s.high or s.ratio)
        for c in OF_ARTICLES
        for s in c.statements
        if s.ratio is not None or s.low is not None
    }
    assert said == {key: pytest.approx(values, rel=0.021) for key, values in STATED.items()}


def test_the_means_and_differences_of_the_slides_are_those_of_their_rows():
    rows = [values for row, values in LOADED.items() if row != "mean"]
    means = [round(sum(column) / 10) for column in zip(*rows, strict=True)]
    assert tuple(means) == LOADED["mean"]
    json, messagepack, memorypack = means
    assert (json - messagepack, messagepack - memorypack) == (260, 135)


def test_figures_of_a_server_whose_requests_failed_are_void_and_make_no_published_ratio():
    claim = claims.load("08-routers-and-muxes")
    assert {f.label for f in claim.figures if f.void} == {
        "gerbil, default mux",
        "gerbil, static mux",
    }
    assert all("failed" in f.void for f in claim.figures if f.void)
    assert not any(f.void for c in EVERY if c.name != claim.name for f in c.figures)


@pytest.mark.parametrize(
    ("unit", "times_as_fast"),
    [("ms", 4), ("µs", 4), ("\N{GREEK SMALL LETTER MU}s", 4), ("ns/op", 4), ("requests/s", 0.25)],
)
def test_of_times_the_smaller_is_the_faster(unit, times_as_fast):
    assert published.speed_ratio(10, 40, unit) == times_as_fast
