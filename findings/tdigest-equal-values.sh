#!/bin/sh
# tdigest 0.1.3, and so Summary of prom-client 15.1.3: the median of nine values of 1 and one of 1,000 is 100.9.
#
# Guess: a t-digest of ten values keeps them all, so the median is 1, and the 80th percentile, too.
# Seen: equal values become one centroid, and what lies between two centroids is interpolated from mean to mean, so the one slow
# request moves every quantile. Latencies in whole milliseconds are mostly equal. With values that differ a little it is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund tdigest@0.1.3 prom-client@15.1.3
cat >look.cjs <<'JS'
const { TDigest } = require('tdigest');
const { Summary } = require('prom-client');
const equal = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1000];
const apart = equal.map((value, i) => value + i / 1000);
(async () => {
  for (const [name, values] of Object.entries({ equal, apart })) {
    const digest = new TDigest();
    digest.push(values);
    const summary = new Summary({ name, help: name, percentiles: [0.5, 0.8] });
    for (const value of values) summary.observe(value);
    const told = (await summary.get()).values.filter((each) => each.labels.quantile);
    const both = [0.5, 0.8].map((share) => digest.percentile(share).toFixed(1));
    console.log(`${name}: tdigest ${both.join(' ')}, prom-client ${told.map((each) => each.value.toFixed(1)).join(' ')}`);
  }
})();
JS
seen=$(node look.cjs)
expected='equal: tdigest 100.9 700.3, prom-client 100.9 700.3
apart: tdigest 1.0 1.0, prom-client 1.0 1.0'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
