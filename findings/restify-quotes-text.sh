#!/bin/sh
# restify 11.1.0: res.send("hello") answers with the quoted JSON text.
#
# Guess: a string is sent as text, as by Express, Koa, Fastify and hapi.
# Seen: without an Accept header or with */* the first formatter is taken, JSON: seven bytes, with
# quotation marks. A comparison of frameworks by "hello" compares other bytes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund restify@11.1.0
cat >look.mjs <<'JS'
import http from 'node:http';
import restify from 'restify';

const server = restify.createServer();
server.get('/', (request, response, next) => {
  response.send('hello');
  next();
});
server.listen(0, '127.0.0.1', () => {
  http.get({ port: server.address().port, host: '127.0.0.1' }, async (answer) => {
    let text = '';
    for await (const chunk of answer) text += chunk;
    console.log(answer.headers['content-type'], text);
    process.exit();
  });
});
JS
seen=$(node look.mjs)
expected='application/json "hello"'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
