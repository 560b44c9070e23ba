#!/bin/sh
# MessagePack 2.5.307 for C#: an int that is declared as object takes five bytes, not one, and one that is read as object is a
# byte.
#
# Guess: Deserialize<object>(Serialize(1)) is an int, and 1 takes one byte in a Dictionary<string, object>, too.
# Seen: Serialize(1) is one byte, read as System.Byte, so that a cast to int throws; Serialize<object>(1) is five bytes, so that
# its type is found again. A model whose members are objects is larger than one with types, which the format does not ask for.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >app.cs <<'CS'
#:property PublishAot=false
#:package MessagePack@2.5.307
using MessagePack;

var typed = MessagePackSerializer.Serialize(1);
var untyped = MessagePackSerializer.Serialize<object>(1);
foreach (var (name, bytes) in new[] { ("int", typed), ("object", untyped) })
{
    var read = MessagePackSerializer.Deserialize<object>(bytes);
    Console.WriteLine($"{name}: {Convert.ToHexString(bytes)}, read as {read.GetType()}");
}
CS
seen=$(dotnet run -c Release app.cs)
expected='int: 01, read as System.Byte
object: D200000001, read as System.Int32'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
