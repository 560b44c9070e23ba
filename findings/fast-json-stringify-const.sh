#!/bin/sh
# fast-json-stringify 7.3.10: "const" writes what the schema says, whatever the value is.
#
# Guess: another value is refused, or written as it is.
# Seen: {"const": "foo"} writes "foo" for "bar"; {"enum": ["x"]} writes "y" as it is.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund fast-json-stringify@7.3.10
cat >look.mjs <<'JS'
import build from 'fast-json-stringify';

const text = (schema, value) => build({ type: 'object', properties: { a: schema } })({ a: value });
console.log(text({ const: 'foo' }, 'bar'), text({ enum: ['x'] }, 'y'));
JS
seen=$(node look.mjs)
expected='{"a":"foo"} {"a":"y"}'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
