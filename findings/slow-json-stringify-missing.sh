#!/bin/sh
# slow-json-stringify 2.0.1: where the last member of the schema is missing, the text is no JSON.
#
# Guess: the member is left out, as where another one is missing.
# Seen: the closing quotation mark of the member before goes with it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund slow-json-stringify@2.0.1
cat >look.mjs <<'JS'
import { attr, sjs } from 'slow-json-stringify';

const text = sjs({ a: attr('string'), n: attr('number') });
for (const value of [{ n: 5 }, { a: 'x' }]) {
  const made = text(value);
  try {
    console.log(made, JSON.stringify(JSON.parse(made)));
  } catch (error) {
    console.log(made, error.name);
  }
}
JS
seen=$(node look.mjs)
expected='{"n":5} {"n":5}
{"a":"x} SyntaxError'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
