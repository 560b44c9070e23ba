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
// is not; of a function that waits, and on Windows, whose clock of CPU time is too coarse, it
// is the wall clock's. Each result is kept, so that the optimiser can't drop the work as unused, as
// mitata's do_not_optimize does (https://github.com/evanwashere/mitata).

import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { getHeapStatistics } from 'node:v8';

const SLICE_SECONDS = 0.01; // where a slice is to be compared with nothing
const LOOKS = 8;
// A function is as good as empty below so many empty ones: the same empty loop, compiled again, took
// 0.19 or 0.32 ns here, by where its code came to lie.
const REMOVED = 2;
const SUSPECT = 3; // above so many empty ones there is no doubt
const FASTER = 0.9; // of what it took when it was found to be more than empty: it is looked at again
const GROWTH = 10; // of the calls of a slice, at most, while it is not known how long they take
const MOST_WAITING = 20; // where wall time is more than so many times CPU time, it waits
const HEAP_SHARE = 32; // of a slice's calls once more, to see what they allocate

const [module, file, benchmark, name = ''] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(resolve(path)));
const say = (result) => console.log(`// benchbook ${JSON.stringify(result)}`);
const heap = () => getHeapStatistics().used_heap_size;
// the bytes that looking at the heap takes itself
const looking = Math.min(
  ...Array.from({ length: 9 }, () => -heap() + heap()).filter((bytes) => bytes >= 0),
);

const prepare = (await load(module)).default;
if (typeof prepare !== 'function')
  throw new TypeError(`${module} has no function as its default export`);
const call = await prepare(await load(file), { benchmark, case: name });
if (typeof call !== 'function') throw new TypeError(`${module} made no function of '${benchmark}'`);
const empty = () => {};
const kept = { result: null }; // of any type, as the first one has no more to do with the others
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
  const loop = new Function('fn', 'keep', text)(fn, keep);
  const byWall = waits || process.platform === 'win32';
  let [speed, best] = [0, Infinity]; // calls a second, ns of a call in the fastest slice

  async function once(calls) {
    const [cpu, begun] = [process.cpuUsage(), process.hrtime.bigint()];
    if (waits) await loop(calls);
    else loop(calls);
    const wall = Number(process.hrtime.bigint() - begun) / 1e9;
    const used = process.cpuUsage(cpu);
    const spent = (used.user + used.system) / 1e6;
    const seconds = byWall || MOST_WAITING * spent < wall ? wall : spent;
    speed = calls / Math.max(seconds, 1e-6);
    return { seconds, operations: calls };
  }

  async function slice(seconds) {
    let calls = Math.max(1, Math.round(speed * seconds));
    let done = await once(calls);
    while (done.operations / speed < seconds / 2) {
      // the first of all, or it has become faster
      const wanted = Math.round(speed * seconds);
      calls = Math.max(calls + 1, Math.min(wanted, GROWTH * calls));
      done = await once(calls);
    }
    best = Math.min(best, (done.seconds * 1e9) / done.operations);
    return done;
  }

  // bytes that a call allocates; null where the garbage collector ran meanwhile
  async function allocated(calls) {
    const before = heap();
    if (waits) await loop(calls);
    else loop(calls);
    const bytes = heap() - before - looking;
    return bytes < -looking ? null : Math.max(0, bytes / calls);
  }

  return { slice, allocated, best: () => best };
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

say({ node: process.versions.node });
for await (const line of createInterface({ input: process.stdin })) {
  const { seconds, operations } = await subject.slice(Number(line));
  const allocated = await subject.allocated(Math.ceil(operations / HEAP_SHARE));
  say({ seconds, operations, allocated, empty: await isEmpty() });
}
