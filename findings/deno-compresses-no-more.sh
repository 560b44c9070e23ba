#!/bin/sh
# Deno 2.9.6: Deno.serve sends a text of 20 kB as it is to a client that accepts gzip; Deno 2.0.6 compressed it.
#
# Guess: the server compresses by itself what can be compressed, as Deno is known for.
# Seen: 2.0.6 sends gzip with Vary: Accept-Encoding, a few hundred bytes; 2.9.6 sends 20,000 bytes without either. The same
# program, raced on both by a client that accepts gzip, does another work and sends other bytes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >look.mjs <<'JS'
const answer = () => new Response('x'.repeat(20_000), { headers: { 'content-type': 'text/plain' } });
const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen: () => {} }, answer);
const socket = await Deno.connect({ hostname: '127.0.0.1', port: server.addr.port });
const ask = 'GET / HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n';
await socket.write(new TextEncoder().encode(ask));
let bytes = 0;
let head = '';
const part = new Uint8Array(65_536);
for (let read; (read = await socket.read(part)); bytes += read) {
  head ||= new TextDecoder().decode(part.subarray(0, read)).split('\r\n\r\n')[0];
}
console.log(/content-encoding: gzip/i.test(head), /vary: accept-encoding/i.test(head), bytes > 20_000);
await server.shutdown();
JS
seen=''
for version in 2.0.6 2.9.6; do
  npm install --silent --no-audit --no-fund "deno@$version"
  seen="$seen$version gzip, vary, more than 20,000 bytes: $(node_modules/.bin/deno run --allow-net look.mjs)
"
done
expected='2.0.6 gzip, vary, more than 20,000 bytes: true true false
2.9.6 gzip, vary, more than 20,000 bytes: false false true
'
printf '%s' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s' "$expected"
  exit 1
}
