#!/bin/sh
# fastify 5.12.8: null in a request body passes as an integer and arrives as 0.
#
# Guess: {"type": "integer"} refuses null with 400, as it refuses "".
# Seen: null is coerced to 0, to false or to ""; a single value to a list of one; "0x10" to 16.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund fastify@5.12.8
cat >look.mjs <<'JS'
import Fastify from 'fastify';

const app = Fastify();
const list = { type: 'array', items: { type: 'integer' } };
const properties = { n: { type: 'integer' }, b: { type: 'boolean' }, s: { type: 'string' }, list };
app.post('/', { schema: { body: { type: 'object', properties } } }, async (request) => request.body);
for (const payload of [{ n: null, b: null, s: null }, { list: 5 }, { n: '0x10' }, { n: '' }]) {
  const { statusCode, body } = await app.inject({ method: 'POST', url: '/', payload });
  console.log(statusCode, statusCode === 200 ? body : JSON.parse(body).message);
}
JS
seen=$(node look.mjs)
expected='200 {"n":0,"b":false,"s":""}
200 {"list":[5]}
200 {"n":16}
400 body/n must be integer'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
