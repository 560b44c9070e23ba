#!/bin/sh
# data-forge 1.10.5: std() and variance() of a series divide by n, where pandas, which it is modelled on, divides by n - 1.
#
# Guess: the same numbers as pandas' std().
# Seen: of the four runs 1, 2, 3, 4 it is 1.118 and not 1.291: an interval made of it is a seventh too narrow, of two runs by a
# third.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund data-forge@1.10.5
seen=$(node -e 'const { Series } = require("data-forge");
for (const values of [[1, 2, 3, 4], [1, 2]]) console.log(values.join(" "), new Series(values).std().toFixed(3));')
expected='1 2 3 4 1.118
1 2 0.500'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
