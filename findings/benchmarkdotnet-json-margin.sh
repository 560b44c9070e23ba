#!/bin/sh
# BenchmarkDotNet 0.15.8: in its JSON an unknown margin of error is "", which JavaScript takes for 0.
#
# Guess: of one measurement the margin is null, "NaN" or absent, so that a reader notices that it is not known.
# Seen: an empty text among numbers: Number("") is 0, so a page draws the most certain of all results.
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

var config = ManualConfig.CreateEmpty().AddJob(Job.Dry.WithToolchain(InProcessEmitToolchain.Instance)).AddLogger(NullLogger.Instance);
var summary = BenchmarkRunner.Run<Sums>(config);
var file = JsonExporter.Full.ExportToFiles(summary, NullLogger.Instance).Single();
var statistics = JsonDocument.Parse(File.ReadAllText(file)).RootElement.GetProperty("Benchmarks")[0].GetProperty("Statistics");
Console.WriteLine($"N {statistics.GetProperty("N")}, margin {statistics.GetProperty("ConfidenceInterval").GetProperty("Margin").GetRawText()}");

public class Sums
{
    [Benchmark]
    public int Sum() => Enumerable.Range(0, 1000).Sum();
}
CS
seen=$(dotnet run -c Release | tail -n 1)
expected='N 1, margin ""'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
