// Preloaded into a Node.js program (--require): opens and closes a window of V8's sampling profiler.
//
//   BENCHBOOK_WINDOW=FILE BENCHBOOK_WINDOW_US=1000 node --require window.cjs PROGRAM
//
// With BENCHBOOK_WINDOW_OF=memory it is a window of V8's sampling heap profiler: FILE then has what was
// allocated, how often it was collected, and how deep the stack was where a program's own code began.
//
// SIGUSR2 opens the window, the next one closes it and writes FILE. The profile counts samples by the
// wall clock, so FILE also has the CPU time of the main thread, the only one that is sampled: shares
// of the samples that found work, times that time, are what each function took.
//
// V8 up to version 12 gives a sample in a function that was inlined to the function that it was
// inlined into, but with the line of the inlined one, which may be a line of another file. `homes`
// finds out whose lines those are, when the window is closed: nothing of it runs inside of it.

'use strict';

const { Session } = require('node:inspector');
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { PerformanceObserver } = require('node:perf_hooks');
const { isMainThread } = require('node:worker_threads');

const {
  BENCHBOOK_WINDOW: file,
  BENCHBOOK_WINDOW_US: interval = '1000',
  BENCHBOOK_WINDOW_OF: kind = 'time',
} = process.env;
delete process.env.BENCHBOOK_WINDOW; // programs that this one starts have no window of their own
const DEEPEST = 6; // calls of a function that was inlined, from the one that it was inlined into
const COUNTED_MS = 150; // after the window: which functions are called meanwhile
const IDLE = /^[\s{}()[\];,]*(\/\/.*)?$/; // a line that does nothing
const MOST_VISITED = 20_000; // functions, on the way

const post = (session, method, options = {}) => {
  let answer; // of a session with its own thread: it has come when post returns
  session.post(method, options, (error, result) => {
    if (error) throw new Error(`${method}: ${error.message}`);
    answer = result;
  });
  return answer;
};

// CPU time of the main thread in µs; of the process where the system does not tell that.
function cpu() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1000;
  } catch {
    const { user, system } = (process.threadCpuUsage ?? process.cpuUsage).call(process);
    return user + system;
  }
}

// ── Functions and their lines ────────────────────────────────────────────────────────────────────

// Every function of every script that V8 still knows: its name, first and last line (from 1), text.
function known(session) {
  const sources = new Map();
  session.on('Debugger.scriptParsed', ({ params }) => sources.set(params.scriptId, params));
  post(session, 'Debugger.enable');
  const found = new Map();
  for (const { scriptId, url, functions } of post(session, 'Profiler.takePreciseCoverage').result)
    if (url && sources.has(scriptId)) {
      const text = post(session, 'Debugger.getScriptSource', { scriptId }).scriptSource;
      const { startLine } = sources.get(scriptId);
      found.set(scriptId, script(url, text, functions, startLine));
    }
  post(session, 'Debugger.disable');
  return found;
}

// startLine: of the text in its file, from 0.
function script(url, text, functions, startLine) {
  const starts = [0];
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  const line = (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return startLine + low + 1;
  };
  const all = functions.map(({ functionName, ranges: [{ startOffset, endOffset, count }] }) => ({
    name: functionName,
    url,
    first: line(startOffset),
    last: line(Math.max(startOffset, endOffset - 1)),
    start: startOffset,
    end: endOffset,
    count,
    text: () => text.slice(startOffset, endOffset),
  }));
  return { starts, startLine, functions: all };
}

const smallest = (functions) =>
  functions.reduce((a, b) => (a && a.end - a.start <= b.end - b.start ? a : b), undefined);

// The function of a node's frame, which begins at that place; undefined where V8 forgot it.
function own(scripts, { scriptId, lineNumber, columnNumber }) {
  const there = scripts.get(scriptId);
  if (!there || lineNumber < 0) return undefined;
  const at = there.starts[lineNumber - there.startLine] + columnNumber;
  return smallest(there.functions.filter(({ start, end }) => start <= at && at < end));
}

// May this line of a function be at work? A blank one, or one of brackets, is another function's.
const works = ({ first, text }, line) => !IDLE.test(text().split('\n')[line - first]);

// How many calls away each function is that is called by name from this one, or from one so called.
function reached(from, named) {
  const depths = new Map([[from, 0]]);
  let now = [from];
  for (let depth = 1; depth <= DEEPEST && depths.size < MOST_VISITED; depth++) {
    const next = [];
    for (const each of now)
      for (const [, name] of each.text().matchAll(/([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*\(/gu))
        for (const called of named.get(name) ?? [])
          if (!depths.has(called)) {
            depths.set(called, depth);
            next.push(called);
          }
    now = next;
  }
  return depths;
}

// ── Whose lines they are ─────────────────────────────────────────────────────────────────────────

const key = ({ functionName, url, lineNumber }) => `${functionName}\n${url}\n${lineNumber + 1}`;
const keyOf = ({ name, url, first }) => `${name}\n${url}\n${first}`;

const isLined = ({ callFrame, positionTicks }) => callFrame.url && positionTicks;

function below(node, nodes, found = new Set()) {
  for (const child of (node.children ?? []).map((id) => nodes.get(id))) {
    found.add(key(child.callFrame));
    below(child, nodes, found);
  }
  return found;
}

// For each line of a node's samples that lies outside of its function: the function that has it,
// by "node line". Where several could be, of those that were called after the window: one that was seen
// below this node, else the one that is reached by the fewest calls; null where that leaves none.
function homes(session, profile) {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const ticked = profile.nodes.filter(isLined);
  const scripts = known(session);
  const every = [...scripts.values()].flatMap(({ functions }) => functions);
  const named = Map.groupBy?.(every, ({ name }) => name) ?? grouped(every);
  const seen = new Set(profile.nodes.map(({ callFrame }) => key(callFrame)));
  const found = {};
  for (const node of ticked) {
    const from = own(scripts, node.callFrame);
    if (!from) continue;
    let depths, under;
    for (const { line } of node.positionTicks) {
      if (from.first <= line && line <= from.last && works(from, line)) continue;
      depths ??= reached(from, named);
      under ??= below(node, nodes);
      const home = best(innermost(scripts, line, from), depths, under, seen);
      found[`${node.id} ${line}`] = home
        ? { functionName: home.name, url: home.url, lineNumber: home.first - 1 }
        : null;
    }
  }
  return found;
}

function grouped(functions) {
  const found = new Map();
  for (const each of functions) found.set(each.name, [...(found.get(each.name) ?? []), each]);
  return found;
}

// Of each script the smallest function that has this line, but for what is around the given one.
function* innermost(scripts, line, from) {
  for (const { functions } of scripts.values()) {
    const having = functions.filter(
      (each) => each.name && each.first <= line && line <= each.last && each !== from,
    );
    const found = smallest(having);
    if (found) yield found;
  }
}

function best(candidates, depths, under, seen) {
  const places = [...candidates]
    .map((each) => ({ each, is: keyOf(each), depth: depths.get(each) ?? Infinity }))
    .map(({ each, is, depth }) => ({
      each,
      // the greater, the likelier: one after the other
      marks: [each.count > 0, under.has(is), -depth, seen.has(is), each.count].map(Number),
    }))
    .filter(
      ({ each, marks: [ran, there, depth] }) => there || depth > -Infinity || (ran && isOwn(each)),
    );
  const likelier = (a, b) => {
    const i = a.marks.findIndex((mark, at) => mark !== b.marks[at]);
    return i < 0 ? 0 : b.marks[i] - a.marks[i];
  };
  const [first, second] = places.sort(likelier);
  return !first || (second && !likelier(first, second)) ? undefined : first.each;
}

// ── The window ───────────────────────────────────────────────────────────────────────────────────

let session, opened;

function open() {
  session = new Session();
  session.connect();
  post(session, 'Profiler.enable');
  post(session, 'Profiler.setSamplingInterval', { interval: Number(interval) });
  post(session, 'Profiler.start');
  opened = { cpu: cpu(), wall: performance.now() };
}

function close() {
  const [spent, wall] = [cpu() - opened.cpu, performance.now() - opened.wall];
  const { profile } = post(session, 'Profiler.stop');
  const { node, v8 } = process.versions;
  const told = {
    node,
    v8,
    interval_us: Number(interval),
    cpu_us: spent,
    wall_ms: wall,
    profile,
    homes: {},
  };
  if (!profile.nodes.some(isLined)) return finish(told);
  post(session, 'Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  setTimeout(() => quietly(() => finish({ ...told, homes: homes(session, profile) })), COUNTED_MS);
}

function finish(told) {
  session.disconnect();
  session = undefined;
  writeFileSync(`${file}.part`, JSON.stringify(told));
  renameSync(`${file}.part`, file);
}

// ── Memory ───────────────────────────────────────────────────────────────────────────────────────

const SAMPLED_BYTES = 16384; // one object in about so many bytes
const KINDS = { 1: 'minor', 2: 'major', 4: 'minor', 8: 'incremental', 16: 'weak' }; // perf_hooks
let observer;

function openMemory() {
  session = new Session();
  session.connect();
  post(session, 'HeapProfiler.enable');
  opened = { collections: {}, pause: 0 };
  observer = new PerformanceObserver((list) => list.getEntries().forEach(collected));
  observer.observe({ entryTypes: ['gc'] });
  post(session, 'HeapProfiler.startSampling', {
    samplingInterval: SAMPLED_BYTES,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
}

function collected({ detail, duration }) {
  const name = KINDS[detail?.kind] ?? 'other';
  opened.collections[name] = (opened.collections[name] ?? 0) + 1;
  opened.pause += duration;
}

function closeMemory() {
  const { profile } = post(session, 'HeapProfiler.stopSampling');
  observer.takeRecords().forEach(collected);
  observer.disconnect();
  const depths = new Map();
  const allocated = sizes(profile.head, 0, false, depths);
  finish({ allocated, ...opened, depths: [...depths] });
}

const isOwn = ({ url }) =>
  url.startsWith('file:') && !url.includes('/node_modules/') && url !== `file://${__filename}`;

// The bytes of a node and all below it; in depths those that were allocated in, or below, own code,
// by how many functions stood on the stack where it began.
function sizes({ callFrame, selfSize, children }, depth, inOwn, depths) {
  const begins = !inOwn && isOwn(callFrame);
  let sum = selfSize;
  for (const child of children) sum += sizes(child, depth + 1, inOwn || begins, depths);
  if (begins) depths.set(depth, (depths.get(depth) ?? 0) + sum);
  return sum;
}

// ── When ─────────────────────────────────────────────────────────────────────────────────────────

// Its program goes on. Who waits for the file is told by its absence, and by this.
function quietly(work) {
  try {
    work();
  } catch (error) {
    console.error(`benchbook: no profile: ${error.message}`);
  }
}

const [begin, end] = kind === 'memory' ? [openMemory, closeMemory] : [open, close];
if (file && isMainThread) process.on('SIGUSR2', () => quietly(session ? end : begin));
