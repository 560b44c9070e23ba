#:property PublishAot=false
using System;
using System.Diagnostics;

static long Work(int count)
{
    long number = 1;
    for (int i = 0; i < count; i++) number = number * 16807 % 2147483647;
    return number;
}

Work(1000);
var watch = Stopwatch.StartNew();
long result = Work(50_000_000);
Console.WriteLine($"{watch.Elapsed.TotalMilliseconds:0.0} {result}");
