#!/bin/sh
# msgpackr 2.1.4: a map of one entry has a header of three bytes, although one is enough.
#
# Guess: an encoder of MessagePack writes the shortest form, as the specification advises.
# Seen: six bytes for {a: 1}, where @msgpack/msgpack writes four; the option variableMapSize makes
# them alike. So "smaller than" depends on an option.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund msgpackr@2.1.4 @msgpack/msgpack@3.1.3
cat >look.mjs <<'JS'
import { encode } from '@msgpack/msgpack';
import { Packr, pack } from 'msgpackr';

const hex = (bytes) => Buffer.from(bytes).toString('hex');
const short = new Packr({ useRecords: false, variableMapSize: true });
console.log(hex(pack({ a: 1 })), hex(short.pack({ a: 1 })), hex(encode({ a: 1 })));
JS
seen=$(node look.mjs)
expected='de0001a16101 81a16101 81a16101'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
