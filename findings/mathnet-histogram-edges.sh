#!/bin/sh
# MathNet.Numerics 5.0.0: a value on an edge between two bars of a Histogram is counted in the lower one.
#
# Guess: as with NumPy, d3-array and Vega, it belongs to the upper one: 1 to 10 in three bars are 3, 3 and 4.
# Seen: 4, 3 and 3. Latencies in whole milliseconds lie on edges, so two pictures of one file have other bars. (Histograms of
# Prometheus and OpenTelemetry have their upper edges included, too.)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund d3-array@3.2.5
cat >look.mjs <<'JS'
import { bin } from 'd3-array';

const bars = bin().domain([1, 10]).thresholds([4, 7])([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
console.log('d3-array', bars.map((bar) => bar.length).join(' '));
JS
cat >app.cs <<'CS'
#:property PublishAot=false
#:package MathNet.Numerics@5.0.0
using MathNet.Numerics.Statistics;

var bars = new Histogram([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 3);
Console.WriteLine($"MathNet {bars[0].Count} {bars[1].Count} {bars[2].Count}, between {bars[1].LowerBound} and {bars[1].UpperBound}");
CS
seen="$(node look.mjs)
$(dotnet run -c Release app.cs)"
expected='d3-array 3 3 4
MathNet 4 3 3, between 4 and 7'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
