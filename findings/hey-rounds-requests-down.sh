#!/bin/sh
# hey 0.1.4 (Debian): -n 100 with -c 30 sends 90 requests.
#
# Guess: -n is the number of requests, so 100.
# Seen: each of the 30 clients sends 100 / 30 of them, rounded down; nothing says that 10 are missing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q hey=0.1.4-2+b4 >/dev/null 2>&1
dpkg-deb -x hey_*.deb .
cat >look.mjs <<'JS'
import { spawn } from 'node:child_process';
import http from 'node:http';

let answered = 0;
const server = http.createServer((request, response) => {
  answered += 1;
  response.end('hello');
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const url = `http://127.0.0.1:${server.address().port}/`;
const hey = spawn('usr/bin/hey', ['-n', '100', '-c', '30', url], { stdio: ['ignore', 'pipe', 'inherit'] });
let text = '';
for await (const chunk of hey.stdout) text += chunk;
console.log('answered', answered, 'counted', text.match(/\[200\]\s+(\d+)/)[1]);
server.close();
server.closeAllConnections();
JS
seen=$(node look.mjs)
expected='answered 90 counted 90'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
