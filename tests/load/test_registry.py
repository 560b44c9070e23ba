"""A new load generator is one file: everything that speaks of load generators finds it there."""

import json
import platform
import subprocess
import sys

import pytest

from benchbook import loadtools
from benchbook.load import installed, registry
from benchbook.load.errors import LoadError
from benchbook.system import paths

TOY = """
from benchbook.loadtools.tool import Load, ReplayableTool


class Toy(ReplayableTool):
    name = "toy"
    purpose = "HTTP load by hand"
    install = "write it"
    packages = {"apt": "toy-load"}
    published_options = frozenset({"requests"})

    def command(self, request):
        return ["toy", request.url]

    def published(self, method):
        return ["-n", str(method.requests)]

    def replay(self, url, method, folder):
        return ["toy", *self.published(method), url]

    def read(self, output, folder):
        return Load(1.0, 0)


TOOL = Toy()
"""
# What each place says of the load generators, in a process of its own with one tool more.
PLACES = """
import json
import sys
import benchbook.loadtools.tools

benchbook.loadtools.tools.__path__.append(sys.argv[1])

import click
from benchbook.commands.begin import checks
from benchbook.commands import cli
from benchbook.load import registry
from benchbook.model import documents
from benchbook.notebook.magics.race_magics import RaceMagics
from benchbook.setup.routes import apt
from benchbook.setup.tools import remedies
from benchbook.system import paths, versions

race = cli.main.get_command(None, "race")
schemas = [documents.validator(name).schema for name in ("experiment", "claim")]
nothing = {"node_packages": {}, "nginx": "1"}
print(json.dumps({
    "--tool": race.get_help(click.Context(race)),
    "%race?": RaceMagics.race.__doc__,
    "doctor": [check.name for check in checks.check_tools(nothing, "")],
    "install": remedies.remedy("toy", manager="apt"),
    "apt": apt.apt_sections(paths.root())["tools"],
    "versions": list(versions.all_versions()),
    "schemas": [json.dumps(schema) for schema in schemas],
    "documentation": registry.page(),
    "message": registry.any_of(list(benchbook.loadtools.declared())),
    "replay": registry.replayable("toy").name,
}))
"""


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tools")
    (folder / "toy.py").write_text(TOY)
    code = [sys.executable, "-c", PLACES, str(folder)]
    done = subprocess.run(code, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "place", ["--tool", "%race?", "doctor", "install", "apt", "versions", "documentation", "replay"]
)
def test_a_tool_that_is_one_new_file_appears(place, places):
    assert "toy" in " ".join(places[place]) or "toy" in places[place]


def test_the_schemas_take_its_name_and_messages_say_it(places):
    assert all('"toy"' in schema for schema in places["schemas"])
    assert places["message"] == "wrk, autocannon, python-load, ab or toy"
    assert places["install"].endswith("apt-get install toy-load")


def test_the_documentation_lists_every_tool():
    text = (paths.root() / "docs" / "load-tools.md").read_text(encoding="utf-8")
    assert text.startswith(registry.page()), "make it anew: python tools/make_load_tools.py"


def test_the_first_installed_tool_is_chosen_in_the_order_of_preference(monkeypatch):
    wrk, autocannon, own, ab = loadtools.declared().values()
    assert (wrk.name, autocannon.name, ab.name) == ("wrk", "autocannon", "ab")
    monkeypatch.setattr(installed, "missing", lambda tool: tool is wrk)
    assert registry.choose() is autocannon
    monkeypatch.setattr(installed, "missing", lambda tool: tool in (wrk, autocannon))
    assert registry.choose() is own


def test_one_load_generator_is_always_there(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    assert registry.choose().name == "python-load"
    assert installed.version(registry.choose()) == platform.python_version()


def test_an_unknown_tool_is_named_with_those_that_there_are():
    with pytest.raises(LoadError, match="no load generator 'hey'") as caught:
        registry.get("hey")
    assert "wrk, autocannon, python-load or ab" in caught.value.remedy
