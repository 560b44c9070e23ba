#!/bin/sh
# MemoryPack 1.21.4: a struct of a byte and a long takes 16 bytes, a class of the same members 10.
#
# Guess: the struct takes 9, the class one more for its header.
# Seen: a struct without references is copied as it lies in memory, with the gaps that the runtime leaves to align its members;
# so is the tuple (byte, long), and an int? takes eight. Of structs the sizes tell the layout, not the format.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >app.cs <<'CS'
#:property PublishAot=false
#:package MemoryPack@1.21.4
using MemoryPack;

Console.WriteLine($"struct {MemoryPackSerializer.Serialize(new Small { Kind = 1, Value = 2 }).Length}");
Console.WriteLine($"class {MemoryPackSerializer.Serialize(new SmallClass { Kind = 1, Value = 2 }).Length}");
Console.WriteLine($"tuple {MemoryPackSerializer.Serialize(((byte)1, 2L)).Length}, int? {MemoryPackSerializer.Serialize((int?)5).Length}");

public struct Small
{
    public byte Kind;
    public long Value;
}

[MemoryPackable]
public partial class SmallClass
{
    public byte Kind { get; set; }
    public long Value { get; set; }
}
CS
seen=$(dotnet run -c Release app.cs)
expected='struct 16
class 10
tuple 16, int? 8'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
