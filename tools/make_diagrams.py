"""Draws the nine pictures that notebooks explain something with, as SVG files of the package, and
writes the page that shows them all:

    python tools/make_diagrams.py
"""

import re
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("tools", "src", "packages/benchbook-kernels/src")
sys.path[:0] = [str(ROOT / path) for path in FOLDERS]

from drawing import BLUE, GREEN, INK, ORANGE, PINK, Drawing  # noqa: E402

from benchbook.show.pictures.diagrams import FOLDER  # noqa: E402
from benchbook.system import paths  # noqa: E402


def launch() -> Drawing:
    d = Drawing(
        304,
        "Launch, block, sample",
        "A race has several launches. In each, every program is started anew and warmed up, which"
        " does not count; then come blocks. A block holds one sample of every program: of the"
        " baseline, of its copy (the control) and of the others. Ratios are taken within a block,"
        " so what changes from block to block cancels. From launch to launch other things differ:"
        " where a program lies in memory, what the compiler decided. So the interval is taken over"
        " launches.",
    )
    d.text(10, 20, "A race: several launches, in each of which every program is started anew")
    for i in range(3):
        x = 10 + i * 230
        d.box(x, 30, 220, 66, strong=0.05)
        d.text(x + 8, 47, f"launch {i + 1}", bold=1)
        d.box(x + 8, 56, 62, 30, ORANGE, said="warm-up", size=12, dashed=True)
        for j in range(3):
            d.box(x + 76 + j * 47, 56, 42, 30, BLUE, said=f"block {j + 1}", size=11)
    d.line((133, 87), (60, 134), dashed=True, width=1)
    d.line((175, 87), (430, 134), dashed=True, width=1)
    d.box(10, 134, 470, 160, BLUE, strong=0.06)
    d.text(20, 154, "one block: a sample of every program", bold=1)
    rows = [("baseline", 0.62, "1,000"), ("its copy", 0.62, "1,004"), ("a variant", 0.56, "905")]
    for i, (name, share, rate) in enumerate(rows):
        y = 166 + 32 * i
        d.text(20, y + 17, name)
        colour = ORANGE if i == 2 else BLUE
        d.box(100, y, 370 * share, 24, colour, said=f"a sample: {rate} requests/s")
    d.text(20, 282, "ratio within the block: 905 / 1,000 = 0.905")
    d.text(496, 166, "blocks", bold=1)
    d.text(496, 184, "share what the machine")
    d.text(496, 201, "does in that moment")
    d.text(496, 228, "launches", bold=1)
    d.text(496, 246, "differ by memory and by")
    d.text(496, 263, "compiler: the interval is")
    d.text(496, 280, "taken over launches.")
    return d


def together() -> Drawing:
    d = Drawing(
        318,
        "Together, against in turns",
        "The machine pauses for a moment. One after another: the pause hits A only, and"
        " makes it look slower. In turns, in random order within blocks: it hits one sample of A,"
        " which is lost to noise. Together: all programs are loaded at the same time,"
        " so the pause hits all of them, and cancels in their ratio.",
    )
    d.text(333, 17, "the machine pauses", "middle")
    kinds = [
        ("one after another", "charged to A alone: A looks slower"),
        ("in turns, random order", "one sample of A is lost: noise"),
        ("together", "both pause: their ratio stays what it was"),
    ]
    rows = [["A"] * 6 + ["B"] * 6, list("ABBABAABBAAB")]
    for i, (name, why) in enumerate(kinds):
        y = 30 + 96 * i
        d.text(10, y + 18, name, bold=1)
        d.text(10, y + 80, why)
        if i < 2:
            for j, each in enumerate(rows[i]):
                x = 188 + j * 42
                d.box(x, y + 2, 38, 48, BLUE if each == "A" else GREEN, said=each)
        else:
            d.box(188, y + 2, 500, 22, BLUE, said="")
            d.box(188, y + 28, 500, 22, GREEN, said="")
            d.text(200, y + 17, "A")
            d.text(200, y + 43, "B")
            d.text(540, y + 17, "the same seconds", "middle")
            d.text(540, y + 43, "the same seconds", "middle")
    d.box(314, 24, 38, 284, ORANGE, strong=0.25, rx=0)
    return d


def proxy() -> Drawing:
    d = Drawing(
        352,
        "A proxy with and without keep-alive",
        "A client asks a web server in front, nginx, which asks Kestrel. With keep-alive nginx"
        " opens a connection to Kestrel once and sends one request after the other on it. Without,"
        " every request opens a connection, is answered, and closes it again: two more round trips"
        " between nginx and Kestrel for each request of the client.",
    )
    for side, keeps in enumerate((True, False)):
        x = 10 + 350 * side
        places = x + 30, x + 150, x + 300
        title = "keep-alive: one connection" if keeps else "without: a connection each time"
        d.text(x, 18, title, bold=1)
        for place, name in zip(places, ("client", "nginx", "Kestrel"), strict=True):
            d.box(place - 30, 28, 60, 24, said=name)
            d.line((place, 52), (place, 344), width=1)
        y = 66.0
        client, nginx, kestrel = places
        for request in range(3 if keeps else 2):
            if not keeps or request == 0:
                d.line((nginx, y), (kestrel, y + 9), colour=ORANGE, arrow=True)
                d.line((kestrel, y + 14), (nginx, y + 23), colour=ORANGE, arrow=True)
                d.text((nginx + kestrel) / 2, y - 1, "connect", "middle", size=12)
                y += 36
            d.line((client, y), (nginx, y), colour=BLUE, arrow=True)
            d.line((nginx, y + 12), (kestrel, y + 12), colour=BLUE, arrow=True)
            d.text((nginx + kestrel) / 2, y + 7, f"request {request + 1}", "middle", size=12)
            d.line((kestrel, y + 38), (nginx, y + 38), colour=GREEN, arrow=True)
            d.text((nginx + kestrel) / 2, y + 33, "answer", "middle", size=12)
            d.line((nginx, y + 50), (client, y + 50), colour=GREEN, arrow=True)
            y += 76
            if not keeps:
                y -= 6
                d.line((nginx, y), (kestrel, y), colour=ORANGE, arrow=True)
                d.text((nginx + kestrel) / 2, y - 5, "close", "middle", size=12)
                y += 30
    return d


def starvation() -> Drawing:
    d = Drawing(
        300,
        "Starvation on a time line",
        "A thread pool has three threads. Each runs a handler that calls Write with 64 KiB: as much"
        " as the pipe takes, so the call blocks its thread until somebody empties the pipe. The"
        " work that would do this is queued, and needs a thread of the same pool; there is none."
        " Nobody works, the CPU is idle. Only when the pool, which waits before it does so, adds a"
        " thread is the first pipe emptied; that ends one wait, and the rest goes as slowly.",
    )
    d.line((100, 272), (690, 272), arrow=True)
    d.text(690, 292, "time", "end")
    for i in range(3):
        y = 16 + 40 * i
        end = 660 if i else 560
        d.text(10, y + 20, f"thread {i + 1}")
        d.box(100, y, 66, 30, BLUE, said="handler", size=12, strong=0.35)
        d.box(166, y, end - 166, 30, ORANGE, said="Write waits: the pipe is full")
    d.box(560, 16, 66, 30, BLUE, said="goes on", size=12, strong=0.35)
    d.text(10, 156, "thread 4")
    d.box(
        100, 136, 396, 30, dashed=True, strong=0.04, said="the pool waits before it adds a thread"
    )
    d.box(496, 136, 62, 30, GREEN, said="empties", size=12, strong=0.35)
    d.line((558, 136), (566, 48), colour=GREEN, arrow=True)
    d.text(10, 194, "the queue")
    for i in range(3):
        d.box(166 + 94 * i, 176, 88, 30, GREEN, said=f"empty pipe {i + 1}", size=12)
    d.text(456, 195, "each needs a thread of the pool")
    d.text(166, 232, "the CPU is idle: all wait for each other", bold=1)
    d.line((166, 240), (494, 240), colour=ORANGE, width=3)
    d.text(166, 260, "more requests only make the queue longer", size=12)
    return d


def onion() -> Drawing:
    d = Drawing(
        330,
        "The onion, and MVC's stages",
        "Middleware is an onion of calls: a calls b, b calls c, c calls the handler, and each goes"
        " on after its call, in reverse order. An exception flies outwards through them until one"
        " catches it. In MVC a request passes stages, whatever a filter's order: authorization,"
        " resource filters, model binding, action filters, the action, result filters. Filters of"
        " a stage are nested, too, but between two of them the invoker catches an exception and"
        " hands it on in a context: each is told of it.",
    )
    d.text(10, 18, "middleware: calls within calls", bold=1)
    for i, name in enumerate("abc"):
        d.box(10 + 30 * i, 30 + 36 * i, 310 - 60 * i, 246 - 72 * i, BLUE, strong=0.1)
        d.text(20 + 30 * i, 49 + 36 * i, name, bold=1)
    d.box(100, 138, 130, 30, GREEN, said="handler", strong=0.35)
    d.line((140, 34), (140, 136), colour=BLUE, arrow=True, width=2)
    d.line((190, 170), (190, 272), colour=BLUE, arrow=True, width=2)
    d.text(150, 60, "a, b, c begin")
    d.text(180, 258, "c, b, a end", "end")
    d.line((232, 153), (338, 153), colour=ORANGE, arrow=True, width=2)
    d.text(10, 296, "An exception flies outwards (orange),")
    d.text(10, 314, "until a layer catches it.")
    d.text(366, 18, "MVC: stages, then order within a stage", bold=1)
    stages = ["authorization", "resource filters", "model binding", "action filters"]
    for i, name in enumerate([*stages, "the action", "result filters"]):
        y = 30 + 41 * i
        nested, inner = "filters" in name, name == "the action"
        d.box(366, y, 200, 30, GREEN if inner else BLUE, said=name, strong=0.35 if inner else 0.15)
        if nested:
            d.box(372, y + 4, 188, 22, BLUE, strong=0.08)
        if i < 5:
            d.line((466, y + 30), (466, y + 40), arrow=True)
    d.line((566, 209), (584, 209), (584, 168), (568, 168), colour=ORANGE, arrow=True, width=2)
    d.text(592, 176, "told in a")
    d.text(592, 193, "context, not")
    d.text(592, 210, "thrown on")
    d.text(366, 296, "No number moves a filter into another stage;")
    d.text(366, 314, "within a stage, filters are an onion, too.")
    return d


def rope() -> Drawing:
    d = Drawing(
        268,
        "A rope, against a flat string",
        "A template string that is kept is not a text yet. V8 notes which pieces belong together:"
        " a rope, a tree of pairs whose leaves are the pieces. That takes a few words of memory and"
        " copies no letter. JSON.stringify gives a flat string: all letters lie in a row, copied."
        " When somebody reads the rope's letters, it is made flat, and the copying is paid then.",
    )
    d.text(10, 18, "kept: a rope, which only notes its pieces", bold=1)
    d.box(130, 34, 70, 28, ORANGE, said="pair")
    d.box(60, 88, 70, 28, ORANGE, said="pair")
    d.line((150, 62), (100, 86), arrow=True)
    d.line((180, 62), (246, 142), arrow=True)
    d.line((80, 116), (62, 142), arrow=True)
    d.line((112, 116), (150, 142), arrow=True)
    for x, w, piece in ((10, 100, '`{"hello":"`'), (118, 74, "`world`"), (222, 50, '`"}`')):
        d.box(x, 144, w, 28, BLUE, said=piece)
    d.text(10, 200, "No letter was copied. That is why a template")
    d.text(10, 218, "whose text nobody reads seems to cost nothing.")
    d.text(380, 18, "JSON.stringify: a flat string", bold=1)
    for i, letter in enumerate('{"hello":"world"}'):
        d.box(380 + 18 * i, 144, 18, 28, BLUE, said=f"`{letter}`", rx=0)
    d.text(380, 200, "Every letter was written, in its place.")
    d.line((290, 158), (372, 158), colour=ORANGE, arrow=True, width=2)
    d.text(331, 118, "read once:", "middle")
    d.text(331, 135, "made flat", "middle")
    d.text(10, 252, "For a client, for a log, in a comparison: as soon as it is read, it is flat.")
    return d


JSON_PARTS = "frame:2 name:7 date:30 name:16 temperature:3 name:11 summary:10 frame:2"
MEMORYPACK_PARTS = "frame:5 date:8 temperature:4 frame:8 summary:8"
LAYOUTS = (
    ("JSON, 81 bytes: text, and every name each time", JSON_PARTS),
    ("MessagePack, 22 bytes: no names, each value as short as can be",
     "frame:2 frame:2 date:8 temperature:1 frame:1 summary:8"),
    ("MemoryPack, 33 bytes: as it lies in memory", MEMORYPACK_PARTS),
)  # fmt: skip
COLOURS = {"frame": INK, "name": PINK, "date": ORANGE, "temperature": BLUE, "summary": GREEN}


def layouts() -> Drawing:
    d = Drawing(
        300,
        "Three byte layouts",
        "One weather forecast, drawn to scale. JSON takes 81 bytes: the date as 30 of text, the"
        " three names together 34, the temperature 3. MessagePack without names takes 22: the date"
        " 8, the temperature 1, the summary 8, and 5 that say what comes. MemoryPack takes 33:"
        " the date 8, the temperature always 4, the summary 8 behind two lengths of 4 each, as they"
        " lie in memory.",
    )
    for i, (title, fields) in enumerate(LAYOUTS):
        y, x = 30 + 74 * i, 10.0
        d.text(10, y - 8, title, bold=1)
        for field in fields.split():
            kind, length = field.split(":")
            w = 8.3 * int(length)
            said = {"temperature": "°C", "frame": ""}.get(kind, kind) if w > 20 else ""
            d.box(x, y, w, 34, COLOURS[kind], said=said, size=12, strong=0.25)
            x += w
    x = 10.0
    for kind, said in (
        ("date", "date"),
        ("temperature", "temperature (°C)"),
        ("summary", "summary"),
        ("name", "name"),
        ("frame", "frame: brackets, lengths, types"),
    ):
        d.box(x, 248, 16, 16, COLOURS[kind], strong=0.25)
        d.text(x + 22, 261, said)
        x += 46 + 7.2 * len(said)
    d.text(10, 288, "Drawn to scale: 8.3 px a byte.", size=12)
    return d


def load() -> Drawing:
    d = Drawing(
        196,
        "Where the time of a load goes",
        "A load is what the server needs to serialize, the HTTP and the line between, and what the"
        " client needs to deserialize. In memory only the serializer is timed. With HTTP around it"
        " the same serializer is a part of the whole. On a slow line the delay and the bytes are"
        " nearly all of it: there a small format counts, and hardly a fast one. Not to scale.",
    )
    colours = {"serialize": BLUE, "HTTP": INK, "delay": ORANGE, "bytes": PINK, "deserialize": GREEN}
    rows = {
        "in memory": "serialize:90 deserialize:120",
        "with HTTP": "serialize:90 HTTP:150 deserialize:120",
        "a slow line": "serialize:22 HTTP:44 delay:130 bytes:330 deserialize:30",
    }
    for i, (name, parts) in enumerate(rows.items()):
        x, y = 110.0, 14 + 48 * i
        d.text(10, y + 23, name, bold=1)
        for part, wide in (each.split(":") for each in parts.split()):
            d.box(x, y, int(wide), 36, colours[part], said=part if int(wide) > 40 else "", size=12)
            x += int(wide)
    d.text(10, 180, "A faster serializer makes its own part shorter; a smaller format the bytes.")
    return d


def queue() -> Drawing:
    d = Drawing(
        300,
        "Pipelining, and the queue",
        "A server that works on one request at a time, one millisecond each. With one request on"
        " the way at a time, each takes 1 ms: 1,000 a second. With four on the way, each waits for"
        " three others: still 1,000 a second, and 4 ms each. More on the way does not make the"
        " server faster, it makes the queue longer. Little's law: requests on the way = requests"
        " per second × mean latency: 1 = 1,000/s × 1 ms, 4 = 1,000/s × 4 ms.",
    )
    d.text(10, 18, "one on the way", bold=1)
    for i in range(4):
        d.box(140 + 80 * i, 6, 78, 24, BLUE, said=f"{i + 1}", strong=0.4)
    d.text(474, 23, "1 = 1,000/s × 1 ms")
    d.text(10, 66, "four on the way", bold=1)
    for i in range(6):
        y, due, done = 54 + 31 * i, max(0, i - 3), i + 1
        begun = 140 + 80 * (done - 1)
        if begun > 140 + 80 * due:
            said = "waits in the queue" if i > 2 else "waits"
            d.box(140 + 80 * due, y, begun - 140 - 80 * due, 24, ORANGE, strong=0.12, said=said)
        d.box(begun, y, 78, 24, BLUE, said=f"{i + 1}", strong=0.4)
    d.text(474, 70, "4 = 1,000/s × 4 ms")
    d.text(474, 92, "as many a second,")
    d.text(474, 110, "each four times as long")
    d.line((140, 250), (640, 250), arrow=True)
    for i in range(7):
        d.line((140 + 80 * i, 246), (140 + 80 * i, 254), width=1)
        d.text(140 + 80 * i, 270, f"{i} ms", "middle", size=12)
    d.text(
        10,
        292,
        "Blue: the server works on it. Orange: it waits for its turn. The server never idles.",
    )
    return d


DRAWINGS: dict[str, Callable[[], Drawing]] = {
    each.__name__: each
    for each in (launch, together, proxy, starvation, onion, rope, layouts, load, queue)
}

PAGE_OF_ALL = ROOT / "docs" / "pictures.md"
HEAD = """\
# Pictures

What takes long to say, drawn. In a notebook `%picture NAME` shows one, with its words folded below
it. `python tools/make_diagrams.py` draws them, and writes this page.
"""
SECTION = """
## {title}

`%picture {name}`, in [notebook {number}](../notebooks/{notebook})

![{title}](../{path})

{twin}
"""


def section(name: str, drawn: Drawing) -> str:
    """A picture's part of the page, with the notebook that shows it."""
    shown = re.compile(rf'"%picture {name}(?:\\n)?"')  # a line of a cell
    notebooks = sorted(paths.notebooks().glob("*.ipynb"))
    found = [path for path in notebooks if shown.search(path.read_text("utf-8"))]
    return SECTION.format(
        name=name,
        title=drawn.title,
        number=found[0].name.partition("-")[0],
        notebook=found[0].name,
        path=f"src/benchbook/show/assets/diagrams/{name}.svg",
        twin="\n".join(textwrap.wrap(drawn.twin, 120)),
    )


def files() -> dict[Path, str]:
    """All that this script writes."""
    drawn = {name: draw() for name, draw in DRAWINGS.items()}
    page = HEAD + "".join(section(name, each) for name, each in drawn.items())
    svgs = {FOLDER / f"{name}.svg": each.svg() for name, each in drawn.items()}
    return {PAGE_OF_ALL: page, **svgs}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, written in files().items():
        file.write_text(written, encoding="utf-8")
