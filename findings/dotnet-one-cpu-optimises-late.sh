#!/bin/sh
# .NET 10: a program that is pinned to one CPU runs unoptimised code for a second, not for a tenth.
#
# Guess: what was called thirty times is compiled anew 0.1 s after the program has begun, on however many CPUs.
# Seen: with taskset on one CPU, or DOTNET_PROCESSOR_COUNT=1, that takes more than a second: the runtime multiplies its delay
# by ten where it has one CPU (TC_DelaySingleProcMultiplier in clrconfignames.h). Nothing is said. Whoever pins a program to a CPU
# so that its times scatter less, and calls it for half a second first, times the code of tier 0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >app.cs <<'CS'
#:property PublishAot=false
using System.Diagnostics;
using System.Runtime;
using System.Runtime.CompilerServices;

Console.WriteLine(Work.Optimised() < 900 ? "within 0.9 s" : "later");

static class Work
{
    static long kept;

    // Milliseconds until the runtime compiles something anew; this method itself is optimised from the start.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static long Optimised()
    {
        var begun = Stopwatch.StartNew();
        var compiled = 0L;
        for (var round = 0; begun.ElapsedMilliseconds < 20_000; round++)
        {
            for (var call = 0; call < 100; call++) kept += Do();
            Thread.Sleep(1);
            var now = JitInfo.GetCompiledMethodCount();
            if (round < 5) compiled = now; // what was compiled at its first call
            else if (now > compiled) break;
        }
        return begun.ElapsedMilliseconds;
    }

    static long Do()
    {
        long sum = 0;
        for (var i = 0; i < 100; i++) sum += i * i % 7;
        return sum;
    }
}
CS
dotnet build --nologo --verbosity quiet --configuration Release --output out app.cs >/dev/null
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
seen="two CPUs: $(DOTNET_PROCESSOR_COUNT=2 dotnet out/app.dll)
one CPU: $(DOTNET_PROCESSOR_COUNT=1 dotnet out/app.dll)
taskset: $(taskset -c "$cpu" dotnet out/app.dll)"
expected='two CPUs: within 0.9 s
one CPU: later
taskset: later'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
