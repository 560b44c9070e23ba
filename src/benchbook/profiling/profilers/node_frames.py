"""What V8's frames are: whose code, of which package and version, and where its source is read."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from benchbook.model.profiles.profile import COLLECTOR, JSON_LAYER, NATIVE, OWN, Frame
from benchbook.system import paths

HTTP, STREAMS, TIMERS, OTHER = (
    f"Node.js: {each}" for each in ("HTTP", "streams and sockets", "timers", "other")
)
GENERATED = "generated code"  # by eval or new Function, as libraries do
HARNESS = "the harness"  # which times a function
LOOP = "benchbook-loop-of-"  # the address of its loops
PACKAGED = re.compile(r"^(.*/node_modules/((?:@[^/]+/)?[^/]+))/(.*)$")
# The first that fits names the layer of a file of Node.js's lib/, without "node:" and "internal/".
PARTS = (
    (re.compile(r"_?http"), HTTP),
    (re.compile(r"_?stream|net$|stream_base|tty|_tls|tls"), STREAMS),
    (re.compile(r"timers|process/task_queues|async_hooks|util/(linkedlist|priority)"), TIMERS),
)
# Functions of V8 that are in no file. What else is in none was written in C++.
JSON_FUNCTIONS = {"stringify", "parse"}
COLLECTING = "(garbage collector)"
TREE = "https://github.com/nodejs/node/blob/v{version}/lib/{name}.js"
PACKAGE_FILES = "https://app.unpkg.com/{name}@{version}/files/{file}"


@dataclass
class Frames:
    """V8's frames as ours. version: of Node.js."""

    version: str
    known: dict[tuple[str, str, int, int], Frame] = field(default_factory=dict)

    def of(self, frame: Mapping[str, Any], line: int = 0) -> Frame:
        """line: from 1, that was at work; 0: none is known, or it called another function."""
        begin = frame["lineNumber"] + 1
        key = (frame["functionName"], frame["url"], begin, line)
        if key not in self.known:
            generated = not frame["url"] and begin > 0  # it has lines, but of no file
            name = frame["functionName"] or "(anonymous)"
            self.known[key] = Frame(name, GENERATED) if generated else self.made(*key)
        return self.known[key]

    def made(self, name: str, url: str, begin: int, line: int) -> Frame:
        """Of the reader's own code a line; of other code the function, wherever it was at work."""
        name = name or "(anonymous)"
        if not url:
            return Frame(name, layer_of_no_file(name))
        if url.startswith("node:"):
            inner = url.removeprefix("node:")
            link = TREE.format(version=self.version, name=inner)
            return Frame(name, part_of_node(inner), url, begin, link=f"{link}#L{begin}")
        file = file_of(url)
        if found := PACKAGED.match(file):
            package, version = found[2], version_in(found[1])
            link = PACKAGE_FILES.format(name=package, version=version, file=found[3])
            whole = f"{package} {version}".rstrip()
            return Frame(name, package, url, begin, whole, f"{link}#L{begin}" if version else "")
        if file.startswith(LOOP) or Path(file).is_relative_to(paths.PACKAGE):
            return Frame(name, HARNESS, url, begin)
        return Frame(name, OWN, url, line or begin)


def layer_of_no_file(name: str) -> str:
    if name == COLLECTING:
        return COLLECTOR
    return JSON_LAYER if name in JSON_FUNCTIONS else NATIVE


def part_of_node(name: str) -> str:
    """The layer of a file of Node.js, as "internal/timers" or "_http_outgoing"."""
    inner = name.removeprefix("internal/")
    return next((layer for form, layer in PARTS if form.match(inner)), OTHER)


def file_of(url: str) -> str:
    """The path of a script's file; the address itself where it is none."""
    return unquote(urlsplit(url).path) if url.startswith("file:") else url


@cache
def version_in(folder: str) -> str:
    """The version of the npm package in a folder, '' where it can't be known."""
    try:
        found = json.loads(Path(folder, "package.json").read_bytes()).get("version", "")
    except (OSError, ValueError, AttributeError):
        return ""
    return found if isinstance(found, str) else ""
