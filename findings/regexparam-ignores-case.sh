#!/bin/sh
# regexparam 3.0.0 (the matcher of wouter and navaid): /USERS finds /users.
#
# Guess: paths of URLs are case-sensitive, as for the routers of polka 0.5.2, itty-router 5 and radix3.
# Seen: each pattern has the flag i, and no option takes it away. A race of it with a router that minds the case, over random
# paths, finds other routes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund regexparam@3.0.0
cat >look.mjs <<'JS'
import { parse } from 'regexparam';

const { pattern } = parse('/users/:id');
console.log(String(pattern), pattern.test('/users/5'), pattern.test('/USERS/5'));
JS
seen=$(node look.mjs)
expected='/^\/users\/([^/]+?)\/?$/i true true'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
