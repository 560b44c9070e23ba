#!/bin/sh
# msgpackr 2.1.4: the number 1 is read as a BigInt if it was written in eight bytes.
#
# Guess: what fits a double comes as a number; only larger ones come as BigInt.
# Seen: 1n, so `value + 1` throws, where @msgpack/msgpack gives 1. Which one arrives depends on
# how the writer stored it, not on the value.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund msgpackr@2.1.4 @msgpack/msgpack@3.1.3
cat >look.mjs <<'JS'
import { decode } from '@msgpack/msgpack';
import { unpack } from 'msgpackr';

const one = Uint8Array.of(0xcf, 0, 0, 0, 0, 0, 0, 0, 1);
console.log(unpack(one), decode(one));
JS
seen=$(node look.mjs)
expected='1n 1'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
