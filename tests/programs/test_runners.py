"""How programs are run by hand, and what they run with."""

import json
import re
from dataclasses import replace

import pytest

from benchbook.model import experiments
from benchbook.model.runs import Entry
from benchbook.programs import given_environment, npm, packages, readiness, runners
from benchbook.race.kinds.http import measuring
from benchbook.race.kinds.http.measuring import Built


def test_every_variant_can_be_run_by_hand():
    for experiment in experiments.load_all():
        for variant in experiment.variants:
            line = runners.find(variant.path).by_hand(variant)
            assert f"snippets/{experiment.home.name}/" in line, variant.name


def test_a_variant_tells_what_it_runs_with_and_in_which_version():
    node, package = readiness.software(experiments.find("06").variant("fastify"))
    assert re.fullmatch(r"Node.js \d+\.\d+\.\d+", node)
    assert package == f"fastify {npm.installed('fastify')}"
    *_, package = readiness.software(experiments.find("03").variant("carter"))
    assert package == f"Carter {packages.version('Carter')}"


def test_dotnet_gets_a_young_generation_where_nothing_tells_it_the_caches(monkeypatch, tmp_path):
    name = "DOTNET_GCgen0size"
    monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(given_environment.sys, "platform", "linux")
    monkeypatch.setattr(given_environment, "CACHES", tmp_path)
    assert given_environment.environment()[name] == "400000"  # hexadecimal: 4 MB
    monkeypatch.setenv(name, "800000")
    assert name not in given_environment.environment()  # the reader's own value is inherited
    monkeypatch.delenv(name)
    (tmp_path / "index3").mkdir()
    (tmp_path / "index3" / "size").write_text("8192K\n")
    assert name not in given_environment.environment()
    (tmp_path / "index3" / "size").unlink()
    monkeypatch.setattr(given_environment.sys, "platform", "win32")
    assert name not in given_environment.environment()


def test_scripts_are_run_by_their_interpreters(make_experiment):
    found = experiments.load(make_experiment({"a": "1\n", "b": "1\n"}))
    runs = {}
    for ending in (".py", ".sh"):
        path = found.folder / f"a{ending}"
        path.write_text("exit\n", encoding="utf-8")
        variant = replace(found.variant("a"), path=path)
        assert readiness.lacking(variant) == ""
        runs[ending] = runners.get(path)
        assert runs[ending].command(variant, {}, found.folder)[1:] == [str(path)]
        assert runs[ending].by_hand(variant).endswith(f"a{ending}")
    assert re.fullmatch(r"Python 3\.\d+\.\d+\S*", runs[".py"].software(variant))
    assert runs[".sh"].software(variant) == "a POSIX shell"


def test_an_interpreter_that_is_missing_is_named_with_its_remedy(monkeypatch):
    monkeypatch.setattr(runners.shutil, "which", lambda name: None)
    assert "Gerbil (gxi) is not installed; get it with:" in runners.GERBIL.missing()
    assert runners.PYTHON.missing() == "Python (python3) is not installed"


@pytest.mark.parametrize("server", [True, False])
def test_who_asks_for_the_garbage_collector_of_servers_is_seen_in_its_build(
    make_experiment, tmp_path, monkeypatch, server
):
    found = experiments.load(make_experiment({"a": "1\n", "b": "1\n"}))
    monkeypatch.setattr(runners, "built_in", lambda variant: tmp_path)
    (tmp_path / "out").mkdir()
    options = {"runtimeOptions": {"configProperties": {"System.GC.Server": server}}}
    (tmp_path / "out" / "app.runtimeconfig.json").write_text(json.dumps(options))
    app = replace(found.variant("a"), path=found.folder / "app.cs")
    assert readiness.asks_server_gc(app) is server
    assert not readiness.asks_server_gc(found.variant("a"))
    entries = [Entry(name, name, "variant", "app.cs", "0" * 64) for name in "ab"]
    built = Built(found, {"a": app, "b": replace(app, name="b")}, entries)
    assert measuring.asking_server_gc(built) == server  # one program
