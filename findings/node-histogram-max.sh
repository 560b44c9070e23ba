#!/bin/sh
# Node.js 20: the maximum of createHistogram() (node:perf_hooks) may be larger than all that was recorded.
#
# Guess: with three significant digits percentiles are rounded; minimum and maximum are what was recorded.
# Seen: of the one value 1,000,400 the maximum is 1,000,447, the upper end of its bucket, and the mean 1,000,192, its middle: the
# "maximum" of a benchmark is no measured value, and lies above the mean of equal values. hdr-histogram-js keeps the true maximum,
# so that its 50th percentile is above that. Five digits make it 1,000,403.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund node@20.19.0 hdr-histogram-js@3.0.1
cat >look.cjs <<'JS'
const { createHistogram } = require('node:perf_hooks');
const { build } = require('hdr-histogram-js');
for (const figures of [3, 5]) {
  const own = createHistogram({ figures });
  own.record(1000400);
  const other = build({ numberOfSignificantValueDigits: figures });
  other.recordValue(1000400);
  console.log(`${figures} digits, Node.js: mean ${own.mean} p50 ${own.percentile(50)} max ${own.max}`);
  console.log(`${figures} digits, hdr-histogram-js: mean ${other.mean} p50 ${other.getValueAtPercentile(50)} max ${other.maxValue}`);
}
JS
seen=$(node_modules/.bin/node look.cjs)
expected='3 digits, Node.js: mean 1000192 p50 1000447 max 1000447
3 digits, hdr-histogram-js: mean 1000192 p50 1000447 max 1000400
5 digits, Node.js: mean 1000402 p50 1000403 max 1000403
5 digits, hdr-histogram-js: mean 1000402 p50 1000403 max 1000400'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
