#!/bin/sh
# BenchmarkDotNet 0.15.8: a method's Ratio to itself is not 1, and may be over 2.
#
# Guess: Ratio is the mean by the baseline's mean, so it is 1.00 for the baseline and for a method that does the same.
# Seen: of a method that takes 20 ms and 200 ms in turns, Ratio is about 2.5 for itself and for its twin, whose mean is
# the same. It is the mean over all pairs of measurements, and the mean of x/y is more than that of x by that of y: the
# less even a baseline is, the slower everything seems beside it.
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
using System.Globalization;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

var job = Job.Default.WithToolchain(InProcessEmitToolchain.Instance).WithWarmupCount(1).WithIterationCount(10);
job = job.WithInvocationCount(1).WithUnrollFactor(1);
var config = ManualConfig.CreateEmpty().AddJob(job).AddLogger(NullLogger.Instance);
var summary = BenchmarkRunner.Run<Uneven>(config.AddColumnProvider(DefaultColumnProviders.Instance));
var column = Array.IndexOf(summary.Table.FullHeader, "Ratio");
var ratios = summary.Table.FullContent.Select(row => double.Parse(row[column], CultureInfo.InvariantCulture)).ToArray();
var means = summary.Reports.Select(report => report.ResultStatistics!.Mean).ToArray();
Console.WriteLine($"to itself over 1.5: {ratios[0] > 1.5}, its twin's over 1.5 times that of the means: {ratios[1] > 1.5 * means[1] / means[0]}");

public class Uneven
{
    private int calls;

    [Benchmark(Baseline = true)]
    public void Base() => Thread.Sleep(calls++ % 2 == 0 ? 20 : 200);

    [Benchmark]
    public void Twin() => Base();
}
CS
seen=$(dotnet run -c Release | tail -n 1)
expected="to itself over 1.5: True, its twin's over 1.5 times that of the means: True"
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
