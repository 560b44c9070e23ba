"""Layers, packages and sources of .NET's frames."""

import json

import pytest

from benchbook.model.profiles.profile import COMPILER, JSON_LAYER, NATIVE, OWN, Frame
from benchbook.profiling.profilers.dotnet_frames import DotnetFrames, source

SHARED = "/usr/share/dotnet/shared"
DEPENDENCIES = {
    "targets": {
        ".NETCoreApp,Version=v10.0": {
            "app/1.0.0": {"runtime": {"app.dll": {}}},
            "FastEndpoints/8.3.0": {"runtime": {"lib/net10.0/FastEndpoints.dll": {}}},
            "Newtonsoft.Json/13.0.3": {"runtime": {"lib/net6.0/Newtonsoft.Json.dll": {}}},
            "runtimepack.Microsoft.NETCore.App.Runtime.linux-x64/8.0.31": {
                "runtime": {"System.Linq.dll": {}}
            },
        }
    },
    "libraries": {
        "app/1.0.0": {"type": "project"},
        "FastEndpoints/8.3.0": {"type": "package"},
        "Newtonsoft.Json/13.0.3": {"type": "package"},
        "runtimepack.Microsoft.NETCore.App.Runtime.linux-x64/8.0.31": {"type": "runtimepack"},
    },
}


def managed(name, module, **more):
    return {"name": name, "kind": "managed", "module": str(module), **more}


@pytest.fixture
def app(tmp_path):
    """The folder of a program that was built."""
    (tmp_path / "app.deps.json").write_text(json.dumps(DEPENDENCIES))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "module", "layer"),
    [
        ("System.String.Concat", "System.Private.CoreLib", ".NET: core library"),
        ("System.Threading.Monitor.Enter", "System.Private.CoreLib", ".NET: threads and timers"),
        ("System.IO.Stream.Write", "System.Private.CoreLib", ".NET: streams and pipelines"),
        ("System.IO.Pipelines.Pipe.Advance", "System.IO.Pipelines", ".NET: streams and pipelines"),
        ("System.Net.Sockets.Socket.Send", "System.Net.Sockets", ".NET: HTTP and sockets"),
        ("System.Text.Json.Utf8JsonWriter.Flush", "System.Text.Json", JSON_LAYER),
    ],
)
def test_layers_of_the_runtime(name, module, layer):
    path = f"{SHARED}/Microsoft.NETCore.App/10.0.12/{module}.dll"
    frame = DotnetFrames().of(managed(name, path))
    assert (frame.layer, frame.package) == (layer, f"{module} 10.0.12")
    assert frame.link.startswith("https://github.com/dotnet/runtime/tree/v10.0.12/src/libraries/")


def test_assemblies_of_asp_net_core_are_layers():
    name = "Microsoft.AspNetCore.Server.Kestrel.Core"
    path = f"{SHARED}/Microsoft.AspNetCore.App/10.0.12/{name}.dll"
    frame = DotnetFrames().of(managed(f"{name}.Internal.Http.HttpProtocol.ProcessRequests", path))
    assert (frame.layer, frame.package, frame.line) == (name, f"{name} 10.0.12", 0)
    tag = "https://github.com/dotnet/aspnetcore/tree/v10.0.12"
    assert frame.link == f"{tag}/src/Servers/Kestrel/Core/src"


def test_packages_are_named_with_their_version(app):
    known = DotnetFrames()
    frame = known.of(managed("FastEndpoints.Run", app / "FastEndpoints.dll"))
    assert (frame.layer, frame.package) == ("FastEndpoints", "FastEndpoints 8.3.0")
    assert frame.link == "https://www.nuget.org/packages/FastEndpoints/8.3.0"
    frame = known.of(managed("Newtonsoft.Json.JsonConvert.Do", app / "Newtonsoft.Json.dll"))
    assert (frame.layer, frame.package) == (JSON_LAYER, "Newtonsoft.Json 13.0.3")


def test_a_runtime_that_was_built_in_is_no_package(app):
    frame = DotnetFrames().of(managed("System.Linq.Enumerable.Sum", app / "System.Linq.dll"))
    assert (frame.layer, frame.package) == (".NET: core library", "System.Linq 8.0.31")


def test_what_is_built_with_the_program_is_the_readers_own_code(app):
    told = managed("Program.Main", app / "app.dll", file="/here/app.cs", line=7)
    assert DotnetFrames().of(told) == Frame("Program.Main", OWN, "file:///here/app.cs", 7)


def test_damaged_files_beside_a_program_are_passed_over(tmp_path):
    (tmp_path / "app.deps.json").write_text("[1")
    told = managed("Program.Main", tmp_path / "app.dll")
    assert DotnetFrames().of(told) == Frame("Program.Main", OWN)


@pytest.mark.parametrize(
    ("name", "kind", "layer"),
    [
        ("sendto (system call)", "system", NATIVE),
        ("[libc.so.6]", "native", NATIVE),
        ("[libclrjit.so]", "native", COMPILER),
        ("[runtime stubs]", "stub", NATIVE),
    ],
)
def test_what_is_no_method(name, kind, layer):
    told = {"name": name, "kind": kind, "module": "/usr/lib/x"}
    assert DotnetFrames().of(told) == Frame(name, layer)


def test_code_that_was_made_at_run_time_has_a_layer_of_its_own():
    frame = DotnetFrames().of(managed("[compiled at run time] lambda", ""))
    assert frame.layer == "code made at run time"


@pytest.mark.parametrize(
    ("assembly", "name", "ends"),
    [
        (
            "System.Private.CoreLib",
            "System.Threading.Tasks.Task.Run",
            "/src/System/Threading/Tasks",
        ),
        ("System.Private.CoreLib", "Interop.Sys.Read", "/System.Private.CoreLib/src"),
        ("Microsoft.Extensions.Logging", "x", "/libraries/Microsoft.Extensions.Logging/src"),
        ("Microsoft.AspNetCore.Http.Abstractions", "x", "/src/Http/Http.Abstractions/src"),
        ("Microsoft.AspNetCore.Routing", "x", "/src/Http/Routing/src"),
        ("Microsoft.AspNetCore.Unheard", "x", ""),
    ],
)
def test_sources(assembly, name, ends):
    assert source(assembly, name, "10.0.12").endswith(ends)
    assert bool(source(assembly, name, "10.0.12")) == bool(ends)
