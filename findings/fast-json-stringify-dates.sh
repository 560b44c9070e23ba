#!/bin/sh
# fast-json-stringify 7.3.10: "date" and "time" are of the local time zone, "date-time" is of UTC.
#
# Guess: one Date gives parts of one time stamp in all three formats.
# Seen: west of Greenwich the day of "date" is one before that of "date-time".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund fast-json-stringify@7.3.10
cat >look.mjs <<'JS'
import build from 'fast-json-stringify';

process.env.TZ = 'America/New_York';
const moment = new Date('2020-01-01T02:30:00Z');
for (const format of ['date', 'time', 'date-time']) {
  console.log(format, build({ type: 'string', format })(moment));
}
JS
seen=$(node look.mjs)
expected='date "2019-12-31"
time "21:30:00"
date-time "2020-01-01T02:30:00.000Z"'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
