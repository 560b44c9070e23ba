#!/bin/sh
# find-my-way 9.10.2 (the router of Fastify): /u/ is found by /u/:id, with an empty id.
#
# Guess: a parameter needs a character, as for Hono, rou3 and memoirist; so 404.
# Seen: the route is found and id is "".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund find-my-way@9.10.2
cat >look.mjs <<'JS'
import router from 'find-my-way';

const routes = router();
routes.on('GET', '/u/:id', () => {});
console.log(JSON.stringify(routes.find('GET', '/u/')?.params), routes.find('GET', '/u'));
JS
seen=$(node look.mjs)
expected='{"id":""} null'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
