#!/bin/sh
# autocannon 9.0.0: asked for an amount of requests, it tells a rate per started second, not per time that they took.
#
# Guess: 100 requests that are answered within 0.1 s are 1,000 a second.
# Seen: requests.average is 100 and the duration a second: the run goes on until the clock of its samples ticks, however early
# the last answer came. Two servers of which one answers the amount in a tenth of the other's time have the same rate.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund autocannon@9.0.0
cat >look.mjs <<'JS'
import http from 'node:http';
import autocannon from 'autocannon';

for (const wait of [0, 20]) {
  const times = [];
  const server = http.createServer((request, response) => {
    setTimeout(() => response.end('hello'), wait);
    times.push(performance.now());
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${server.address().port}`;
  const { requests, duration } = await autocannon({ url, connections: 4, amount: 100 });
  const seconds = (times.at(-1) - times[0]) / 1000;
  console.error(`sent within ${seconds.toFixed(3)} s, told: ${duration} s`);
  console.log('average', requests.average, 'duration at least a second:', duration >= 1, 'sent in less:', seconds < 1);
  server.close();
  server.closeAllConnections();
}
JS
seen=$(node look.mjs)
expected='average 100 duration at least a second: true sent in less: true
average 100 duration at least a second: true sent in less: true'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
