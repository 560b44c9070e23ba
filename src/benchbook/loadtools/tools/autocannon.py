"""autocannon: https://github.com/mcollina/autocannon (npm). Latencies in whole milliseconds."""

from __future__ import annotations

import json
from pathlib import Path

from benchbook.loadtools.manner import Manner
from benchbook.loadtools.tool import (
    PERCENTILES,
    Load,
    LoadRequest,
    PublishedLoad,
    ReplayableTool,
    options,
)

MANY_PATHS = Path(__file__).with_name("autocannon_paths.mjs")


class Autocannon(ReplayableTool):
    """An npm package of this project. Elsewhere it is a command, which can't run our script."""

    name = "autocannon"
    preference = 20
    purpose = "HTTP load where no other tool is installed"
    install = "./bench setup (it is an npm package of this project)"
    install_elsewhere = "npm install -g autocannon"
    npm = "autocannon"
    npm_script = "autocannon.js"
    many_paths = True
    manner = Manner("1.1", (("Connection", "keep-alive"),))
    published_options = frozenset({"requests", "duration_seconds", "pipelining"})

    def command(self, request: LoadRequest) -> list[str]:
        connections, seconds = str(request.connections), f"{request.seconds:g}"
        if request.paths:
            numbers = [connections, seconds, *request.paths.words]
            return ["node", str(MANY_PATHS), request.url, *numbers]
        printing = ["--json", "--no-progress"]
        length = ["-c", connections, "-d", seconds]
        return ["autocannon", *printing, *length, request.url]

    def published(self, method: PublishedLoad) -> list[str]:
        length = {"-d": method.duration_seconds, "-a": method.requests}
        return options({"-c": method.connections, **length, "-p": method.pipelining})

    def replay(self, url: str, method: PublishedLoad, folder: Path) -> list[str]:
        words = [*self.published(method), "--json", "--no-progress"]
        return ["autocannon", *words, url]

    def read(self, output: str, folder: Path) -> Load:
        result = json.loads(next(x for x in output.splitlines() if x.startswith("{")))
        latency = result["latency"]
        other = sum(result.get(kind, 0) for kind in ("1xx", "3xx", "4xx", "5xx"))
        return Load(
            seconds=result["duration"],
            requests=result["requests"]["total"],
            latency_ms={name: float(latency[name]) for name in ("mean", *PERCENTILES, "max")},
            errors={
                "connect": 0,
                "read": result["errors"] - result["timeouts"],
                "write": 0,
                "timeout": result["timeouts"],
            },
            non_2xx=max(result["non2xx"], other),
            bytes=int(result["throughput"]["total"]),
        )


TOOL = Autocannon()
