"""Measures the C# session and writes docs/csharp-session.md: `python docs/make_csharp_table.py`.

The other column is what .NET Interactive, built from its last source, did on a similar machine.
"""

import argparse
import contextlib
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

import psutil  # noqa: E402

from benchbook.programs import builds  # noqa: E402
from benchbook.system import kernels  # noqa: E402

LOOPS = {
    "in a function": """\
static long Work(int count)
{
    long sum = 0;
    for (int i = 0; i < count; i++) sum += (i ^ (sum >> 3)) % 7;
    return sum;
}
Work(1000);
var watch = System.Diagnostics.Stopwatch.StartNew();
long result = Work(200_000_000);
System.Console.WriteLine($"{watch.Elapsed.TotalMilliseconds:0.0} {result}");
""",
    "at the top level": """\
var watch = System.Diagnostics.Stopwatch.StartNew();
long sum = 0;
for (int i = 0; i < 200_000_000; i++) sum += (i ^ (sum >> 3)) % 7;
System.Console.WriteLine($"{watch.Elapsed.TotalMilliseconds:0.0} {sum}");
""",
}
HEAD = """\
# The C# session, measured

Made by `docs/make_csharp_table.py`. The right column is .NET Interactive, built from its
last source and measured earlier on a similar machine, not in the same hour.

"""
ROUNDS = 5
CELLS = 1000
NAMESPACE = 'namespace Shop { public record Item(string Name); }\nnew Shop.Item("tea")'
LOCALS = """using var reader = new StringReader("3,4");
ReadOnlySpan<char> text = reader.ReadLine();
int[] all = [int.Parse(text[..1]), int.Parse(text[2..])];
ref var first = ref all[0];
first *= 10;
all.Sum()"""

Row = tuple[str, str, str]  # what, Benchbook, .NET Interactive


class Kernel:
    """A benchbook-csharp kernel; ready: the seconds it took to start."""

    def __init__(self) -> None:
        begun = time.monotonic()
        self.running = contextlib.ExitStack()
        started = kernels.started("benchbook-csharp", 120)
        self.manager, self.client = self.running.enter_context(started)
        self.ready = time.monotonic() - begun

    def run(self, code: str) -> tuple[float, list]:
        """Seconds that a cell took, and its messages. Raises RuntimeError where it fails."""
        messages = []
        begun = time.monotonic()
        reply = self.client.execute_interactive(
            code, timeout=300, output_hook=lambda m: messages.append((m["msg_type"], m["content"]))
        )
        seconds = time.monotonic() - begun
        if reply["content"]["status"] != "ok":
            raise RuntimeError(f"{code!r} failed: {reply['content']}")
        return seconds, messages

    def printed(self, code: str) -> str:
        messages = self.run(code)[1]
        return "".join(c["text"] for kind, c in messages if kind == "stream")

    def host(self) -> psutil.Process:
        own = psutil.Process(self.manager.provisioner.pid)
        return next(
            p for p in own.children(recursive=True) if "benchbook-csharp" in str(p.cmdline())
        )

    def interrupted(self) -> bool:
        """Is the state still there after an endless loop was interrupted?"""
        self.run("var kept = 41;")
        self.client.execute("while (true) { }", stop_on_error=False)
        time.sleep(1)
        self.manager.interrupt_kernel()
        while True:
            reply = self.client.get_shell_msg(timeout=60)
            if reply["content"].get("ename"):
                break
        return value(self.run("kept + 1")[1]) == "42"

    def close(self) -> None:
        self.running.close()


def value(messages: list) -> str:
    return next(c["data"]["text/plain"] for kind, c in messages if kind == "execute_result")


def loops(kernel: Kernel) -> dict[str, float]:
    """Time of a hot loop in a cell, to that of the same text as a Release program, in turn."""
    ratios = {}
    for name, code in LOOPS.items():
        with tempfile.TemporaryDirectory(dir=ROOT / ".benchbook") as folder:
            program = Path(folder) / "loop.cs"
            program.write_text("#:property PublishAot=false\n" + code)
            build = builds.build_folder(program)
            builds.build(program, "build", build, lambda: None)
            pairs = []
            for _ in range(ROUNDS):
                cell = kernel.printed(code).split()
                code_, output = builds.run(["dotnet", str(build / "out" / "loop.dll")], ROOT)
                alone = output.split()
                assert code_ == 0 and cell[1] == alone[1], (cell, alone)
                pairs.append(float(cell[0]) / float(alone[0]))
        ratios[name] = statistics.median(pairs)
    return ratios


def bundle_is_json(kernel: Kernel) -> bool:
    code = 'display("{\\"data\\": [1]}", "application/vnd.plotly.v1+json");'
    shown = [c for kind, c in kernel.run(code)[1] if kind == "display_data"]
    return shown[0]["data"]["application/vnd.plotly.v1+json"] == {"data": [1]}


def updates(kernel: Kernel) -> bool:
    messages = kernel.run('var shown = display("one"); shown.Update("two");')[1]
    return [kind for kind, _ in messages if "display" in kind] == [
        "display_data",
        "update_display_data",
    ]


def outcome(kernel: Kernel, code: str) -> str:
    failed = any(kind == "error" for kind, _ in kernel.run(code)[1])
    return "an error" if failed else "runs"


def speed_rows(kernel: Kernel) -> list[Row]:
    """How long cells take; the first row must be measured before anything else runs."""
    first, _ = kernel.run("1 + 1")
    later = statistics.median(kernel.run("1 + 1")[0] for _ in range(51))
    return [
        ("kernel ready", f"{kernel.ready:.1f} s", "0.9 to 1.2 s"),
        ("first cell after that", f"{first:.2f} s", "1.0 s"),
        ("later cells, `1 + 1`, median", f"{later * 1000:.0f} ms", "10 to 140 ms"),
    ]


def loop_rows(kernel: Kernel) -> list[Row]:
    return [
        (f"hot loop {name}, relative to the Release program", f"{ratio:.2f}", "1.6 to 3")
        for name, ratio in loops(kernel).items()
    ]


def output_rows(kernel: Kernel) -> list[Row]:
    """What arrives of a cell's output, and whether an endless loop can be interrupted."""
    lines = kernel.printed("for (var i = 0; i < 20000; i++) Console.WriteLine(i);").split()
    in_order = ", in order" if lines == [str(i) for i in range(20000)] else ""
    kept = "state kept" if kernel.interrupted() else "state lost"
    bundle = "as JSON" if bundle_is_json(kernel) else "as a string"
    updated = "updates in place" if updates(kernel) else "does not update"
    return [
        ("lines that arrive of 20,000 `WriteLine`s", f"{len(lines):,}{in_order}", "about 18,000"),
        ("an endless loop is interrupted", kept, "the kernel is killed"),
        ("a plotly MIME bundle arrives", bundle, "as a string"),
        ("`display(x)`, then `.Update(y)`", updated, "does not update"),
    ]


def memory_rows(kernel: Kernel) -> list[Row]:
    """The host's memory before and after many cells, a tenth of which declare something."""
    host = kernel.host()
    kernel.run("GC.Collect()")
    before = host.memory_info().rss / 1e6
    for i in range(CELLS):
        kernel.run(f"var v{i % 7} = {i};" if i % 10 == 0 else f"{i} + 1")
    kernel.run("GC.Collect()")
    after = host.memory_info().rss / 1e6
    last = statistics.median(kernel.run("1 + 1")[0] for _ in range(21))
    cells = f"{CELLS:,} cells ({CELLS // 10} of which declare something)"
    return [
        (
            f"memory of the host, before and after {cells}",
            f"{before:.0f} and {after:.0f} MB",
            "not measured",
        ),
        ("`1 + 1` after these", f"{last * 1000:.0f} ms", "not measured"),
    ]


def language_rows(kernel: Kernel) -> list[Row]:
    return [
        ("a cell that declares a `namespace`", outcome(kernel, NAMESPACE), "an error"),
        (
            "`using var`, a span or a reference at the top level of a cell",
            outcome(kernel, LOCALS),
            "not measured",
        ),
        ("BenchmarkDotNet in a cell", "`%%benchmark`", "refuses the cell's assembly"),
    ]


def main() -> None:
    parts = (speed_rows, loop_rows, output_rows, memory_rows, language_rows)
    kernel = Kernel()
    try:
        rows = [row for part in parts for row in part(kernel)]
    finally:
        kernel.close()
    table = ["| | Benchbook | .NET Interactive |", "|---|---|---|"]
    table += [f"| {' | '.join(row)} |" for row in rows]
    text = HEAD + "\n".join(table) + "\n"
    (ROOT / "docs" / "csharp-session.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    main()
