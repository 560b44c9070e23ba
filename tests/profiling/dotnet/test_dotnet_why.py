"""A why of two Kestrel servers, one with a gross plant: all of it, in two short launches."""

from dataclasses import replace

import pytest

from benchbook._api import NoAudience
from benchbook.model import experiments
from benchbook.model.profiles.profile import COMPILER, NATIVE, OWN
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
    asked = why_options({"launches": 2, "seconds": 3.0})
    options = replace(asked, anyway=True)
    found = service.profiled(experiments.find(str(servers)), ("a", "b"), options, NoAudience())
    assert len(found.launches) == 2 and found.path and found.path.is_file()
    a, b = (costs.costs(found, name) for name in ("a", "b"))
    # after so short a warm-up the compiler is at work, too, and its time is that of few requests
    rows = [row for row in differences.rows(a, b) if row.key.layer not in (COMPILER, NATIVE)]
    first = rows[0]
    assert first.key.layer == OWN and first.more.mean > 0
    if perf.samples():  # the runtime's own finds a thread only where it can stop
        assert PLANT in first.text, first
    layers = {row.key.layer for row in differences.layers(a, b)}
    assert "Microsoft.AspNetCore.Server.Kestrel.Core" in layers
    for launch in found.launches:
        assert {profile.runtime.split()[0] for profile in launch.profiles.values()} == {".NET"}
