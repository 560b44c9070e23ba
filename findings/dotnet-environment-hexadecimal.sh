#!/bin/sh
# .NET 10: the numbers of DOTNET_… variables are hexadecimal, but not that of DOTNET_PROCESSOR_COUNT.
#
# Guess: a number in a variable is decimal, as that of the same setting in runtimeconfig.json.
# Seen: DOTNET_ThreadPool_ForceMinWorkerThreads=10 are 16 threads, DOTNET_GCHeapHardLimit=10000000 are 268,435,456 bytes, and
# DOTNET_PROCESSOR_COUNT=10 are ten CPUs. Nothing is said, so a race with "100 threads" is one with 256.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >app.cs <<'CS'
#:property PublishAot=false
ThreadPool.GetMinThreads(out var threads, out _);
var limit = GC.GetConfigurationVariables()["GCHeapHardLimit"];
Console.WriteLine($"CPUs {(Environment.ProcessorCount == 10 ? "10" : "other")}, threads {(threads == 16 ? "16" : "other")}, limit {limit}");
CS
dotnet build --nologo --verbosity quiet --output out app.cs >/dev/null
seen="DOTNET_PROCESSOR_COUNT=10: $(DOTNET_PROCESSOR_COUNT=10 dotnet out/app.dll)
DOTNET_ThreadPool_ForceMinWorkerThreads=10: $(DOTNET_PROCESSOR_COUNT=2 DOTNET_ThreadPool_ForceMinWorkerThreads=10 dotnet out/app.dll)
DOTNET_GCHeapHardLimit=10000000: $(DOTNET_PROCESSOR_COUNT=2 DOTNET_GCHeapHardLimit=10000000 dotnet out/app.dll)"
sed -i 's/"configProperties": {/&\n"System.GC.HeapHardLimit": 10000000,/' out/app.runtimeconfig.json
seen="$seen
runtimeconfig.json: $(DOTNET_PROCESSOR_COUNT=2 dotnet out/app.dll)"
expected='DOTNET_PROCESSOR_COUNT=10: CPUs 10, threads other, limit 0
DOTNET_ThreadPool_ForceMinWorkerThreads=10: CPUs other, threads 16, limit 0
DOTNET_GCHeapHardLimit=10000000: CPUs other, threads other, limit 268435456
runtimeconfig.json: CPUs other, threads other, limit 10000000'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
