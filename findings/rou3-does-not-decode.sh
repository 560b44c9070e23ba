#!/bin/sh
# rou3 1.0.0 (the router of h3 and Nitro): parameters stay encoded, and a slash at the end is ignored.
#
# Guess: id is 'a b', as from find-my-way and Hono; /s/ is not /s.
# Seen: 'a%20b', and /s/ finds /s. What a router leaves to others, a comparison does not measure.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund rou3@1.0.0
cat >look.mjs <<'JS'
import { addRoute, createRouter, findRoute } from 'rou3';

const router = createRouter();
addRoute(router, 'GET', '/u/:id', 'user');
addRoute(router, 'GET', '/s', 'static');
console.log(findRoute(router, 'GET', '/u/a%20b').params.id, findRoute(router, 'GET', '/s/')?.data);
JS
seen=$(node look.mjs)
expected='a%20b static'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
