#!/bin/sh
# turbo-json-parse 2.3.0: a member that is not in the text is there after parsing.
#
# Guess: as with JSON.parse, it is undefined.
# Seen: the empty value of its type: "", 0 or false. Two texts that differ are read as the same.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund turbo-json-parse@2.3.0
cat >look.mjs <<'JS'
import compile from 'turbo-json-parse';

const properties = { a: { type: 'string' }, n: { type: 'number' }, b: { type: 'boolean' } };
console.log(JSON.stringify(compile({ type: 'object', properties })('{}')));
JS
seen=$(node look.mjs)
expected='{"a":"","n":0,"b":false}'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
