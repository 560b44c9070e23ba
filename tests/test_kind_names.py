"""A kind of experiment is named in its own folders, and who else may name one."""

import ast
import re
from collections.abc import Iterator

import pytest

from benchbook.model.kinds import KINDS
from benchbook.model.kinds.kind import Kind
from benchbook.system import paths
from test_architecture import FILES, docstrings

KIND_NAMES = {kind.name for kind in KINDS} | {kind.table for kind in KINDS if kind.table}
KIND_IN_TEXT = re.compile(rf"kinds[./]({'|'.join(sorted(KIND_NAMES))})\b")
MAY_NAME = {  # outside of model/kinds and race/kinds/NAME, with the reason
    "analysis/judging/connections.py": ({"http"}, "the version of HTTP, in run files"),
    "commands/measure/page.py": ({"page"}, "`bench page` serves the page of that kind"),
    "model/published.py": ({"http", "client", "page"}, "kinds of an article's method, in claims"),
    "model/results.py": ({"client"}, "the CPUs of the client, in run files"),
    "notebook/magics/benchmark_magics.py": ({"benchmarks"}, "`%%benchmark` races that kind"),
    "race/kinds/registry.py": ({"functions"}, "who replays a method that has another name"),
    "setup/overview.py": ({"page"}, "the command of that name"),
    "show/figures/benchmarks.py": ({"benchmarks"}, "draws BenchmarkDotNet's own report"),
    "show/exports/mitata.py": ({"benchmarks"}, "the key of mitata's file"),
    "show/cards/micro_cards.py": ({"benchmarks"}, "shows BenchmarkDotNet's own report"),
}
FINDS_OUT = "compare"  # the layer that finds out of which kind somebody's own programs are
MAY_ASK = {  # whether a kind is under load
    "notebook/workbench.py": "limits of a load generator are not for others",
    "race/job.py": "a run file names the unit where it is not requests/s",
    "race/prepare.py": "options of a load generator are not for others",
    "show/figures/latencies.py": "only requests have latencies",
    "show/cards/evidence_cards.py": "only servers have a client beside them",
}
MAY_IMPORT = {("benchmarks", "functions")}  # folders of race/kinds


def classes_of(kind: type[Kind]) -> Iterator[str]:
    yield kind.__name__
    for each in kind.__subclasses__():
        yield from classes_of(each)


KIND_CLASSES = {name: kind.name for kind in KINDS for name in classes_of(kind)}


def kinds_named(source: str) -> set[str]:
    """The kinds of experiment that a source imports, or names: as a class of theirs, or as a text
    that is no docstring."""
    found = set[str]()
    tree = ast.parse(source)
    about = docstrings(tree)
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=module, names=names):
                found |= {KIND_CLASSES.get(each.name, "") for each in names}
                found |= {n for a in names for n in KIND_IN_TEXT.findall(f"{module}.{a.name}")}
            case ast.Import(names=names):
                found |= {name for each in names for name in KIND_IN_TEXT.findall(each.name)}
            case ast.Attribute(attr=name) if name in KIND_CLASSES:
                found.add(KIND_CLASSES[name])
            case ast.Constant(str(text)) if id(node) not in about:
                found |= {text, *KIND_IN_TEXT.findall(text)}
            case ast.Compare(comparators=texts) | ast.Call(args=texts):
                names = [text.value for text in texts if isinstance(text, ast.Constant)]
                found |= {KIND_CLASSES.get(str(name), "") for name in names}
    return found & KIND_NAMES


@pytest.mark.parametrize(
    "source",
    [
        "from benchbook.model.kinds.http import Http",
        "from benchbook.model.kinds import http",
        "from benchbook.model import kinds\nprint(isinstance(x, kinds.Http))",
        "import benchbook.race.kinds.http.executor",
        "from benchbook.race.kinds.http import executor",
        "import_module('benchbook.race.kinds.http.continuous')",
        "script = 'race/kinds/http/load.mjs'",
        "if run.kind.name == 'http': pass",
        "if run.kind.name in ('page', 'http'): pass",
        "match run.kind.name:\n    case 'http': pass",
        "words = {'http': 'a request'}[run.kind.name]",
        "words = table['http']",
        "words = table.get('http')",
        "NAME = 'http'\nif run.kind.name == NAME: pass",
        "if type(run.kind).__name__ == 'Http': pass",
        "from benchbook.model import kinds as k\nprint(k.Http)",
        "getattr(kinds, 'Http')",
    ],
)
def test_who_names_a_kind_is_found(source):
    assert "http" in kinds_named(source)


def test_few_name_a_kind_outside_of_its_folders():
    named: dict[str, set[str]] = {}
    asked = set()
    for path in sorted(paths.PACKAGE.rglob("*.py")):
        place = path.relative_to(paths.PACKAGE)
        source = path.read_text(encoding="utf-8")
        if place.parts[:2] == ("model", "kinds") or place.parts[0] == FINDS_OUT:
            continue
        if place.parts[:2] == ("race", "kinds") and len(place.parts) > 3:
            own = {
                k for kind in KINDS if kind.name == place.parts[2] for k in (kind.name, kind.table)
            }
            others = kinds_named(source) - own
            assert {(place.parts[2], other) for other in others} <= MAY_IMPORT, place
            continue
        if place.parts[0] == "compare":  # it finds out which kind the things are that it is given
            continue
        if others := kinds_named(source):
            named[place.as_posix()] = others
        if ".under_load" in source:
            asked.add(place.as_posix())
    assert named == {where: kinds for where, (kinds, _) in MAY_NAME.items()}
    assert asked == set(MAY_ASK)
    assert len(MAY_NAME) + len(MAY_ASK) <= 15


def test_a_kind_that_a_file_declares_is_measured_in_the_folder_of_its_name():
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    folders = {path.parent.name for path in FILES if path.match("race/kinds/*/measuring.py")}
    assert folders == {kind.name for kind in KINDS if kind.table}
