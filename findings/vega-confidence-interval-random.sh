#!/bin/sh
# Vega 6.4.0: the ends of a confidence interval (ci0, ci1; the extent "ci" of Vega-Lite) are other ones each time the plot is
# drawn.
#
# Guess: the mean plus and minus a multiple of the standard error, so the same data have the same interval.
# Seen: it is the spread of means of random draws from the data, made anew for each view, without a seed. Of ten values, twenty
# views have several intervals; whether two bars' intervals overlap may change when the page is loaded again.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund vega@6.4.0
cat >look.mjs <<'JS'
import * as vega from 'vega';

const values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((ms) => ({ ms }));
const transform = [{ type: 'aggregate', fields: ['ms', 'ms', 'ms'], ops: ['mean', 'ci0', 'ci1'] }];
const means = new Set();
const intervals = new Set();
for (let i = 0; i < 20; i++) {
  const view = new vega.View(vega.parse({ data: [{ name: 'runs', values, transform }] }));
  await view.runAsync();
  const { mean_ms, ci0_ms, ci1_ms } = view.data('runs')[0];
  means.add(mean_ms);
  intervals.add(`${ci0_ms} to ${ci1_ms}`);
}
console.error([...intervals].join('\n'));
console.log('means', means.size, 'intervals', intervals.size > 1 ? 'several' : 'one');
JS
seen=$(node look.mjs)
expected='means 1 intervals several'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
