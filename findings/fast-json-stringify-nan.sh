#!/bin/sh
# fast-json-stringify 7.3.10: Infinity becomes null, and NaN is an error.
#
# Guess: both become null, as with JSON.stringify.
# Seen: with {"type": "number"} Infinity and -Infinity become null, and NaN throws.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund fast-json-stringify@7.3.10
cat >look.mjs <<'JS'
import build from 'fast-json-stringify';

const text = build({ type: 'number' });
for (const value of [Infinity, -Infinity, NaN]) {
  try {
    console.log(value, text(value));
  } catch (error) {
    console.log(value, error.message);
  }
}
JS
seen=$(node look.mjs)
expected='Infinity null
-Infinity null
NaN The value "NaN" cannot be converted to a number.'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
