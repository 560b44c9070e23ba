#!/bin/sh
# @hono/node-server 2.1.9: serve() replaces the global Request and Response of the whole process.
#
# Guess: an adapter leaves the globals alone.
# Seen: importing it leaves them; after serve() both are other classes for all code in the process
# (option overrideGlobalObjects). A second thing measured in the same process gets them, too.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @hono/node-server@2.1.9 hono@4.13.19
cat >look.mjs <<'JS'
const before = { Request, Response };
const { serve } = await import('@hono/node-server');
const { Hono } = await import('hono');

const same = () => [Request === before.Request, Response === before.Response].join();
console.log('after import', same());
const server = serve({ fetch: new Hono().fetch, port: 0, hostname: '127.0.0.1' }, () => {
  console.log('after serve', same());
  server.close();
});
JS
seen=$(node look.mjs)
expected='after import true,true
after serve false,false'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
