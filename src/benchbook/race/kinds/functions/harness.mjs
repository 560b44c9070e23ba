// Times one JavaScript function in a process of its own, in slices, whenever it is told to.
//
//   echo 0.5 | node --expose-gc harness.mjs MODULE FILE BENCHMARK [CASE]
//
// MODULE's default export is called with all that FILE exports and with { benchmark, case }, and
// returns the function to be timed. Every line of standard input is a number of seconds; for each,
// a line "// benchbook {…}" is printed. It ends when its standard input does.
//
// A slice is one loop of so many calls as took that long before. The loop lives as long as the
// process: what V8 has compiled stays compiled from slice to slice, and nothing that it learned of
// one function serves another. A slice's time is CPU time, in which what the machine gives to others
// is not; of a function that waits, so that the event loop was idle, and on Windows, whose clock of CPU
// time is too coarse, it is the wall clock's. Where only promises are awaited, the loop has no part in
// it. Each result is kept, so that the optimiser can't drop the work as unused, as mitata's
// do_not_optimize does (https://github.com/evanwashere/mitata).
//
// It has warmed up when its first line is printed. Where data come to lie, and what is compiled first,
// is drawn anew by each process from BENCHBOOK_LAYOUT, a number: the same function costs more at one
// place than at another, so a start is one draw, and several tell what is due to the function
// (Mytkowicz et al. 2009, doi:10.1145/1508244.1508275; Curtsinger & Berger 2013,
// doi:10.1145/2451116.2451141).

import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { compileFunction } from 'node:vm';

const SLICE_SECONDS = 0.01; // where a slice is to be compared with nothing
const LOOKS = 8;
// A function is as good as empty below so many empty ones: the same empty loop, compiled again, took
// 0.19 or 0.32 ns here, by where its code came to lie.
const REMOVED = 2;
const SUSPECT = 3; // above so many empty ones there is no doubt
const FASTER = 0.9; // of what it took when it was found to be more than empty: it is looked at again
const GROWTH = 10; // of the calls of a slice, at most, while it is not known how long they take
// The calls of a slice follow its speed slowly, so that one which was disturbed counts as the others do.
const SMOOTHING = 8;
const MUCH_FASTER = 4; // than it was: a slice that takes so small a part of its time is taken anew
const MOST_WAITING = 20; // where wall time is more than so many times CPU time, it waits
// So many of a slice's calls are made before it: they fill the caches, which served another process
// meanwhile, and show what a call allocates.
const LEAD_SHARE = 16;
const WARM_SECONDS = 0.1; // of the function, before it is asked anything
const FAR_LINE = 1_000_000;
const MOST_PIECES = 64; // of the heap, taken first
const MOST_WORDS = 4096; // of such a piece

const [module, file, benchmark, name = ''] = process.argv.slice(2);
const layout = drawn(Number.parseInt(process.env.BENCHBOOK_LAYOUT ?? '0', 10));
const taken = Array.from({ length: layout(MOST_PIECES) }, () =>
  new Array(layout(MOST_WORDS)).fill(0),
);
const load = (path) => import(pathToFileURL(resolve(path)));
const say = (result) => console.log(`// benchbook ${JSON.stringify(result)}`);
const heap = () => getHeapStatistics().used_heap_size;
const idle = () => performance.eventLoopUtilization().idle; // ms, so far
// the bytes that looking at the heap takes itself
const looking = Math.min(
  ...Array.from({ length: 9 }, () => -heap() + heap()).filter((bytes) => bytes >= 0),
);

// Draws whole numbers below a bound, by a linear congruential generator: no two processes need be
// independent in more than a place.
function drawn(seed) {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

if (layout(2)) await load(file); // which of both is compiled first
const prepare = (await load(module)).default;
if (typeof prepare !== 'function')
  throw new TypeError(`${module} has no function as its default export`);
const call = await prepare(await load(file), { benchmark, case: name });
if (typeof call !== 'function') throw new TypeError(`${module} made no function of '${benchmark}'`);
const empty = () => {};
const kept = { result: null, taken }; // of any type, as the first one has no more to do with the others
const keep = (result) => {
  kept.result = result;
};

// A loop over calls of `fn`, and how many it makes a second, as it went last. The text differs by
// name, or V8 would share what it learned of one loop with the other.
function slices(name, fn, waits) {
  const [asynchronous, awaited] = waits ? ['async', 'await'] : ['', ''];
  const text = `return ${asynchronous} (calls) => { // ${name}
    for (let i = 0; i < calls; i++) keep(${awaited} fn());
  };`;
  // What profilers call it; its lines are no file's, or those of what is inlined would be taken for its.
  const place = { filename: `benchbook-loop-of-${name}`, lineOffset: FAR_LINE };
  const loop = compileFunction(text, ['fn', 'keep'], place)(fn, keep);
  const coarse = process.platform === 'win32';
  let [speed, best] = [0, Infinity]; // calls a second, ns of a call in the fastest slice
  let last = 0; // calls of the last slice

  async function once(calls) {
    const before = process.resourceUsage().involuntaryContextSwitches;
    const [idled, cpu, begun] = [idle(), process.cpuUsage(), process.hrtime.bigint()];
    if (waits) await loop(calls);
    else loop(calls);
    const wall = Number(process.hrtime.bigint() - begun) / 1e9;
    const used = process.cpuUsage(cpu);
    const spent = (used.user + used.system) / 1e6;
    const byWall = coarse || idle() > idled || MOST_WAITING * spent < wall;
    const seconds = byWall ? wall : spent;
    const now = calls / Math.max(seconds, 1e-6);
    speed = speed ? speed + (now - speed) / SMOOTHING : now;
    const switches = process.resourceUsage().involuntaryContextSwitches - before;
    return { seconds, operations: calls, switches };
  }

  async function slice(seconds) {
    let calls = Math.max(1, Math.round(speed * seconds));
    let done = await once(calls);
    while (done.seconds < seconds / MUCH_FASTER) {
      // the first of all, or it has become faster
      speed = calls / Math.max(done.seconds, 1e-6);
      const wanted = Math.round(speed * seconds);
      calls = Math.max(calls + 1, Math.min(wanted, GROWTH * calls));
      done = await once(calls);
    }
    best = Math.min(best, (done.seconds * 1e9) / done.operations);
    last = done.operations;
    return done;
  }

  // Some calls before a slice: the bytes that one allocates, null where the garbage collector ran.
  async function lead() {
    const calls = Math.ceil(last / LEAD_SHARE);
    const before = heap();
    if (waits) await loop(calls);
    else loop(calls);
    const bytes = heap() - before - looking;
    return bytes < -looking ? null : Math.max(0, bytes / calls);
  }

  return { slice, lead, best: () => best };
}

const subject = slices('subject', call, call() instanceof Promise);
const nothing = slices('nothing', empty, false);
for (let look = 0; look < LOOKS; look++) await nothing.slice(SLICE_SECONDS / 4);

// Is it as fast as nothing? Both are looked at again, in turn and longer each time, before that is
// said: on a machine that is busy elsewhere the fastest slice of a moment tells little. It takes most
// of a second, so what was found to be more than empty is not asked after each slice.
let found = NaN; // ns of a call in its fastest slice, then; with NaN nothing compares
async function isEmpty() {
  if (subject.best() > FASTER * found) return false;
  for (let look = 0; look < LOOKS; look++) {
    if (subject.best() > SUSPECT * nothing.best()) return false;
    await nothing.slice(SLICE_SECONDS * (1 + look));
    await subject.slice(SLICE_SECONDS * (1 + look));
  }
  const empty = subject.best() < REMOVED * nothing.best();
  found = empty ? NaN : subject.best();
  return empty;
}

for (let warm = 0; warm < WARM_SECONDS;) warm += (await subject.slice(SLICE_SECONDS / 2)).seconds;
say({ node: process.versions.node });
for await (const line of createInterface({ input: process.stdin })) {
  const allocated = await subject.lead();
  const { seconds, operations, switches } = await subject.slice(Number(line));
  say({ seconds, operations, switches, allocated, empty: await isEmpty() });
}
