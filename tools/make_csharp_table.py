"""Measures the C# session and writes docs/csharp-session.md: `python tools/make_csharp_table.py`.

Where .NET Interactive is installed (a Jupyter kernel called .net-csharp, or the tool that set-up
got), it is measured in the same run, in turn with ours; elsewhere its column stays as recorded.
"""

import argparse
import contextlib
import json
import os
import queue
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / path) for path in ("src", "packages/benchbook-kernels/src")]

import psutil  # noqa: E402

from benchbook.model import results  # noqa: E402
from benchbook.programs import packages  # noqa: E402
from benchbook.system import kernels  # noqa: E402
from benchbook_kernels.base import builds  # noqa: E402
from benchbook_kernels.install import interactive  # noqa: E402
from benchbook_kernels.notebook.sessions import jupyter  # noqa: E402

TARGET = ROOT / "docs" / "csharp-session.md"
LINES_SECONDS = 60.0  # for all that a cell prints
OURS, THEIRS = "benchbook-csharp", ".net-csharp"
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

Made by `tools/make_csharp_table.py`. Columns of one date were measured in one run, in turn. .NET
Interactive is measured where it is installed as the Jupyter kernel `.net-csharp`.

"""
ROUNDS = 5
CELLS = 1000
STARTS = 3
REST = 5  # seconds from the first cell to a look at memory: sessions tidy up after their start
SECONDS = 30  # for an interrupted cell to end, or a question to be answered
NOTEBOOKS = ("01", "07a", "09")
NAMESPACE = 'namespace Shop { public record Item(string Name); }\nnew Shop.Item("tea")'
LOCALS = """using var reader = new System.IO.StringReader("3,4");
ReadOnlySpan<char> text = reader.ReadLine();
int[] all = [int.Parse(text[..1]), int.Parse(text[2..])];
ref var first = ref all[0];
first *= 10;
all.Sum()"""

BENCHMARK = f"""#r "nuget: BenchmarkDotNet, {packages.version('BenchmarkDotNet')}"
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Running;
public class Empty {{ [Benchmark] public void Nothing() {{ }} }}
var summary = BenchmarkRunner.Run<Empty>(DefaultConfig.Instance.AddJob(Job.Dry));
var done = summary.Reports.Count(report => report.Success);
Console.WriteLine($"{{summary.HasCriticalValidationErrors}} {{done}}");
"""
VALUE = "new { Answer = 42 }"
PLOTLY = "application/vnd.plotly.v1+json"
BUNDLES = {
    OURS: f'display("{{\\"data\\": [1]}}", "{PLOTLY}");',
    THEIRS: f'"{{\\"data\\": [1]}}".DisplayAs("{PLOTLY}");',
}

Column = dict[str, str]  # what was measured, and what came out


class Kernel:
    """A running kernel, in a folder or an empty one; ready: the seconds it took to start."""

    def __init__(self, name: str = OURS, folder: Path | None = None) -> None:
        self.name = name
        self.running = contextlib.ExitStack()
        folder = folder or self.running.enter_context(tempfile.TemporaryDirectory())
        begun = time.monotonic()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        started = kernels.started(name, 120, cwd=folder, **quiet)
        self.manager, self.client = self.running.enter_context(started)
        self.ready = time.monotonic() - begun

    def run(self, code: str, limit: float = 300) -> tuple[float, list]:
        """Seconds that a cell took, and its messages. Raises RuntimeError where it fails,
        TimeoutError, with the messages that came, where its end is not told within the limit."""
        messages = []
        begun = time.monotonic()
        try:
            reply = self.client.execute_interactive(
                code,
                timeout=limit,
                output_hook=lambda m: messages.append((m["msg_type"], m["content"])),
            )
        except TimeoutError:
            raise TimeoutError(messages) from None
        seconds = time.monotonic() - begun
        if reply["content"]["status"] != "ok":
            raise RuntimeError(f"{code!r} failed: {reply['content']}")
        return seconds, messages

    def runs(self, code: str) -> bool:
        try:
            return not any(kind == "error" for kind, _ in self.run(code)[1])
        except RuntimeError:
            return False

    def printed(self, code: str) -> str:
        try:
            messages = self.run(code, LINES_SECONDS)[1]
        except TimeoutError as error:  # messages were lost on the way, the last one, too
            messages = error.args[0]
        said = [c for kind, c in messages if kind == "stream"]
        return "".join(c["text"] for c in said if c["name"] == "stdout")

    def host(self) -> psutil.Process:
        """The process that the cells run in: the kernel's own, or a child of it."""
        own = psutil.Process(self.manager.provisioner.pid)
        family = [*own.children(recursive=True), own]
        return next(p for p in family if p.name() == "dotnet")

    def memory(self) -> float:
        """MB of the host that are in memory (RSS), with what it shares with other .NET programs."""
        return self.host().memory_info().rss / 1e6

    def after_interrupt(self) -> str:
        """What becomes of an endless loop that is interrupted, and of the kernel's state."""
        self.run("var kept = 41;")
        self.client.execute("while (true) { }", stop_on_error=False)
        time.sleep(1)
        self.manager.interrupt_kernel()
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline and self.manager.is_alive():
            with contextlib.suppress(queue.Empty):
                reply = self.client.get_shell_msg(timeout=1)
                if reply["content"].get("ename"):
                    kept = self.printed("System.Console.Write(kept + 1);") == "42"
                    return "state kept" if kept else "state lost"
        return "it goes on" if self.manager.is_alive() else "the kernel ends"

    def explains(self, name: str) -> bool:
        """Does it say what a name is (Shift+Tab in a notebook)?"""
        try:
            reply = self.client.inspect(name, len(name), reply=True, timeout=SECONDS)
        except TimeoutError:
            return False
        return bool(reply["content"]["found"])

    def close(self) -> None:
        self.running.close()


def about(name: str) -> str:
    """The head of a column: what was measured, and when."""
    return f"{name}, {results.now()[:10]}"


def version() -> str:
    """Of .NET Interactive: 1.0.0 (098a01b), with the commit that it was built from."""
    with contextlib.closing(Kernel(THEIRS)) as kernel:
        shown = str([c for kind, c in kernel.run("#!about")[1] if kind == "display_data"])
    found = re.search(r"Version: *</b>([\w.-]+)\+?(\w{0,7})", shown)
    assert found, shown
    return f"{found[1]} ({found[2]})" if found[2] else found[1]


def loops(running: list[Kernel]) -> list[Column]:
    """Time of a hot loop in a cell, to that of the same text as a Release program, in turn."""
    columns: list[Column] = [{} for _ in running]
    for name, code in LOOPS.items():
        with tempfile.TemporaryDirectory(dir=ROOT / ".benchbook") as folder:
            program = Path(folder) / "loop.cs"
            program.write_text("#:property PublishAot=false\n" + code)
            build = builds.build_folder(program)
            builds.build(program, "build", build, lambda: None)
            ratios: list[list[float]] = [[] for _ in running]
            for _ in range(ROUNDS):
                cells = [kernel.printed(code).split() for kernel in running]
                code_, output = builds.run(["dotnet", str(build / "out" / "loop.dll")], ROOT)
                alone = output.split()
                assert code_ == 0 and all(c[1] == alone[1] for c in cells), (cells, alone)
                for found, cell in zip(ratios, cells, strict=True):
                    found.append(float(cell[0]) / float(alone[0]))
        for column, found in zip(columns, ratios, strict=True):
            label = f"hot loop {name}, relative to the Release program"
            column[label] = f"{statistics.median(found):.2f}"
    return columns


def speeds(kernel: Kernel, ready: list[float], first: list[float]) -> Column:
    later = statistics.median(kernel.run("1 + 1")[0] for _ in range(51))
    return {
        "kernel ready": f"{statistics.median(ready):.1f} s",
        "first cell after that": f"{statistics.median(first):.2f} s",
        "later cells, `1 + 1`, median": f"{later * 1000:.0f} ms",
    }


def outputs(kernel: Kernel) -> Column:
    """What arrives of a cell's output."""
    lines = kernel.printed("for (var i = 0; i < 20000; i++) Console.WriteLine(i);").split()
    in_order = ", in order" if lines == [str(i) for i in range(20000)] else ""
    bundle = kernel.run(BUNDLES[kernel.name])[1]
    is_json = [c["data"][PLOTLY] for kind, c in bundle if "display" in kind] == [{"data": [1]}]
    value = next(c["data"] for kind, c in kernel.run(VALUE)[1] if kind == "execute_result")
    updated = kernel.run('var shown = display("one"); shown.Update("two");')[1]
    places = [c["transient"]["display_id"] for kind, c in updated if "display" in kind]
    in_place = len(places) == 2 and places[0] == places[1]
    return {
        "lines that arrive of 20,000 `WriteLine`s": f"{len(lines):,}{in_order}",
        f"forms of the value of `{VALUE}`": ", ".join(sorted(value)),
        "a plotly MIME bundle arrives": "as JSON" if is_json else "as a string",
        "`display(x)`, then `.Update(y)`": "updates in place" if in_place else "does not update",
    }


def memory(kernel: Kernel, begun: float) -> Column:
    """The host's memory before and after many cells, a tenth of which declare something; `begun`:
    what it was after the first cell."""
    before = kernel.memory()
    for i in range(CELLS):
        kernel.run(f"var v{i % 7} = {i};" if i % 10 == 0 else f"{i} + 1")
    after = kernel.memory()
    last = statistics.median(kernel.run("1 + 1")[0] for _ in range(21))
    cells = f"{CELLS:,} more cells ({CELLS // 10} of which declare something)"
    return {
        "memory of the host (RSS) after the first cell": f"{begun:.0f} MB",
        f"the same before and after {cells}": f"{before:.0f} and {after:.0f} MB",
        "`1 + 1` after these": f"{last * 1000:.0f} ms",
    }


def language(kernel: Kernel) -> Column:
    said = {True: "runs", False: "an error"}
    benchmarked = kernel.printed(BENCHMARK).split()[-2:]
    return {
        "Shift+Tab on `Console`": "explains it" if kernel.explains("Console") else "no answer",
        "a cell that declares a `namespace`": said[kernel.runs(NAMESPACE)],
        "`using var`, a span or a reference at the top level of a cell": said[kernel.runs(LOCALS)],
        "BenchmarkDotNet's `BenchmarkRunner.Run` of a class in a cell": (
            "points to `%%benchmark`"
            if not benchmarked
            else "refuses the cell's assembly"
            if benchmarked[0] == "True"
            else "runs"
            if benchmarked[1] == "1"
            else "can't build it"
        ),
        "an endless loop is interrupted": kernel.after_interrupt(),
    }


def notebooks(engine: str) -> Column:
    """How many of the C# cells of some notebooks run in our kernel, by `%engine`."""
    counts = []
    for number in NOTEBOOKS:
        path = next((ROOT / "notebooks").glob(f"{number}-*.ipynb"))
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        ran = []
        with contextlib.closing(Kernel(OURS, path.parent)) as kernel:
            kernel.run(f"%engine csharp {engine}")
            for source in sources:
                if source.startswith("%%python"):  # builds what cells take
                    kernel.run(source)
                elif not source.startswith("%"):
                    ran.append(kernel.runs(source))
        counts.append(f"{sum(ran)} of {len(ran)}")
    return {f"C# cells of {', '.join(NOTEBOOKS)} that run (`%engine`)": ", ".join(counts)}


def measured(names: list[str]) -> list[Column]:
    """The columns of some kernels, measured in turn."""
    ready, first = {name: [] for name in names}, {name: [] for name in names}
    with contextlib.ExitStack() as ends:
        for last in (False,) * (STARTS - 1) + (True,):
            running = []
            for name in names:
                kernel = Kernel(name)
                running.append(kernel)
                ends.callback(kernel.close)
                ready[name].append(kernel.ready)
                first[name].append(kernel.run("1 + 1")[0])
                if not last:
                    kernel.close()
        time.sleep(REST)
        begun = {kernel: kernel.memory() for kernel in running}
        columns = [speeds(k, ready[k.name], first[k.name]) for k in running]
        for column, found in zip(columns, loops(running), strict=True):
            column.update(found)
        for part in (outputs, lambda kernel: memory(kernel, begun[kernel]), language):
            for column, kernel in zip(columns, running, strict=True):
                column.update(part(kernel))
    for column, name in zip(columns, names, strict=True):
        column.update(notebooks("benchbook" if name == OURS else name))
    return columns


def recorded() -> tuple[str, Column]:
    """The last column of the table as it stands: its head, and what it says."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in TARGET.read_text(encoding="utf-8").splitlines()
        if line.startswith("|") and not line.startswith("| --- ")
    ]
    return rows[0][-1], {row[0]: row[-1] for row in rows[1:]}


def table(heads: list[str], columns: list[Column]) -> str:
    """The rows of the first column, beside what the others have of them."""
    lines = [["", *heads], ["---"] * (len(heads) + 1)]
    for label in columns[0]:
        lines.append([label, *(column.get(label, "not measured") for column in columns)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def main() -> None:
    if jupyter.installed(THEIRS):
        with tempfile.TemporaryDirectory() as prefix:
            if not jupyter.known_to_jupyter(THEIRS):  # it is the tool of .config/dotnet-tools.json
                interactive.write(prefix)
                os.environ["JUPYTER_PATH"] = str(Path(prefix) / "share" / "jupyter")
            ours, theirs = measured([OURS, THEIRS])
            head = about(f".NET Interactive {version()}")
    else:
        (ours,) = measured([OURS])
        head, theirs = recorded()
    text = HEAD + table([about("Benchbook"), head], [ours, theirs])
    TARGET.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    main()
