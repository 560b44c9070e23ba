#!/bin/sh
# MathNet.Numerics 5.0.0: Quantile and Percentile interpolate otherwise than NumPy, Excel and d3-array, and end earlier.
#
# Guess: the 90th percentile of 1 to 10 is 9.1, the 99th 9.91, the lower quartile 3.25.
# Seen: 9.63, 10 and 2.92. It is definition 8 of Hyndman and Fan, the others' is the 7th, which QuantileCustom has; with ten
# runs each percentile from the 94th up is the largest run.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >app.cs <<'CS'
#:property PublishAot=false
#:package MathNet.Numerics@5.0.0
using System.Globalization;
using MathNet.Numerics.Statistics;

CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
double[] values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
foreach (var percent in new[] { 25, 90, 94, 99 })
{
    var own = values.Percentile(percent);
    var seventh = values.QuantileCustom(percent / 100.0, QuantileDefinition.R7);
    Console.WriteLine($"{percent}: {own:0.00}, the 7th {seventh:0.00}");
}
CS
seen=$(dotnet run -c Release app.cs)
expected='25: 2.92, the 7th 3.25
90: 9.63, the 7th 9.10
94: 10.00, the 7th 9.46
99: 10.00, the 7th 9.91'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
