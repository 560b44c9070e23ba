#!/bin/sh
# OpenTelemetry 1.20.1 for .NET: one NaN in a histogram makes its sum, minimum and maximum NaN for good, and a negative time is
# counted.
#
# Guess: both are left out, as by @opentelemetry/sdk-metrics 2.12.1 for JavaScript.
# Seen: .NET counts them: count 4 of which one is no number, and no sum, so that no mean can be told any more; JavaScript has
# count 2 and sum 4.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @opentelemetry/api@1 @opentelemetry/sdk-metrics@2.12.1
cat >look.mjs <<'JS'
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
const histogram = provider.getMeter('finding').createHistogram('time');
for (const value of [1, NaN, -5, 3]) histogram.record(value);
await provider.forceFlush();
const { count, sum, min, max } = exporter.getMetrics()[0].scopeMetrics[0].metrics[0].dataPoints[0].value;
console.log(`JavaScript: count ${count} sum ${sum} min ${min} max ${max}`);
await provider.shutdown();
JS
cat >app.cs <<'CS'
#:property PublishAot=false
#:package OpenTelemetry@1.20.1
#:package OpenTelemetry.Exporter.InMemory@1.20.1
using System.Diagnostics.Metrics;
using OpenTelemetry;
using OpenTelemetry.Metrics;

var metrics = new List<Metric>();
using var meter = new Meter("finding");
using var provider = Sdk.CreateMeterProviderBuilder().AddMeter("finding").AddInMemoryExporter(metrics).Build();
var histogram = meter.CreateHistogram<double>("time");
foreach (var value in new[] { 1, double.NaN, -5, 3 }) histogram.Record(value);
provider.ForceFlush();
foreach (ref readonly var point in metrics[0].GetMetricPoints())
{
    point.TryGetHistogramMinMaxValues(out var min, out var max);
    Console.WriteLine($".NET: count {point.GetHistogramCount()} sum {point.GetHistogramSum()} min {min} max {max}");
}
CS
seen="$(node look.mjs 2>/dev/null)
$(dotnet run -c Release app.cs)"
expected='JavaScript: count 2 sum 4 min 1 max 3
.NET: count 4 sum NaN min NaN max NaN'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
