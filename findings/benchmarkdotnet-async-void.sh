#!/bin/sh
# BenchmarkDotNet 0.15.8: an async void benchmark is timed up to its first await, without a word.
#
# Guess: it refuses a method that nobody can wait for, as it refuses one that returns a lazy IEnumerable.
# Seen: a method that waits 50 ms takes microseconds, and none of its validators says a word.
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
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

var job = Job.ShortRun.WithToolchain(InProcessEmitToolchain.Instance);
var config = ManualConfig.CreateEmpty().AddJob(job).AddLogger(NullLogger.Instance).AddValidator([.. DefaultConfig.Instance.GetValidators()]);
var summary = BenchmarkRunner.Run<Naps>(config);
var told = summary.ValidationErrors.Any(error => error.Message.Contains("Nap") || error.Message.Contains("async"));
var milliseconds = summary.Reports[0].ResultStatistics!.Mean / 1e6;
Console.WriteLine($"told of it: {told}; 50 ms took less than 25: {milliseconds < 25}");

public class Naps
{
    [Benchmark]
    public async void Nap() => await Task.Delay(50);
}
CS
seen=$(dotnet run -c Release | tail -n 1)
expected='told of it: False; 50 ms took less than 25: True'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
