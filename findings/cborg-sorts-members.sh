#!/bin/sh
# cborg 6.1.5: it changes the order of members: short names come first.
#
# Guess: as with JSON and the other encoders of CBOR (cbor2 2.3.0), members come back in the order in which they were written.
# Seen: {zeta, b, alpha} is read as {b, zeta, alpha}, sorted by length, then by letter. A comparison of answers as JSON text
# finds a difference, and the time that the sorting takes is in the encoder's time.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund cborg@6.1.5 cbor2@2.3.0
cat >look.mjs <<'JS'
import * as cborg from 'cborg';
import * as cbor2 from 'cbor2';

const value = { zeta: 1, b: 2, alpha: 3 };
console.log('cborg', JSON.stringify(cborg.decode(cborg.encode(value))));
console.log('cbor2', JSON.stringify(cbor2.decode(cbor2.encode(value))));
JS
seen=$(node look.mjs)
expected='cborg {"b":2,"zeta":1,"alpha":3}
cbor2 {"zeta":1,"b":2,"alpha":3}'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
