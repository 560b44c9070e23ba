#!/bin/sh
# mitata 1.0.34: the samples of a benchmark are sorted, so the order of time is lost.
#
# Guess: stats.samples are in the order in which they were measured, so drift and warm-up can be seen.
# Seen: of a function that gets slower with each call, and of one that gets faster, they ascend.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund mitata@1.0.34
cat >look.mjs <<'JS'
import { bench, run } from 'mitata';

const waits = [30, 25, 20, 15, 10, 8, 6, 5, 4, 3, 2, 1];
let call = 0;
bench('gets faster', async () => {
  const wait = waits[Math.min(call++, waits.length - 1)];
  await new Promise((done) => setTimeout(done, wait));
});
const { benchmarks } = await run({ format: 'quiet' });
const { samples } = benchmarks[0].runs[0].stats;
console.log('ascending:', samples.every((sample, i) => i === 0 || samples[i - 1] <= sample));
JS
seen=$(node look.mjs)
expected='ascending: true'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
