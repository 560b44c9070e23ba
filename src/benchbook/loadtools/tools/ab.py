"""ApacheBench: https://httpd.apache.org/docs/2.4/programs/ab.html (with keep-alive, HTTP/1.0)."""

from __future__ import annotations

import csv
import math
import re
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

NEW_CONNECTIONS = Manner("1.0", (("User-Agent", "ApacheBench/2.3"), ("Accept", "*/*")))
KEEP_ALIVE = Manner("1.0", (("Connection", "Keep-Alive"), *NEW_CONNECTIONS.headers))
MOST_PER_SECOND = 200_000  # more requests than it can ask; it allocates memory for each


class Ab(ReplayableTool):
    """It takes whole seconds, and 0 for no limit."""

    name = "ab"
    preference = 30
    purpose = "HTTP load as in the articles that used ApacheBench"
    install = "sudo apt-get install apache2-utils (Debian, Ubuntu); macOS has it"
    packages = {
        "apt": "apache2-utils",
        "dnf": "httpd-tools",
        "pacman": "apache",
        "zypper": "apache2-utils",
        "apk": "apache2-utils",
        "brew": "httpd",
    }
    probe = (["-V"], r"Version (\d\S*)")
    manner = KEEP_ALIVE
    result_file = "ab.csv"
    published_options = frozenset({"requests", "duration_seconds", "keep_alive"})

    def command(self, request: LoadRequest) -> list[str]:
        seconds = math.ceil(request.seconds)
        length = ["-t", str(seconds), "-n", str(seconds * MOST_PER_SECOND)]
        table = ["-e", str(request.folder / self.result_file)]
        connections = ["-c", str(request.connections)]
        return ["ab", "-q", "-k", "-l", *length, *connections, *table, request.url]

    def published(self, method: PublishedLoad) -> list[str]:
        length = {"-n": method.requests, "-t": method.duration_seconds}
        words = options({**length, "-c": method.connections})
        return [*words, "-k"] if method.keep_alive else words

    def published_manner(self, method: PublishedLoad) -> Manner:
        return KEEP_ALIVE if method.keep_alive else NEW_CONNECTIONS

    def caution(self, keep_alive: bool) -> str:
        if keep_alive:
            return ""
        return "ab without -k connects anew for every request: much of it is connecting."

    def replay(self, url: str, method: PublishedLoad, folder: Path) -> list[str]:
        return ["ab", *self.published(method), "-q", "-e", str(folder / self.result_file), url]

    def read(self, output: str, folder: Path) -> Load:
        with open(folder / self.result_file, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
        at = {f"p{percent}": float(value) for percent, value in rows}
        means = re.findall(r"^Time per request:\s+([\d.]+)", output, re.MULTILINE)
        kinds = re.search(
            r"\(Connect: (\d+), Receive: (\d+), Length: \d+, Exceptions: (\d+)", output
        )
        connect, receive, exceptions = map(int, kinds.groups()) if kinds else (0, 0, 0)
        return Load(
            seconds=number(output, "Time taken for tests"),
            requests=int(number(output, "Complete requests")),
            latency_ms={
                "mean": float(means[0]),
                **{name: at.get(name) for name in PERCENTILES},
                "max": at.get("p100"),
            },
            errors={"connect": connect, "read": receive + exceptions, "write": 0, "timeout": 0},
            non_2xx=int(number(output, "Non-2xx responses", "0")),
            bytes=int(number(output, "Total transferred")),
        )


def number(output: str, label: str, default: str = "") -> float:
    """The number after a label in what ab prints. Raises ValueError where neither is there."""
    match = re.search(rf"^{label}:\s+([\d.]+)", output, re.MULTILINE)
    if not match and not default:
        raise ValueError(f"no line '{label}'")
    return float(match[1] if match else default)


TOOL = Ab()
