#!/bin/sh
# Google Benchmark 1.7.1 (Debian 12): in the JSON of repetitions the row of cv has the unit ns, and 3 iterations.
#
# Guess: rows of aggregates have the members of the others, in the same meaning: iterations of the loop, times in time_unit.
# Seen: their `iterations` is the number of repetitions, and the coefficient of variation, a share, stands in real_time beside
# "time_unit": "ns", so a reader of all rows plots a benchmark of 0.1 ns. What it is stands in aggregate_unit ("percentage", though it
# is no percentage either).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q libbenchmark-dev libbenchmark1debian >/dev/null 2>&1 || apt-get download -q libbenchmark-dev >/dev/null 2>&1
for package in *.deb; do dpkg-deb -x "$package" .; done
cat >work.cc <<'CC'
#include <benchmark/benchmark.h>
static void Work(benchmark::State& state) {
  for (auto _ : state) {
    int sum = 0;
    for (int i = 0; i < 1000; i++) benchmark::DoNotOptimize(sum += i);
  }
}
BENCHMARK(Work);
BENCHMARK_MAIN();
CC
library=$(find usr/lib -name 'libbenchmark.*' | head -n 1)
g++ -O2 -Iusr/include work.cc "$library" -lpthread -o work
LD_LIBRARY_PATH=$(dirname "$library") ./work --benchmark_repetitions=3 --benchmark_min_time=0.02 --benchmark_format=json >out.json 2>/dev/null
seen=$(python3 -c '
import json
for row in json.load(open("out.json"))["benchmarks"]:
    if row.get("aggregate_name") in ("mean", "cv"):
        kind = "below 5" if row["real_time"] < 5 else "above 5"
        print(row["name"], row["iterations"], kind, row["time_unit"], row["aggregate_unit"])')
expected='Work_mean 3 above 5 ns time
Work_cv 3 below 5 ns percentage'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
