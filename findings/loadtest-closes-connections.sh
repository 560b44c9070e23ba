#!/bin/sh
# loadtest 8.2.1: by default each request is a connection of its own.
#
# Guess: as with autocannon and wrk, a client keeps its connection.
# Seen: 100 requests of ten clients come on 100 connections; -k keeps them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund loadtest@8.2.1
cat >look.mjs <<'JS'
import { spawn } from 'node:child_process';
import http from 'node:http';

let answered = 0;
let connections = 0;
const server = http.createServer((request, response) => {
  answered += 1;
  response.end('hello');
});
server.on('connection', () => (connections += 1));
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const url = `http://127.0.0.1:${server.address().port}/`;
const options = ['node_modules/.bin/loadtest', '-n', '100', '-c', '10', '--cores', '1', url];
const loadtest = spawn(process.execPath, options, { stdio: 'ignore' });
await new Promise((done) => loadtest.on('exit', done));
console.log({ answered, connections });
server.close();
JS
seen=$(node look.mjs)
expected='{ answered: 100, connections: 100 }'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
