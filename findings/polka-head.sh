#!/bin/sh
# polka 0.5.2: HEAD of a path that answers GET is 404.
#
# Guess: as with Express and @koa/router, what answers GET answers HEAD, too, without a body.
# Seen: 404, unless the route is added with head() or all(). A check that asks by HEAD whether the server is up waits for ever.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund polka@0.5.2
cat >look.mjs <<'JS'
import polka from 'polka';

const app = polka().get('/up', (request, response) => response.end('up'));
await new Promise((listening) => app.listen(0, '127.0.0.1', listening));
const url = `http://127.0.0.1:${app.server.address().port}/up`;
for (const method of ['GET', 'HEAD']) {
  const answer = await fetch(url, { method, headers: { connection: 'close' } });
  console.log(method, answer.status, await answer.text());
}
app.server.close();
JS
seen=$(node look.mjs)
expected='GET 200 up
HEAD 404 '
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
