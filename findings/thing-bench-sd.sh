#!/bin/sh
# @thi.ng/bench 3.7.1: beside times in milliseconds, sd is a percentage of the mean.
#
# Guess: mean, median, min, max, q1, q3 and sd are all milliseconds.
# Seen: of runs that take 1 and 3 ms in turns, sd is 50, larger than the largest of them. A table of these members, or an
# interval of mean plus and minus sd, is wrong by a factor that differs from row to row. (The clock is planted here.)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @thi.ng/bench@3.7.1
cat >look.mjs <<'JS'
let clock = 0n;
process.hrtime.bigint = () => clock;
performance.now = () => Number(clock) / 1e6;
const { benchmark } = await import('@thi.ng/bench');

let calls = 0;
const wait = () => (clock += calls++ % 2 ? 3_000_000n : 1_000_000n);
const { mean, min, max, sd } = benchmark(wait, { iter: 100, size: 1, warmup: 0, output: false });
console.log(`mean ${mean}, min ${min}, max ${max}, sd ${sd}`);
JS
seen=$(node look.mjs)
expected='mean 2, min 1, max 3, sd 50'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
