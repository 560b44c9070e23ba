"""A load generator of our own, in Python: there wherever Benchbook is. closed_loop.py is what runs.

On one CPU it asks about as often as wrk does: both spend their time in the kernel's calls.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchbook.loadtools.tool import Load, LoadRequest, LoadTool

SCRIPT = Path(__file__).with_name("closed_loop.py")


class PythonLoad(LoadTool):
    """Without site-packages and the user's settings, so that it starts quickly and always alike."""

    name = "python-load"
    program = sys.executable
    preference = 25  # before ab, which speaks HTTP/1.0
    purpose = "HTTP load where nothing is installed"
    install = "nothing to do: it comes with Benchbook, and Python runs it"
    install_elsewhere = "it runs on this machine only: install wrk there"
    step_seconds = 0.1
    writes_each = True  # writer() in closed_loop.py
    many_paths = True

    def command(self, request: LoadRequest) -> list[str]:
        numbers = [str(request.connections), f"{request.seconds:g}"]
        asked = request.paths.words if request.paths else []
        return [self.program, "-ISB", str(SCRIPT), request.url, *numbers, *asked]

    def read(self, output: str, folder: Path) -> Load:
        line = next(x for x in reversed(output.splitlines()) if x.startswith("{"))
        return Load(**json.loads(line))


TOOL = PythonLoad()
