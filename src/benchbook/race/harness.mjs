// Times one JavaScript function with mitata, in a process of its own, whenever it is told to.
//
//   echo 0.5 | node --expose-gc harness.mjs MODULE FILE BENCHMARK [CASE]
//
// MODULE's default export is called with all that FILE exports and with { benchmark, case }, and
// returns the function to be timed. Every line of standard input is a number of seconds; for each,
// a line "// benchbook {…}" is printed. It ends when its standard input does.
//
// Why mitata: it times batches of calls, because one call is shorter than the clock's own cost; it
// compiles its loop anew for every measurement, so that nothing learned of one function serves
// another; its do_not_optimize keeps each result, so that the optimiser can't drop the work as
// unused; and what takes no longer than an empty function is seen (https://github.com/evanwashere/mitata).

import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { do_not_optimize, measure } from 'mitata';

const NOOP_SECONDS = 0.02;
const LOOKS = 5;
// A function is as good as empty below so many empty ones: the same empty loop, compiled again, took
// 0.19 or 0.32 ns here, by where its code came to lie, so mitata's own 1.42 is too narrow.
const REMOVED = 2;
const SUSPECT = 3; // above so many empty ones there is no doubt
const BATCH_NS = 1e6; // about how long a batch takes
const MOST_CALLS = 65536; // in a batch; it is a multiple of 4, mitata's unrolling

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
const timed =
  call() instanceof Promise
    ? async () => do_not_optimize(await call())
    : () => do_not_optimize(call());
const empty = () => {};
const nothing = () => do_not_optimize(empty());
let calls = 4; // in a batch
let noop = Infinity; // ns that an empty function takes

async function time(fn, seconds, batch) {
  const stats = await measure(fn, {
    heap,
    min_cpu_time: seconds * 1e9,
    min_samples: 1,
    samples_threshold: Infinity, // keep the slowest batches, too: they hold the garbage collector's work
    batch_samples: batch,
    warmup_threshold: Infinity, // always in batches
    batch_threshold: Infinity,
  });
  const operations = stats.samples.length * batch;
  return {
    seconds: (stats.avg * operations) / 1e9,
    operations,
    fastest: stats.min,
    bytes: stats.heap.avg,
  };
}

// Is it as fast as nothing? Both are looked at again, in turn and longer each time, before that is
// said: on a machine that is busy elsewhere the fastest batch of a moment tells little.
async function isEmpty(fastest) {
  let best = fastest;
  for (let look = 0; look < LOOKS; look++) {
    const seconds = NOOP_SECONDS * 2 ** look;
    noop = Math.min(noop, (await time(nothing, seconds, MOST_CALLS)).fastest);
    if (best > SUSPECT * noop) return false;
    best = Math.min(best, (await time(timed, seconds, MOST_CALLS)).fastest);
  }
  return best < REMOVED * noop;
}

say({ node: process.versions.node });
for await (const line of createInterface({ input: process.stdin })) {
  const { fastest, bytes, ...result } = await time(timed, Number(line), calls);
  const allocated = Math.max(0, bytes - looking / calls);
  const mean = (result.seconds * 1e9) / result.operations;
  calls = Math.min(MOST_CALLS, 4 * Math.ceil(BATCH_NS / mean / 4));
  say({
    ...result,
    allocated: Number.isFinite(allocated) ? allocated : null,
    empty: await isEmpty(fastest),
  });
}
