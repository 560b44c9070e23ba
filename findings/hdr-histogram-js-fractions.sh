#!/bin/sh
# hdr-histogram-js 3.0.1: recordValue(1.7) is accepted; percentiles and the mean see 1, the maximum 1.7.
#
# Guess: a fraction is refused, or rounded to the nearest integer, everywhere alike.
# Seen: it is cut off for the counts and kept for maxValue. Latencies in milliseconds with fractions, as performance.now() gives
# them, lose up to 1 ms each, those below 1 ms become 0, and nothing says so: record microseconds as integers.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund hdr-histogram-js@3.0.1
cat >look.cjs <<'JS'
const { build } = require('hdr-histogram-js');
for (const values of [[1.7], [0.4, 0.9]]) {
  const histogram = build();
  for (const value of values) histogram.recordValue(value);
  console.log(values.join(' and '), 'mean', histogram.mean, 'p50', histogram.getValueAtPercentile(50), 'max', histogram.maxValue);
}
JS
seen=$(node look.cjs)
expected='1.7 mean 1 p50 1 max 1.7
0.4 and 0.9 mean 0 p50 0 max 0.9'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
