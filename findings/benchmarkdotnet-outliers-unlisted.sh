#!/bin/sh
# BenchmarkDotNet 0.15.8: AllOutliers in its JSON does not hold the outliers that it took out.
#
# Guess: what it leaves out of the mean is listed there, so that a reader sees that a method is slow now and then.
# Seen: one call of ten takes 500 ms instead of 10. It is gone from OriginalValues and from the mean, and not in
# AllOutliers either, which is calculated from what is left: that lists outliers that were kept. The call is only among the
# measurements of the stage Actual.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >bench.csproj <<'XML'
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net10.0</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Include="BenchmarkDotNet" Version="0.15.8" />
  </ItemGroup>
</Project>
XML
cat >Program.cs <<'CS'
using System.Text.Json;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Exporters.Json;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

var job = Job.Default.WithToolchain(InProcessEmitToolchain.Instance).WithWarmupCount(1).WithIterationCount(10);
job = job.WithInvocationCount(1).WithUnrollFactor(1);
var summary = BenchmarkRunner.Run<NowAndThen>(ManualConfig.CreateEmpty().AddJob(job).AddLogger(NullLogger.Instance));
var file = JsonExporter.Full.ExportToFiles(summary, NullLogger.Instance).Single();
var found = JsonDocument.Parse(File.ReadAllText(file)).RootElement.GetProperty("Benchmarks")[0];
var statistics = found.GetProperty("Statistics");
var slow = 400e6; // nanoseconds

bool Listed(string name) => statistics.GetProperty(name).EnumerateArray().Any(value => value.GetDouble() > slow);
var measured = found.GetProperty("Measurements").EnumerateArray().Any(m => m.GetProperty("Nanoseconds").GetDouble() > slow);
Console.WriteLine($"measured: {measured}, in OriginalValues: {Listed("OriginalValues")}, in AllOutliers: {Listed("AllOutliers")}");

public class NowAndThen
{
    private int calls;

    [Benchmark]
    public void SlowOnce() => Thread.Sleep(calls++ == 6 ? 500 : 10);
}
CS
seen=$(dotnet run -c Release | tail -n 1)
expected='measured: True, in OriginalValues: False, in AllOutliers: False'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
