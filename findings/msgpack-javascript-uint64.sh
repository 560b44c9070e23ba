#!/bin/sh
# @msgpack/msgpack 3.1.3: a 64-bit integer that a double can't hold is rounded without a word.
#
# Guess: it comes as a BigInt, or decode throws, as encode does for a BigInt.
# Seen: 2^53 + 1 is read as 2^53; encode(5n) throws; with useBigInt64 both work, and then small
# 64-bit integers are BigInts, too. C# writes long values of that size as 64-bit integers.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @msgpack/msgpack@3.1.3
cat >look.mjs <<'JS'
import { decode, encode } from '@msgpack/msgpack';

const bytes = Uint8Array.of(0xcf, 0x00, 0x20, 0, 0, 0, 0, 0, 0x01);
console.log(decode(bytes), decode(bytes, { useBigInt64: true }));
try {
  encode(5n);
} catch (error) {
  console.log(error.message);
}
JS
seen=$(node look.mjs)
expected='9007199254740992 9007199254740993n
Unrecognized object: [object BigInt]'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
