#!/bin/sh
# find-my-way 9.10.2 (the router of Fastify): a parameter of more than 100 characters finds no route.
#
# Guess: `/u/:id` matches any text without a slash.
# Seen: 100 characters match, 101 do not (option maxParamLength); a wildcard has no such limit. A
# benchmark with long random paths measures the 404 answer.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund find-my-way@9.10.2
cat >look.mjs <<'JS'
import router from 'find-my-way';

const routes = router();
routes.on('GET', '/u/:id', () => {});
routes.on('GET', '/f/*', () => {});
for (const length of [100, 101]) {
  const found = (path) => routes.find('GET', path + 'a'.repeat(length)) !== null;
  console.log(length, 'parameter', found('/u/'), 'wildcard', found('/f/'));
}
JS
seen=$(node look.mjs)
expected='100 parameter true wildcard true
101 parameter false wildcard true'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
