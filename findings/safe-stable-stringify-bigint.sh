#!/bin/sh
# safe-stable-stringify 3.0.0: a BigInt is written as a number.
#
# Guess: it throws, as JSON.stringify does, or writes a string.
# Seen: the digits, which JSON.parse then rounds (option bigint: false leaves the member out).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund safe-stable-stringify@3.0.0
cat >look.mjs <<'JS'
import stringify from 'safe-stable-stringify';

const text = stringify({ id: 2n ** 53n + 1n });
console.log(text, JSON.parse(text).id);
JS
seen=$(node look.mjs)
expected='{"id":9007199254740993} 9007199254740992'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
