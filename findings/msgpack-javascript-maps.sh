#!/bin/sh
# @msgpack/msgpack 3.1.3: a Map, a Set, an Error and a RegExp are written as an empty map.
#
# Guess: a Map becomes a map of MessagePack, or encode throws, as it does for a function.
# Seen: {} for each of them; what was in them is lost without a word.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @msgpack/msgpack@3.1.3
cat >look.mjs <<'JS'
import { decode, encode } from '@msgpack/msgpack';

for (const value of [new Map([['a', 1]]), new Set([1]), new Error('x'), /x/]) {
  console.log(value.constructor.name, decode(encode(value)));
}
JS
seen=$(node look.mjs)
expected='Map {}
Set {}
Error {}
RegExp {}'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
