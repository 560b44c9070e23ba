#!/bin/sh
# tinybench 6.2.5: throughput.mean is not 1000 / latency.mean, and may be many times that.
#
# Guess: both say how fast a function is, so one is the inverse of the other.
# Seen: of a function that is slow once in a hundred calls, throughput.mean is over ten times
# 1000 / latency.mean. It is the mean of every call's own rate, in which slow calls hardly count;
# calls a second are 1000 / latency.mean.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund tinybench@6.2.5
cat >look.mjs <<'JS'
import { Bench } from 'tinybench';

const bench = new Bench({ time: 500 });
let calls = 0;
bench.add('now and then slow', () => {
  calls += 1;
  let sum = 0;
  for (let i = 0; i < (calls % 100 === 0 ? 2_000_000 : 10); i += 1) sum += Math.sqrt(i);
  return sum;
});
await bench.run();
const { latency, throughput } = bench.tasks[0].result;
console.log('over ten times:', throughput.mean > 10 * (1000 / latency.mean));
JS
seen=$(node look.mjs)
expected='over ten times: true'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
