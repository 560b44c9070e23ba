#!/bin/sh
# flatbuffers 25.9.23, FlexBuffers in JavaScript: whole numbers over 32 bits come back as BigInt, and those over 64 bits as 0.
#
# Guess: a number comes back as a number.
# Seen: a number without a fraction is written as an integer, whatever its size: 2^31 is read as 2147483648n, so that `+ 1`
# throws, and 1e300 as 0n. A count of bytes changes its type at 2 GiB.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund flatbuffers@25.9.23
cat >look.mjs <<'JS'
import { encode, toObject } from 'flatbuffers/js/flexbuffers.js';

for (const value of [1.1, 2 ** 31 - 1, 2 ** 31, 1e300]) console.log(value, toObject(encode(value).buffer));
JS
seen=$(node look.mjs)
expected='1.1 1.1
2147483647 2147483647
2147483648 2147483648n
1e+300 0n'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
