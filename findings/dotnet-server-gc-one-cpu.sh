#!/bin/sh
# .NET 10: on one CPU the server's garbage collector that a program asks for is not the one that it gets.
#
# Guess: ServerGarbageCollection=true (the default of ASP.NET Core) means the same collector wherever the program runs.
# Seen: pinned to one CPU by taskset, or with DOTNET_PROCESSOR_COUNT=1, GCSettings.IsServerGC is false, and nothing is said.
# Servers that a benchmark gives a CPU each are measured with the collector of a desktop program (GCGen0MaxBudget was 16 MiB and
# not 200).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >app.cs <<'CS'
#:property PublishAot=false
#:property ServerGarbageCollection=true
Console.WriteLine(System.Runtime.GCSettings.IsServerGC);
CS
dotnet build --nologo --verbosity quiet --output out app.cs >/dev/null
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
seen="two CPUs: $(DOTNET_PROCESSOR_COUNT=2 dotnet out/app.dll)
one CPU: $(DOTNET_PROCESSOR_COUNT=1 dotnet out/app.dll)
taskset: $(taskset -c "$cpu" dotnet out/app.dll)"
expected='two CPUs: True
one CPU: False
taskset: False'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
