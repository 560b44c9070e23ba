#!/bin/sh
# turbo-json-parse 2.3.0: it refuses JSON that JSON.stringify would not have written.
#
# Guess: a parser with a schema is faster, and reads what JSON.parse reads.
# Seen: an exponent and a space after the brace are errors. Its speed is that of a smaller language.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund turbo-json-parse@2.3.0
cat >look.mjs <<'JS'
import compile from 'turbo-json-parse';

const parse = compile({ type: 'object', properties: { n: { type: 'number' } } });
for (const text of ['{"n":1500}', '{"n":1.5e3}', '{ "n": 1500}']) {
  try {
    console.log(text, parse(text).n);
  } catch (error) {
    console.log(text, error.message);
  }
}
JS
seen=$(node look.mjs)
expected='{"n":1500} 1500
{"n":1.5e3} Unexpected token in number
{ "n": 1500} Unexpected key in object'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
