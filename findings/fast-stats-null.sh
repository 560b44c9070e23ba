#!/bin/sh
# fast-stats 0.0.7: push(null) counts as a value of 0 in the mean, and its moe() takes 1.96 for any number of values.
#
# Guess: what is no number is left out, or refused; the margin of error of three values is by Student's t.
# Seen: a run that failed (null) makes the mean smaller. The margin is that of a normal distribution, with the spread of a
# population (n, not n - 1): of three values it is about a third of Student's.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund fast-stats@0.0.7
cat >look.cjs <<'JS'
const { Stats } = require('fast-stats');
const three = new Stats().push(10, 20, 30);
const four = new Stats().push(10, 20, 30, null);
console.log('mean of 10, 20, 30:', three.amean(), 'and with null:', four.amean());
console.log('margin:', three.moe().toFixed(2), 'spread:', three.stddev().toFixed(2));
console.log('by the t distribution and n - 1:', ((4.303 * 10) / Math.sqrt(3)).toFixed(2));
JS
seen=$(node look.cjs)
expected='mean of 10, 20, 30: 20 and with null: 15
margin: 9.24 spread: 8.16
by the t distribution and n - 1: 24.84'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
