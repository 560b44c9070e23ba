#!/bin/sh
# jstat 1.9.6: percentile does not interpolate above the last value but one.
#
# Guess: the 99th percentile of 1 to 10 is 9.91, as d3-array and numpy say, or 10.
# Seen: 9 for the 90th, the 95th and the 99th; then 10 for the 100th. Between other values it
# interpolates. So the high percentiles of a small benchmark are too low.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund jstat@1.9.6 d3-array@3.2.5
cat >look.mjs <<'JS'
import jstat from 'jstat';
import { quantile } from 'd3-array';

const values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
for (const share of [0.25, 0.9, 0.95, 0.99, 1]) {
  console.log(share, jstat.jStat.percentile(values, share), quantile(values, share).toFixed(2));
}
JS
seen=$(node look.mjs)
expected='0.25 3.25 3.25
0.9 9 9.10
0.95 9 9.55
0.99 9 9.91
1 10 10.00'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
