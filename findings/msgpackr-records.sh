#!/bin/sh
# msgpackr 2.1.4: what an instance writes, other readers of MessagePack can't read.
#
# Guess: pack(value) and new Packr().pack(value) write the same bytes.
# Seen: pack writes maps; an instance writes records, an extension of its own (option useRecords), which
# @msgpack/msgpack refuses. A comparison of sizes with an instance compares another format.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund msgpackr@2.1.4 @msgpack/msgpack@3.1.3
cat >look.mjs <<'JS'
import { decode } from '@msgpack/msgpack';
import { Packr, pack } from 'msgpackr';

const value = [{ a: 1, b: 2 }, { a: 3, b: 4 }];
console.log('pack', JSON.stringify(decode(pack(value))) === JSON.stringify(value));
try {
  decode(new Packr().pack(value));
} catch (error) {
  console.log('instance', error.message.replace(/\d+/g, 'N'));
}
JS
seen=$(node look.mjs)
expected='pack true
instance Extra N of N byte(s) found at buffer[N]'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
