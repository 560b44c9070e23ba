#!/bin/sh
# Node.js 20.20.2, node:http: to an HTTP/1.0 client it tells no length, even where it knows it.
#
# Guess: response.end('hello') adds Content-Length: 5, as for HTTP/1.1, so a client that asks for
# keep-alive (ApacheBench with -k) gets it.
# Seen: no Content-Length, "Connection: close", and the connection is closed. Only a length that the
# program sets by itself keeps it. A comparison by ab -k measures connections for one and none for
# the other.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund node@20.20.2
cat >look.mjs <<'JS'
import http from 'node:http';
import net from 'node:net';

const server = http.createServer((request, response) => {
  if (request.url === '/length') response.setHeader('content-length', 5);
  response.end('hello');
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
for (const [path, version] of [['/', '1.1'], ['/', '1.0'], ['/length', '1.0']]) {
  const socket = net.connect(server.address().port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/${version}\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n`);
  const answer = await new Promise((done) => socket.once('data', (data) => done(String(data))));
  console.log(version, path, answer.match(/^(content-length|connection): .*$/gim).sort().join(', '));
  socket.destroy();
}
server.close();
JS
seen=$(node_modules/.bin/node look.mjs)
expected='1.1 / Connection: keep-alive, Content-Length: 5
1.0 / Connection: close
1.0 /length Connection: keep-alive, content-length: 5'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
