#!/bin/sh
# protobufjs 8.8.1: what encode can't take is written as 0, without a word.
#
# Guess: the name of an enum's value is written as its number, as the JSON of Protocol Buffers has names; what has no number
# throws.
# Seen: encode({state: "DONE"}) writes 0, and so is read as the first value of the enum. A BigInt in an int64 and 2^40 in an
# int32 are 0, too. fromObject knows the names (its cost is then part of what is compared); verify finds the name, and not the
# 2^40.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund protobufjs@8.8.1
cat >look.cjs <<'JS'
const protobuf = require('protobufjs');
const { root } = protobuf.parse(`syntax = "proto3";
enum State { NEW = 0; DONE = 1; }
message Job { State state = 1; int64 bytes = 2; int32 count = 3; }`);
const Job = root.lookupType('Job');

for (const job of [{ state: 'DONE' }, { bytes: 5n }, { count: 2 ** 40 }]) {
  const bytes = Job.encode(job).finish();
  const [[name, value]] = Object.entries(job);
  console.log(name, String(value), Buffer.from(bytes).toString('hex'), Number(Job.decode(bytes)[name]), '|', Job.verify(job));
}
const job = Job.fromObject({ state: 'DONE' });
console.log('fromObject', Buffer.from(Job.encode(job).finish()).toString('hex'));
JS
seen=$(node look.cjs)
expected='state DONE 0800 0 | state: enum value expected
bytes 5 1000 0 | bytes: integer|Long expected
count 1099511627776 1800 0 | null
fromObject 0801'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
