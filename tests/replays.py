"""Claims with an article's method, and replays of them, for the tests of replays."""

from benchbook.model import results
from benchbook.race import replaying
from benchbook.race.record import Note

WRK = """
[published]
kind = "http"
tool = "wrk"
threads = 2
connections = 10
duration_seconds = 10
"""


AB = """
[published]
kind = "http"
tool = "ab"
connections = 100
requests = 100000
runs = 3
take = "best"
columns = ["requests/s", "ms"]

[[figures]]
label = "B"
value = 9.5
unit = "ms"
place = "here"
"""


AUTOCANNON = """
[published]
kind = "http"
tool = "autocannon"
connections = 100
duration_seconds = 40
pipelining = 10
"""


LOOP_CLAIM = """
title = "text is faster"
summary = "made for a test"

[source]
article = "none"
title = "made for a test"
year = 2026
language = "English"
method = "a loop"

[published]
kind = "loop"
script = "loop.mjs"
iterations = 1000
measurements = 2

[[published.rows]]
figure = "text, first"
reads = "text"
number = 1

[[published.rows]]
figure = "json, first"
reads = "json"
number = 1

[[published.rows]]
figure = "text, second"
reads = "text"
number = 2

[[statements]]
id = "text-faster"
says = "text is faster than JSON"
type = "faster"
a = "b"
b = "a"
place = "here"
"""


LOOP_FIGURES = "".join(
    f'[[figures]]\nlabel = "{label}"\nvalue = {value}\nunit = "ms"\nplace = "here"\n{more}\n'
    for label, value, more in (
        ("text, first", 100, 'variant = "b"'),
        ("json, first", 4000, 'variant = "a"'),
        ("text, second", 90, ""),
    )
)


# Counts, by the tool's name for itself: requests, connections, most requests on one connection.
COUNTING = """
import http from 'node:http';
import { writeFileSync } from 'node:fs';
const seen = { requests: 0, connections: new Set(), together: 0 };
const loaded = ({ headers }) =>
  headers.connection !== 'close' || /Apache/.test(headers['user-agent'] ?? '');
const server = http.createServer((request, response) => {
  if (loaded(request)) {
    const socket = request.socket;
    seen.requests += 1;
    seen.connections.add(socket.number ??= Math.random());
    socket.waiting = (socket.waiting ?? 0) + 1;
    seen.together = Math.max(seen.together, socket.waiting);
    response.on('finish', () => { socket.waiting -= 1; });
  }
  setTimeout(() => response.end('hello'), 2);
});
process.on('SIGTERM', () => {
  writeFileSync('FILE', JSON.stringify({ ...seen, connections: seen.connections.size }));
  process.exit();
});
server.listen(process.env.PORT, '127.0.0.1');
"""


def play(experiment, tmp_path, **more):
    """Replay to the end; returns what is on disk then, and the notes."""
    ready = replaying.prepare(experiment, path=tmp_path / "replay.json", **more)
    notes = [event.text for event in ready.events() if isinstance(event, Note)]
    return results.load(tmp_path / "replay.json"), notes
