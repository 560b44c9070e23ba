#!/bin/sh
# MemoryPack 1.21.4: a member that older data lack loses its initial value.
#
# Guess: `public int Humidity { get; set; } = 50;` stays 50 where the bytes were written before the member was added, as with
# System.Text.Json and MessagePack.
# Seen: it is 0, in the version-tolerant form, too.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >app.cs <<'CS'
#:property PublishAot=false
#:package MemoryPack@1.21.4
using MemoryPack;

var plain = MemoryPackSerializer.Deserialize<New>(MemoryPackSerializer.Serialize(new Old { Temperature = 25 }))!;
var tolerant = MemoryPackSerializer.Deserialize<NewTolerant>(MemoryPackSerializer.Serialize(new OldTolerant { Temperature = 25 }))!;
Console.WriteLine($"new: {new New().Humidity}, read: {plain.Humidity}, read in the tolerant form: {tolerant.Humidity}");

[MemoryPackable]
public partial class Old
{
    public int Temperature { get; set; }
}

[MemoryPackable]
public partial class New
{
    public int Temperature { get; set; }
    public int Humidity { get; set; } = 50;
}

[MemoryPackable(GenerateType.VersionTolerant)]
public partial class OldTolerant
{
    [MemoryPackOrder(0)] public int Temperature { get; set; }
}

[MemoryPackable(GenerateType.VersionTolerant)]
public partial class NewTolerant
{
    [MemoryPackOrder(0)] public int Temperature { get; set; }
    [MemoryPackOrder(1)] public int Humidity { get; set; } = 50;
}
CS
seen=$(dotnet run -c Release app.cs)
expected='new: 50, read: 0, read in the tolerant form: 0'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
