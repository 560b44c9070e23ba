#!/bin/sh
# httperf 0.9.0 (Debian 12): a run of less than five seconds has a reply rate of 0.0, whatever was answered.
#
# Guess: minimum, average and maximum of the reply rate are of the seconds of the run, or of the whole.
# Seen: they are of samples of five seconds; a shorter run has none, and the line says 0.0 three times, without a word but the
# "(0 samples)" at its end. A script that reads "avg" takes a server that answered everything for dead.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q httperf=0.9.0-9+b2 >/dev/null 2>&1 || apt-get download -q httperf >/dev/null 2>&1
dpkg-deb -x httperf_*.deb .
cat >server.mjs <<'JS'
import { createServer } from 'node:http';
const server = createServer((request, response) => response.end('hi')).listen(0, '127.0.0.1', () => console.log(server.address().port));
JS
node server.mjs >port &
trap 'kill $!; rm -rf "$folder"' EXIT
while [ ! -s port ]; do sleep 0.1; done
seen=$(usr/bin/httperf --server 127.0.0.1 --port "$(cat port)" --num-conns 200 --rate 100 2>/dev/null | grep -oE '^Reply rate.*|replies [0-9]+')
expected='replies 200
Reply rate [replies/s]: min 0.0 avg 0.0 max 0.0 stddev 0.0 (0 samples)'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
