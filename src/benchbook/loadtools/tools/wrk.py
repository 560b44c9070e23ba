"""wrk: https://github.com/wg/wrk (4.1 and newer). Ends early, with exact figures, on SIGINT."""

from __future__ import annotations

import json
import math
from pathlib import Path

from benchbook.loadtools.tool import (
    PERCENTILES,
    Load,
    LoadRequest,
    PublishedLoad,
    ReplayableTool,
    options,
)

SCRIPT = Path(__file__).with_name("wrk.lua")
USUAL_THREADS = 2  # without -t
PATIENT = "10s"  # for an answer


class Wrk(ReplayableTool):
    """Its threads look ten times a second whether they should stop, hence the step."""

    name = "wrk"
    preference = 10
    purpose = "HTTP load with the least overhead"
    install = "sudo apt-get install wrk (Debian, Ubuntu), brew install wrk (macOS)"
    packages = {"apt": "wrk", "dnf": "wrk", "pacman": "wrk", "apk": "wrk", "brew": "wrk"}
    probe = (["-v"], r"wrk (?:debian/)?(\d[^\s\[]*)")
    step_seconds = 0.1
    interrupted = True
    threaded = True
    corrects = True  # stats_correct() in its src/stats.c
    writes_each = True  # sock_write() in its src/net.c; socket_writeable() in src/wrk.c
    many_paths = True
    many_paths_elsewhere = True
    scripts = (SCRIPT,)
    published_options = frozenset({"threads", "duration_seconds"})

    def command(self, request: LoadRequest) -> list[str]:
        seconds = request.seconds
        limit = seconds if float(seconds).is_integer() else math.ceil(seconds) + 5
        words = ["-t", str(request.threads), "-c", str(request.connections), "-d", f"{limit:g}s"]
        words += ["--timeout", PATIENT]  # many servers may share one CPU
        asked = ["--", *request.paths.words] if request.paths else []
        return ["wrk", *words, "-s", str(SCRIPT), request.url, *asked]

    def published(self, method: PublishedLoad) -> list[str]:
        duration = f"{method.duration_seconds}s"
        return options({"-t": method.threads, "-c": method.connections, "-d": duration})

    def published_threads(self, threads: int | None) -> int:
        return threads or USUAL_THREADS

    def replay(self, url: str, method: PublishedLoad, folder: Path) -> list[str]:
        return ["wrk", *self.published(method), "-s", str(SCRIPT), url]

    def read(self, output: str, folder: Path) -> Load:
        line = next(x for x in reversed(output.splitlines()) if x.startswith("{"))
        result = json.loads(line)
        names = ("mean", *PERCENTILES, "max")
        return Load(
            seconds=result["microseconds"] / 1e6,
            requests=result["requests"],
            latency_ms={name: result[name] / 1e3 for name in names},
            errors={kind: result[kind] for kind in ("connect", "read", "write", "timeout")},
            non_2xx=result["status"],
            bytes=result["bytes"],
        )


TOOL = Wrk()
