#!/bin/sh
# hono 4.13.19: after the first request no route can be added.
#
# Guess: it is added, as with Express, Koa and find-my-way.
# Seen: an error; the routes of the first request were compiled into a matcher.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund hono@4.13.19
cat >look.mjs <<'JS'
import { Hono } from 'hono';

const app = new Hono();
app.get('/a', (context) => context.text('a'));
await app.request('/a');
try {
  app.get('/b', (context) => context.text('b'));
  console.log((await app.request('/b')).status);
} catch (error) {
  console.log(error.message);
}
JS
seen=$(node look.mjs)
expected='Can not add a route since the matcher is already built.'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
