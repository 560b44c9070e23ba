#!/bin/sh
# autocannon 9.0.0: asked for an amount of requests, it counts half of them where the server closes.
#
# Guess: 2,000 are asked for, 2,000 are counted, or the rest are errors.
# Seen: a server that ends each connection after its answer has answered 1,000, 1,000 are counted,
# `requests.sent` is 2,000, and errors, timeouts and mismatches are 0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund autocannon@9.0.0
cat >look.mjs <<'JS'
import http from 'node:http';
import autocannon from 'autocannon';

let answered = 0;
const server = http.createServer((request, response) => {
  answered += 1;
  response.setHeader('connection', 'close');
  response.end('hello');
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const url = `http://127.0.0.1:${server.address().port}`;
const { requests, errors, timeouts, mismatches } = await autocannon({ url, connections: 10, amount: 2000 });
console.log({ answered, counted: requests.total, sent: requests.sent, errors, timeouts, mismatches });
server.close();
JS
seen=$(node look.mjs)
expected='{
  answered: 1000,
  counted: 1000,
  sent: 2000,
  errors: 0,
  timeouts: 0,
  mismatches: 0
}'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
