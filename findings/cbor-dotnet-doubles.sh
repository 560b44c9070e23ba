#!/bin/sh
# System.Formats.Cbor 11.0.0: WriteDouble(1.5) writes three bytes, a half, and only CTAP2 mode nine.
#
# Guess: WriteDouble writes a double, WriteSingle a single.
# Seen: each writes the shortest form that keeps the value, in Lax, Strict and Canonical mode: 1.5 has three bytes, 100000 five,
# 1.1 nine. Sizes of round test data ("1.5", "20") are a third of those of measured data.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >app.cs <<'CS'
#:property PublishAot=false
#:package System.Formats.Cbor@11.0.0
using System.Formats.Cbor;

foreach (var mode in new[] { CborConformanceMode.Lax, CborConformanceMode.Strict, CborConformanceMode.Ctap2Canonical })
{
    var lengths = new[] { 1.5, 100000, 1.1 }.Select(value =>
    {
        var writer = new CborWriter(mode);
        writer.WriteDouble(value);
        return writer.BytesWritten;
    });
    Console.WriteLine($"{mode} {string.Join(' ', lengths)}");
}
CS
seen=$(dotnet run -c Release app.cs)
expected='Lax 3 5 9
Strict 3 5 9
Ctap2Canonical 9 9 9'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
