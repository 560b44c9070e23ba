#!/bin/sh
# siege 4.0.7 (Debian): transactions are not the requests that were asked for.
#
# Guess: -c 2 -r 5 is ten transactions.
# Seen: thirty, where the page names a picture and a style sheet: siege parses HTML and fetches what
# it names (setting `parser`). The rates of two pages of one speed differ by what they name.
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
const server = http.createServer((request, response) => {
  answered += 1;
  const page = request.url === '/';
  response.setHeader('content-type', page ? 'text/html' : 'text/plain');
  response.end(page ? '<img src="/x.png"><link rel="stylesheet" href="/y.css">' : '');
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const url = `http://127.0.0.1:${server.address().port}/`;
process.env.HOME = process.cwd();
const siege = spawn('usr/bin/siege', ['-b', '-c', '2', '-r', '5', url], { stdio: ['ignore', 'pipe', 'ignore'] });
let text = '';
for await (const chunk of siege.stdout) text += chunk;
console.log('answered', answered, 'transactions', text.match(/"transactions":\s+(\d+)/)[1]);
server.close();
JS
seen=$(node look.mjs)
expected='answered 30 transactions 30'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
