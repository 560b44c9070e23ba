#!/bin/sh
# autocannon 9.0.0: the minimum of the latencies may be larger than their average.
#
# Guess: min <= average.
# Seen: of a server that answers in less than a millisecond, min is 1 and the average below 1. Latencies
# are kept in whole milliseconds, and min is the smallest that is not 0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund autocannon@9.0.0
cat >look.mjs <<'JS'
import http from 'node:http';
import autocannon from 'autocannon';

const server = http.createServer((request, response) => response.end('hello'));
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const url = `http://127.0.0.1:${server.address().port}`;
const { latency } = await autocannon({ url, connections: 2, duration: 3 });
console.log('min', latency.min, 'above the average:', latency.min > latency.average);
server.close();
server.closeAllConnections();
JS
seen=$(node look.mjs)
expected='min 1 above the average: true'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
