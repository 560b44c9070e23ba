#!/bin/sh
# protobuf-net 3.2.52: a member that is 0 comes back as its initial value.
#
# Guess: a value that is written is read again; 0 is a value.
# Seen: a member with `= 50` that is set to 0 is not written, because 0 is the default of proto3, and the reader leaves it at 50.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >app.cs <<'CS'
#:property PublishAot=false
#:package protobuf-net@3.2.52
using ProtoBuf;

var stream = new MemoryStream();
Serializer.Serialize(stream, new Tea { Cups = 0, Pots = 0 });
stream.Position = 0;
var read = Serializer.Deserialize<Tea>(stream);
Console.WriteLine($"{stream.Length} bytes; wrote cups 0, pots 0; read cups {read.Cups}, pots {read.Pots}");

[ProtoContract]
public class Tea
{
    [ProtoMember(1)] public int Cups { get; set; } = 50;
    [ProtoMember(2)] public int Pots { get; set; }
}
CS
seen=$(dotnet run -c Release app.cs)
expected='0 bytes; wrote cups 0, pots 0; read cups 50, pots 0'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
