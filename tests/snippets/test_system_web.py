"""Mono's System.Web in the small host that 01, 02 and 03 share: what it leaves behind, and how."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from benchbook.model import experiments
from benchbook.programs import mono, parity, programs, readiness
from benchbook.system import paths
from benchbook_kernels.base.processes import Keeper

HOSTS = sorted(paths.snippets().glob("*/system-web-host.cs"))
FOUND = experiments.find("01")
INSTALLED = pytest.mark.skipif(bool(mono.lacks("System.Web")), reason=mono.lacks("System.Web"))

# What another thread does to an asynchronous request between two looks of Mono's at it: it ends it
# (unless it is asked not to), and takes its context away.
LOST = """// mcs -r:System.Web.dll lost.mono.cs system-web-host.cs
using System;
using System.Reflection;
using System.Web;
using System.Web.Routing;

class Program
{
    static void Main() =>
        Host.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}/", Start);

    static void Start() => RouteTable.Routes.Add(new Route("", new Handler()));
}

class Handler : IHttpHandler, IRouteHandler
{
    public bool IsReusable => true;

    public IHttpHandler GetHttpHandler(RequestContext context) => this;

    public void ProcessRequest(HttpContext context)
    {
        if (context.Request.QueryString["open"] == null)
        {
            var worker = ((IServiceProvider)context).GetService(typeof(HttpWorkerRequest));
            ((Request)worker).SendStatus(200, "");
            ((Request)worker).EndOfRequest();
        }
        typeof(HttpApplication).GetField("context", BindingFlags.NonPublic | BindingFlags.Instance)
            .SetValue(context.ApplicationInstance, null);
        throw new NullReferenceException();
    }
}
"""


def test_all_experiments_have_the_same_host():
    assert [path.parent.name[:2] for path in HOSTS] == ["01", "02", "03"]
    assert len({path.read_text(encoding="utf-8") for path in HOSTS}) == 1


@contextmanager
def started(variant: experiments.Variant) -> Iterator[programs.Program]:
    assert readiness.make_ready([variant], lambda text: None) == {variant.name: ""}
    with Keeper() as keeper:
        program = programs.start(variant, keeper)
        programs.await_ready(program, FOUND.kind.path)
        yield program
        program.end(keeper)
        assert not program.folder.exists() and not program.alive


@INSTALLED
@pytest.mark.slow("compiles and starts a program")
def test_a_site_writes_into_its_own_folder_and_ends_with_it():
    with started(FOUND.variant("system-web-sync")) as program:
        assert parity.ask(program, FOUND.kind.path).body == b'{"hello":"world"}'
        assert [path.name for path in program.folder.iterdir()], "System.Web's temporary files"


@INSTALLED
@pytest.mark.slow("compiles and starts a program")
def test_the_host_outlives_what_mono_throws_after_a_request_has_ended(tmp_path):
    (tmp_path / "lost.mono.cs").write_text(LOST)
    shutil.copy(HOSTS[0], tmp_path)
    variant = replace(FOUND.variant("system-web-sync"), path=tmp_path / "lost.mono.cs")
    with started(variant) as program:
        for _ in range(70):  # more than it has threads
            assert parity.ask(program, "/").status == 200
        assert program.alive
        with pytest.raises(programs.VariantError, match="gave no answer"):
            parity.ask(program, "/?open=1")
        assert program.processes[0].wait() == 1
        assert "NullReferenceException" in program.last_words()
