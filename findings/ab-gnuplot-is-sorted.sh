#!/bin/sh
# ApacheBench 2.3 (Apache 2.4, Debian 12): the rows of the file that -g writes are sorted by how long a request took.
#
# Guess: a row a request, in the order in which they were sent, so that a plot of it shows how the server warms up.
# Seen: of a server whose answers take 0, 80, 40, 0, 80, 40 ms, the times only rise. Plotted over the number of the row it looks
# as if every server slowed down; the order is left in the column of seconds only.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q apache2-utils >/dev/null 2>&1
dpkg-deb -x apache2-utils_*.deb .
cat >look.mjs <<'JS'
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';

const waits = [];
const server = http.createServer((request, response) => {
  waits.push([0, 80, 40][waits.length % 3]);
  setTimeout(() => response.end('hello'), waits.at(-1));
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const url = `http://127.0.0.1:${server.address().port}/`;
const ab = spawn('usr/bin/ab', ['-q', '-n', '12', '-c', '1', '-g', 'times.tsv', url], { stdio: 'ignore' });
await new Promise((ended) => ab.on('exit', ended));
server.close();
const [header, ...rows] = readFileSync('times.tsv', 'utf8').trim().split('\n').map((row) => row.split('\t'));
const times = rows.map((row) => Number(row[header.indexOf('ttime')]));
console.error(`waited ${waits}\nwritten ${times}`);
const rise = (values) => values.every((value, i) => i === 0 || value >= values[i - 1]);
console.log('waits rise', rise(waits), 'times rise', rise(times));
JS
seen=$(node look.mjs)
expected='waits rise false times rise true'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
