"""What .NET's frames belong to: layers, packages, and where their source can be read."""

import json
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

from benchbook.model.profiles.profile import COMPILER, JSON_LAYER, NATIVE, OWN, Frame

SHARED = re.compile(r"[/\\]shared[/\\]([^/\\]+)[/\\]([^/\\]+)[/\\][^/\\]+$")
RUNTIME_PACK = re.compile(r"^runtimepack\.(\w+(?:\.\w+)*?)\.Runtime\.")
RUN_TIME, CORE, THREADS = "code made at run time", ".NET: core library", ".NET: threads and timers"
HTTP, STREAMS = ".NET: HTTP and sockets", ".NET: streams and pipelines"
JSON_ASSEMBLIES = ("System.Text.Json", "Newtonsoft.Json", "Utf8Json", "Jil", "SpanJson")
RUNTIME_SOURCE = "https://github.com/dotnet/runtime/tree/v{}/src/libraries/{}/src"
ASPNET_SOURCE = "https://github.com/dotnet/aspnetcore/tree/v{}/src/{}/src"
# Where assemblies of ASP.NET Core have their source, the longest beginning first; {}: what follows
# in the name.
ASPNET_FOLDERS = {
    "Microsoft.AspNetCore.Server.Kestrel.": "Servers/Kestrel/{}",
    "Microsoft.AspNetCore.Http.": "Http/Http.{}",
    "Microsoft.AspNetCore.Routing.": "Http/Routing.{}",
    "Microsoft.AspNetCore.Hosting.": "Hosting/{}",
    "Microsoft.AspNetCore.Mvc.": "Mvc/Mvc.{}",
    "Microsoft.AspNetCore.Http": "Http/Http",
    "Microsoft.AspNetCore.Routing": "Http/Routing",
    "Microsoft.AspNetCore.WebUtilities": "Http/WebUtilities",
    "Microsoft.AspNetCore.Hosting": "Hosting/Hosting",
    "Microsoft.AspNetCore.HostFiltering": "Middleware/HostFiltering",
    "Microsoft.AspNetCore.HttpOverrides": "Middleware/HttpOverrides",
    "Microsoft.AspNetCore.Diagnostics": "Middleware/Diagnostics",
    "Microsoft.Net.Http.Headers": "Http/Headers",
}
COMPILER_LIBRARY = "libclrjit"


class Dependencies:
    """What a folder of a program's assemblies has from packages, by its .deps.json.

    https://github.com/dotnet/sdk/blob/main/documentation/specs/runtime-configuration-file.md
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def packages(self) -> dict[str, tuple[str, str, str]]:
        """Kind, name and version of what brought an assembly, by the name of its file; what is
        built with the program itself is not there."""
        found: dict[str, tuple[str, str, str]] = {}
        for path in self.folder.glob("*.deps.json"):
            document = read(path)
            kinds = document.get("libraries", {})
            for target in document.get("targets", {}).values():
                for library, has in target.items():
                    kind = kinds.get(library, {}).get("type", "")
                    name, _, version = library.partition("/")
                    if kind in ("package", "runtimepack"):
                        files = [*has.get("runtime", {}), *has.get("runtimeTargets", {})]
                        found |= dict.fromkeys(map(file_name, files), (kind, name, version))
        return found


def read(path: Path) -> dict[str, Any]:
    """A JSON object; {} where it is none."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def file_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


class DotnetFrames:
    """Frames as profiles have them, of those that the collector found (Report.cs)."""

    def __init__(self) -> None:
        self.folders: dict[str, Dependencies] = {}

    def of(self, told: Mapping[str, Any]) -> Frame:
        """told: name, kind, module, file and line."""
        if told["kind"] != "managed":
            layer = COMPILER if COMPILER_LIBRARY in told["name"] else NATIVE
            return Frame(told["name"], layer)
        name, module = told["name"], told.get("module", "")
        assembly = file_name(module).removesuffix(".dll").removesuffix(".exe")
        if not module.endswith((".dll", ".exe")):
            return Frame(name, RUN_TIME)
        kind, package, version = self.brought(module)
        if not kind:
            return self.own(name, told)
        if kind == "package":
            layer = JSON_LAYER if assembly in JSON_ASSEMBLIES else package
            link = f"https://www.nuget.org/packages/{package}/{version}"
            return Frame(name, layer, assembly, 0, f"{package} {version}", link)
        layer = layer_of(assembly, name)
        link = source(assembly, name, version)
        return Frame(name, layer, assembly, 0, f"{assembly} {version}", link)

    def brought(self, module: str) -> tuple[str, str, str]:
        """What brought an assembly: kind ('' for the program itself), name and version."""
        if match := SHARED.search(module):
            return "framework", match[1], match[2]
        folder = str(PurePath(module).parent)
        known = self.folders.setdefault(folder, Dependencies(Path(folder)))
        kind, name, version = known.packages.get(file_name(module), ("", "", ""))
        if match := RUNTIME_PACK.match(name):
            return "framework", match[1], version
        return kind, name, version

    def own(self, name: str, told: Mapping[str, Any]) -> Frame:
        """The reader's own code, at a line."""
        file, line = told.get("file", ""), told.get("line", 0)
        if file and PurePath(file).is_absolute():
            file = PurePath(file).as_uri()
        return Frame(name, OWN, file, line)


def layer_of(assembly: str, name: str) -> str:
    """The layer of an assembly of .NET or ASP.NET Core; of its core library by namespace."""
    if assembly in JSON_ASSEMBLIES:
        return JSON_LAYER
    if assembly.startswith("System.Net"):
        return HTTP
    if assembly.startswith("System.IO"):
        return STREAMS
    if assembly.startswith("System.Threading"):
        return THREADS
    if not assembly.startswith(("System", "mscorlib", "netstandard")):
        return assembly  # of ASP.NET Core, or Microsoft.Extensions
    if name.startswith("System.Threading."):
        return THREADS
    return STREAMS if name.startswith("System.IO.") else CORE


def source(assembly: str, name: str, version: str) -> str:
    """The folder of an assembly's source, as the version's tag has it; '' where it is not known."""
    if assembly == "System.Private.CoreLib":
        return "/".join([RUNTIME_SOURCE.format(version, assembly), *namespace_of(name)])
    if assembly.startswith(("System.", "Microsoft.Extensions.")):
        return RUNTIME_SOURCE.format(version, assembly)
    for begins, folder in ASPNET_FOLDERS.items():
        if assembly == begins or begins.endswith(".") and assembly.startswith(begins):
            return ASPNET_SOURCE.format(version, folder.format(assembly.removeprefix(begins)))
    return ""


def namespace_of(name: str) -> list[str]:
    """The parts of a full name that are a namespace of the core library, as "System/Threading"."""
    parts = name.split(".")
    known = {"System", "Threading", "Tasks", "Collections", "Generic", "Concurrent", "IO", "Text"}
    known |= {"Buffers", "Runtime", "Reflection", "Globalization", "Diagnostics"}
    found = []
    for part in parts[:-2]:
        if part not in known:
            break
        found.append(part)
    return found
