#!/bin/sh
# Node.js 20 to 22, node:readline/promises: lines that come before they are asked for are lost.
#
# Guess: two questions in a row get the first and the second line of a pipe, as two calls of read do in other languages.
# Seen: both lines arrive in one piece, the second is dropped before the second question is asked, its promise is never
# settled, and the process ends with code 13 and nothing on stdout.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >ask.mjs <<'JS'
import { createInterface } from 'node:readline/promises';

const asking = createInterface({ input: process.stdin });
console.log('first:', await asking.question(''));
console.log('second:', await asking.question(''));
asking.close();
JS
code=0
seen=$(printf 'Ada\nEve\n' | node ask.mjs 2>errors) || code=$?
seen="$seen, then exit code $code"
expected='first: Ada, then exit code 13'
printf 'Node.js %s: %s\n' "$(node --version)" "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
