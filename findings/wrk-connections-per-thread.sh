#!/bin/sh
# wrk 4.1.0 (Debian): -t 4 -c 10 opens eight connections, and says "4 threads and 10 connections".
#
# Guess: -c is the number of connections, whatever the number of threads.
# Seen: each thread has 10 / 4 of them, rounded down. Two runs with other numbers of threads put other loads on the server. (One
# more connection, before the run, only looks whether somebody listens.)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q wrk=4.1.0-3+b2 >/dev/null 2>&1 || apt-get download -q wrk >/dev/null 2>&1
dpkg-deb -x wrk_*.deb .
cat >look.mjs <<'JS'
import { spawn } from 'node:child_process';
import http from 'node:http';

const used = new Set();
const server = http.createServer((request, response) => {
  used.add(request.socket);
  setTimeout(() => response.end('hello'), 20);
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const url = `http://127.0.0.1:${server.address().port}/`;
const wrk = spawn('usr/bin/wrk', ['-t', '4', '-c', '10', '-d', '2', url], { stdio: ['ignore', 'pipe', 'inherit'] });
let text = '';
for await (const chunk of wrk.stdout) text += chunk;
console.log(text.match(/\d+ threads and \d+ connections/)[0], '| used:', used.size);
server.close();
JS
seen=$(node look.mjs)
expected='4 threads and 10 connections | used: 8'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
