#!/bin/sh
# typebox 1.4.3: a format that it does not know passes whatever the text is.
#
# Guess: as with ajv 8.20.0, an unknown format is an error, so that "datetime" for "date-time" is noticed.
# Seen: {format: "datetime"} takes "x", and "date-time" refuses it. A validator that is faster with such a schema checks less.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund typebox@1.4.3 ajv@8.20.0
cat >look.mjs <<'JS'
import Ajv from 'ajv';
import { Type } from 'typebox';
import { Check } from 'typebox/value';

for (const format of ['date-time', 'datetime']) console.log('typebox', format, Check(Type.String({ format }), 'x'));
try {
  new Ajv.default().compile({ type: 'string', format: 'datetime' });
} catch (error) {
  console.log('ajv', error.message);
}
JS
seen=$(node look.mjs)
expected='typebox date-time false
typebox datetime true
ajv unknown format "datetime" ignored in schema at path "#"'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
