#!/bin/sh
# autocannon 9.0.0: an answer that is not the expected body counts among the 2xx and in the rate.
#
# Guess: with expectBody a wrong body is an error, or at least none of the 2xx.
# Seen: of 20 wrong answers 2xx is 20, requests.total 20, errors and non2xx 0; only mismatches is 20. Who looks for errors finds
# none.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund autocannon@9.0.0
cat >look.mjs <<'JS'
import http from 'node:http';
import autocannon from 'autocannon';

const server = http.createServer((request, response) => response.end('sorry'));
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const url = `http://127.0.0.1:${server.address().port}`;
const result = await autocannon({ url, connections: 2, amount: 20, expectBody: 'hello' });
console.log(
  `2xx ${result['2xx']} total ${result.requests.total} mismatches ${result.mismatches}`,
  `errors ${result.errors} non2xx ${result.non2xx}`,
);
server.close();
server.closeAllConnections();
JS
seen=$(node look.mjs)
expected='2xx 20 total 20 mismatches 20 errors 0 non2xx 0'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
