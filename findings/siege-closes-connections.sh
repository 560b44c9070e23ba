#!/bin/sh
# siege 4.0.7 (Debian): by default it opens a connection for each request.
#
# Guess: a load generator that speaks HTTP/1.1 keeps its connections.
# Seen: fifty requests of five clients come on fifty connections, with "Connection: close"
# (setting `connection`), so most of what it measures is connecting.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q siege=4.0.7-1+b1 >/dev/null 2>&1
dpkg-deb -x siege_*.deb .
cat >look.mjs <<'JS'
import { spawn } from 'node:child_process';
import http from 'node:http';

let answered = 0;
let connections = 0;
let asked;
const server = http.createServer((request, response) => {
  answered += 1;
  asked = request.headers.connection;
  response.end('hello');
});
server.on('connection', () => (connections += 1));
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const url = `http://127.0.0.1:${server.address().port}/`;
process.env.HOME = process.cwd();
const siege = spawn('usr/bin/siege', ['-b', '-c', '5', '-r', '10', url], { stdio: 'ignore' });
await new Promise((done) => siege.on('exit', done));
console.log(JSON.stringify({ answered, connections, asked }));
server.close();
JS
seen=$(node look.mjs)
expected='{"answered":50,"connections":50,"asked":"close"}'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
