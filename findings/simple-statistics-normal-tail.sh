#!/bin/sh
# simple-statistics 7.12.1: the normal distribution ends at 3.1: cumulativeStdNormalProbability(3.1) and (6) are both 0.999.
#
# Guess: cumulativeStdNormalProbability(4) is 0.99997, so that 1 - it is a p-value.
# Seen: it looks the value up in a table of four digits that ends at 0.999, and takes the nearest hundredth of z. No two-sided p
# is below 0.002: of twenty pairs that are compared, none passes the limit of Bonferroni at 1 %, however large the difference.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund simple-statistics@7.12.1
cat >look.mjs <<'JS'
import { cumulativeStdNormalProbability } from 'simple-statistics';

for (const z of [1.226, 1.234, 3.1, 4, 6]) console.log(z, cumulativeStdNormalProbability(z));
JS
seen=$(node look.mjs)
expected='1.226 0.8907
1.234 0.8907
3.1 0.999
4 0.999
6 0.999'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
