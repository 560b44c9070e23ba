// Open-loop HTTP load: asks at a constant rate, whatever the server does, and counts each latency
// from the time at which the request was due. Prints one line of JSON; times are in milliseconds.
// By hand: node open_loop.mjs http://127.0.0.1:8080/ RATE SECONDS CONNECTIONS [DRAIN_MS]
//
// The method is wrk2's (https://github.com/giltene/wrk2, README): a plan says when each request is
// due; connections are kept alive; a request that is due while all of them are busy waits for the
// next that gets free, and its wait counts.
import http from 'node:http';

const [address, ...numbers] = process.argv.slice(2);
// drainMs: how long answers may still come after the last request was due
const [rate, seconds, connections, drainMs = 10_000] = numbers.map(Number);
const url = new URL(address);
const total = Math.round(rate * seconds);
const SPIN_MS = 3; // timers count whole milliseconds: nearer than this, look at the clock instead

const late = new Float64Array(total); // from due to taken up: what this generator itself adds
const fromSend = new Float64Array(total).fill(NaN);
const fromDue = new Float64Array(total).fill(NaN);
const errors = { connect: 0, read: 0, write: 0, timeout: 0 };
const sockets = new Set();
const waiting = []; // requests that are due, for want of a free connection
let taken = 0; // how many of them have been sent
let busy = 0;
let sent = 0;
let ended = 0;
let non2xx = 0;

const agent = new http.Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
// given an address that is parsed once: per request that would cost as much as the rest
const target = { agent, host: url.hostname, port: url.port, path: url.pathname + url.search };

function ask(answered, failed) {
  http
    .get(target, (response) => {
      sockets.add(response.socket);
      response.on('end', () => answered(response)).on('error', failed);
      response.resume();
    })
    .on('error', failed);
}

// Every connection is opened, and the code on both sides has run, before the clock starts.
await Promise.all(Array.from({ length: connections }, () => new Promise((go) => ask(go, go))));
const bytesRead = () => [...sockets].reduce((sum, socket) => sum + socket.bytesRead, 0);
const bytesBefore = bytesRead();

let finish;
const finished = new Promise((resolve) => (finish = resolve));
const start = performance.now() + 1;
const due = (i) => start + (i * 1000) / rate;

function send(i) {
  const at = performance.now();
  busy++;
  sent++;
  let open = true;
  const close = () => {
    if (!open) return false; // a broken answer can fail twice
    open = false;
    busy--;
    ended++;
    if (taken < waiting.length) send(waiting[taken++]);
    else if (ended === total) finish();
    return true;
  };
  ask(
    (response) => {
      const now = performance.now();
      if (!close()) return;
      fromDue[i] = now - due(i);
      fromSend[i] = now - at;
      if (response.statusCode < 200 || response.statusCode > 299) non2xx++;
    },
    (error) => {
      if (close()) errors[{ connect: 'connect', write: 'write' }[error.syscall] ?? 'read']++;
    },
  );
}

let next = 0;
function tick() {
  for (; next < total && due(next) <= performance.now(); next++) {
    late[next] = performance.now() - due(next);
    if (busy < connections) send(next);
    else waiting.push(next);
  }
  const wait = due(next) - performance.now();
  if (next === total) setTimeout(finish, drainMs + wait);
  else if (wait > SPIN_MS) setTimeout(tick, wait - SPIN_MS + 1);
  else setImmediate(tick); // lets answers in, then looks again
}
tick();
await finished;

const elapsed = Math.max((total * 1000) / rate, performance.now() - start);
const unanswered = total - ended;
errors.timeout += unanswered;

const percent = (sorted, p) =>
  sorted[Math.max(0, Math.ceil((sorted.length * p) / 100) - 1)] ?? null;
const mean = (values) =>
  values.length ? values.reduce((sum, x) => sum + x, 0) / values.length : null; // of none, unknown
const summary = (values) => {
  const sorted = values.filter((x) => !Number.isNaN(x)).sort(); // a typed array sorts by number
  const [p50, p75, p90, p99, p99_9, max] = [50, 75, 90, 99, 99.9, 100].map((p) =>
    percent(sorted, p),
  );
  return { mean: mean(sorted), p50, p75, p90, p99, p99_9, max };
};
const answered = fromDue.filter((x) => !Number.isNaN(x)).sort();
const points = [...Array(100).keys(), 99.5, 99.9, 99.95, 99.99, 100];
const result = {
  seconds: elapsed / 1000,
  due: total,
  sent,
  requests: answered.length,
  latency_ms: summary(fromDue),
  from_send_ms: summary(fromSend),
  late_ms: summary(late),
  curve: answered.length ? points.map((p) => [p, percent(answered, p)]) : [],
  waited: waiting.length,
  errors,
  non_2xx: non2xx,
  bytes: bytesRead() - bytesBefore,
};
process.stdout.write(JSON.stringify(result) + '\n', () => process.exit());
