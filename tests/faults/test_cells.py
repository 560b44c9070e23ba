"""Cells that do to the session what no cell should: the next cell runs, and nothing stays."""

import json
from typing import Any

import psutil
import pytest

from benchbook_kernels.notebook.sessions.node import NodeSession

CELLS = (
    "process.exit(draw)",
    "process.abort()",
    "process.kill(process.pid, 'SIGSEGV')",
    "Object.prototype.toJSON = () => draw; 1",
    "Buffer.from = JSON.stringify = Object.keys = Array.prototype.map = () => { throw draw }; 1",
    "const fs = require('fs'); fs.writeSync = () => { throw 1 }; fs.writeSync(out, 'x')",
    "require('fs').writeSync(out, '\\x1e{\"op\": ' + draw + '}\\n'); while (true) {}",
    "require('fs').writeSync(out, require('crypto').randomBytes(draw * 100)); 1",
    "require('fs').closeSync(out); while (true) {}",
    "const all = []; while (true) all.push(new Array(1e5).fill(draw))",
    "(function f() { f(f()) })()",
    "require('child_process').spawn('sleep', ['600'], { detached: true }).unref(); 1",
    "for (;;) console.log('x'.repeat(draw * 1000))",
    "setInterval(() => { throw new Error(draw) }, 1); 1",
    "process.on('exit', () => { while (true) {} }); process.exit()",
)


class Nowhere:
    """An output that nobody sees."""

    def stream(self, *_: Any) -> None:
        ...

    def display(self, *_: Any) -> None:
        ...

    def input(self, *_: Any) -> None:
        ...


@pytest.mark.fault("cell")
def test_a_cell(tmp_path, draw):
    session = NodeSession(str(tmp_path), node_options=("--max-old-space-size=100",))

    def submit(code: str):
        return session.submit(code, "a cell", Nowhere())

    def value(code: str) -> str:
        return submit(code).result(120).data["text/plain"]

    try:
        host = psutil.Process(int(value("process.pid")))
        out = json.loads(host.cmdline()[-1])["out"]
        code = (
            draw.choice(CELLS).replace("out", str(out)).replace("draw", str(draw.randrange(1, 99)))
        )
        future = submit(code)
        try:
            future.result(20)
        except TimeoutError:
            session.interrupt()
            future.result(60)
        if not submit("1 + 1").result(120).data:  # it said so, and begins anew
            session.restart()
        assert value("1 + 1") == "2"
        started = host.children(recursive=True) if host.is_running() else []
    finally:
        session.close()
    assert psutil.wait_procs(started, timeout=60)[1] == []
