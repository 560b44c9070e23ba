#!/bin/sh
# benny 3.7.1: ops is a whole number, so a case slower than two seconds has 0, and the percentages are made of it.
#
# Guess: an asynchronous case of 300 ms has 3.3 operations a second, one of 2.5 s 0.4; who is how much slower is told from what
# was measured.
# Seen: 3 and 0, and the second is "100 % slower". details.mean has the seconds. Two cases of 700 ms and 1.8 s are equal, at one
# each.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund benny@3.7.1
cat >look.cjs <<'JS'
const b = require('benny');

const wait = (ms) => () => new Promise((done) => setTimeout(done, ms));
const once = { minSamples: 1, maxTime: 0.1 };
b.suite('slow', b.add('fast', wait(300), once), b.add('slow', wait(2500), once)).then(({ results }) => {
  for (const { name, ops, percentSlower, details } of results) {
    const rate = 1 / details.mean;
    console.log(name, 'ops', ops === Math.round(rate) ? 'rounded' : 'as measured', percentSlower);
  }
  console.log('slow has', results[1].ops);
});
JS
seen=$(node look.cjs | grep -v Running)
expected='fast ops rounded 0
slow ops rounded 100
slow has 0'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
