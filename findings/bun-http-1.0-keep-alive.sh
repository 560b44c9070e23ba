#!/bin/sh
# Bun 1.4.5: the connection of an HTTP/1.0 client that asks for keep-alive is closed.
#
# Guess: with "Connection: keep-alive" and a Content-Length in the answer it is kept, as by Deno 2.9.6.
# Seen: the answer has its Content-Length and no Connection header, and the connection is closed.
# ApacheBench with -k pays for a new connection with each request.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund bun@1.4.5
cat >look.mjs <<'JS'
import { spawn } from 'node:child_process';
import net from 'node:net';
import { writeFileSync } from 'node:fs';

writeFileSync(
  'server.js',
  `const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello') });
console.log(server.port);`,
);
const bun = spawn('node_modules/.bin/bun', ['server.js'], { stdio: ['ignore', 'pipe', 'inherit'] });
const port = Number(await new Promise((done) => bun.stdout.once('data', done)));
const socket = net.connect(port, '127.0.0.1');
socket.write('GET / HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n');
let answer = '';
socket.on('data', (data) => (answer += data));
const closed = await Promise.race([
  new Promise((done) => socket.on('close', () => done(true))),
  new Promise((done) => setTimeout(done, 5000, false)),
]);
console.log('length told:', /content-length: 5/i.test(answer), 'closed:', closed);
bun.kill();
socket.destroy();
JS
seen=$(node look.mjs)
expected='length told: true closed: true'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
