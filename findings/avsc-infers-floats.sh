#!/bin/sh
# avsc 5.7.9 (Avro): Type.forValue takes every number that is no small integer for a float of 32 bits.
#
# Guess: numbers of JavaScript are doubles, so 1.1 is inferred as "double", and 2^40 + 1 as "long".
# Seen: both are "float", so that what is written with the inferred schema comes back as 1.100000023841858 and 2^40. A
# comparison of sizes with it sets four bytes a number beside eight.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund avsc@5.7.9
cat >look.cjs <<'JS'
const { Type } = require('avsc');

for (const value of [1.1, 2 ** 40 + 1, 1]) {
  const type = Type.forValue(value);
  console.log(value, type.typeName, type.fromBuffer(type.toBuffer(value)));
}
JS
seen=$(node look.cjs)
expected='1.1 float 1.100000023841858
1099511627777 float 1099511627776
1 int 1'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
