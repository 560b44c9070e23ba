"""A why of two Kestrel servers, one with a gross plant: all of it, in two short launches."""

from dataclasses import replace

import pytest

from benchbook._api import NoAudience
from benchbook.model import experiments
from benchbook.model.profiles.profile import OWN
from benchbook.profiling import costs, differences, service
from benchbook.profiling.options import why_options
from benchbook.profiling.profilers import perf
from made import CLAIM

SERVER = """\
#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

var loops = int.Parse(Environment.GetEnvironmentVariable("LOOPS")!);
var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
var app = builder.Build();
app.Run(context => context.Response.WriteAsync(Plant.Hidden(loops) == 1 ? "hello" : "hallo"));
app.Run();

static class Plant
{
    public static int Hidden(int loops) => Slow(loops) == 7 ? 1 : 0;

    static int Slow(int loops)
    {
        var x = 12345;
        for (var i = 0; i < loops; i++) x = unchecked(x * 1664525 + 1013904223);
        return x;
    }
}
"""
VARIANT = '[[variants]]\nname = "{}"\ntitle = "{}"\nfile = "plant.cs"\nenv = {{ LOOPS = "{}" }}\n'
PLANT = "for (var i = 0; i < loops; i++) x"


@pytest.fixture
def servers(tmp_path):
    """The folder of an experiment: a, and b with a plant of most of its time."""
    folder = tmp_path / "77-planted"
    folder.mkdir()
    head = 'title = "planted"\nquestion = "where?"\nclaim = "claim.toml"\nbaseline = "a"\n'
    kind = '[http]\npath = "/"\nconnections = 4\n'
    modes = "[race.quick]\nbudget_seconds = 5\nsample_seconds = 0.2\n"
    modes += "[race.full]\nbudget_seconds = 10\nsample_seconds = 0.5\n"
    variants = VARIANT.format("a", "A", 0) + VARIANT.format("b", "B", 400_000)
    (folder / "experiment.toml").write_text(head + kind + modes + variants)
    (folder / "plant.cs").write_text(SERVER)
    (folder / "claim.toml").write_text(CLAIM)
    return folder


def test_a_plant_in_kestrel_is_what_b_spends_more(servers, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RACE", "launches=2 seconds=3 warmup=0.3")
    monkeypatch.setattr(perf, "LEAST_US", 500.0)  # so that there are many
    asked = why_options({"launches": 2, "seconds": 3.0, "interval": 0.5})
    options = replace(asked, anyway=True)
    found = service.profiled(experiments.find(str(servers)), ("a", "b"), options, NoAudience())
    assert len(found.launches) == 2 and found.path and found.path.is_file()
    a, b = (costs.costs(found, name) for name in ("a", "b"))
    own = {key: cost for key, cost in b.rows.items() if key.layer == OWN}
    first = max(own, key=lambda key: own[key].samples)
    if perf.samples():  # the runtime's own finds a thread only where it can stop
        assert PLANT in b.texts[first], own
        assert first not in a.rows or a.rows[first].us.mean() < own[first].us.mean()
    assert differences.layers(a, b)
    for launch in found.launches:
        assert {profile.runtime.split()[0] for profile in launch.profiles.values()} == {".NET"}
