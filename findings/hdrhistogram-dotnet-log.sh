#!/bin/sh
# HdrHistogram 2.5.0 for .NET: hdr-histogram-js 3.0.1 can't read the log that it writes, though both call it version 1.3.
#
# Guess: one format, so a log of a .NET service is read by a page in JavaScript, and Interval_Max is the same number in both.
# Seen: .NET writes UTF-16, so that a reader of UTF-8 finds no line; turned into UTF-8, the compressed histogram ends too early
# for zlib. And Interval_Max of one value of 2,000,000 is 2.0 from .NET (by a million, whatever the unit) and 2000.0 from
# JavaScript.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund hdr-histogram-js@3.0.1
cat >look.cjs <<'JS'
const { readFileSync } = require('node:fs');
const { build, HistogramLogWriter, HistogramLogReader } = require('hdr-histogram-js');

const histogram = build();
histogram.recordValue(2_000_000);
let text = '';
new HistogramLogWriter((line) => (text += line)).outputIntervalHistogram(histogram, 0, 1);
console.log('JavaScript', Number(text.split(',')[2]).toFixed(1));
const bytes = readFileSync('net.hlog');
for (const encoding of ['utf8', 'utf16le']) {
  const lines = bytes.toString(encoding);
  const line = lines.split('\n').find((each) => each.includes('HIST'));
  let read = 'refused';
  try {
    read = new HistogramLogReader(lines).nextIntervalHistogram().totalCount;
  } catch (error) {
    if (line) read = error.message;
  }
  console.log('.NET, as', encoding, line ? Number(line.split(',')[2]).toFixed(1) : 'no line', '|', read);
}
JS
cat >app.cs <<'CS'
#:property PublishAot=false
#:package HdrHistogram@2.5.0
using System.Globalization;
using HdrHistogram;

CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
var histogram = new LongHistogram(3_600_000_000, 3) { StartTimeStamp = 0, EndTimeStamp = 1000 };
histogram.RecordValue(2_000_000);
using var file = File.Create("net.hlog");
HistogramLogWriter.Write(file, DateTime.UnixEpoch, histogram);
CS
dotnet run -c Release app.cs
seen=$(node look.cjs)
expected='JavaScript 2000.0
.NET, as utf8 no line | refused
.NET, as utf16le 2.0 | unexpected end of file'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
