#!/bin/sh
# json-accelerator 0.1.7 (of Elysia): NaN, and null in a list of numbers, make a text that is no JSON.
#
# Guess: NaN becomes null, as with JSON.stringify, or both are refused.
# Seen: {"n":NaN} and [1,].
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund json-accelerator@0.1.7 @sinclair/typebox@0.34.52
cat >look.mjs <<'JS'
import { Type } from '@sinclair/typebox';
import * as accelerator from 'json-accelerator';

const text = accelerator.createAccelerator(Type.Object({ n: Type.Number(), list: Type.Array(Type.Number()) }));
console.log(text({ n: NaN, list: [1] }), text({ n: 1, list: [1, null] }));
JS
seen=$(node look.mjs)
expected='{"n":NaN,"list":[1]} {"n":1,"list":[1,]}'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
