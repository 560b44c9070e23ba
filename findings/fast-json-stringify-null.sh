#!/bin/sh
# fast-json-stringify 7.3.10: null becomes "", 0, false, {} or [], by what the schema says of it.
#
# Guess: null stays null, as with JSON.stringify, or is refused since the schema does not allow it.
# Seen: it is made into the empty value of its type without a word; `nullable: true` keeps it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund fast-json-stringify@7.3.10
cat >look.mjs <<'JS'
import build from 'fast-json-stringify';

for (const type of ['string', 'integer', 'number', 'boolean', 'object', 'array']) {
  const items = type === 'array' ? { items: { type: 'string' } } : {};
  const text = (more) => build({ type: 'object', properties: { a: { type, ...items, ...more } } })({ a: null });
  console.log(type, text({}), text({ nullable: true }));
}
JS
seen=$(node look.mjs)
expected='string {"a":""} {"a":null}
integer {"a":0} {"a":null}
number {"a":0} {"a":null}
boolean {"a":false} {"a":null}
object {"a":{}} {"a":null}
array {"a":[]} {"a":null}'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
