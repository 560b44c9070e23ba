#!/bin/sh
# MessagePack 2.5.307 for C#: a Guid is written as its text, in 38 bytes, as many as in JSON.
#
# Guess: sixteen bytes and a header, 18; MemoryPack 1.21.4 writes 16.
# Seen: 38, as JSON with its quotation marks. The resolver NativeGuidResolver makes it 18. So of a model with ids the comparison
# of sizes is one of this option.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >app.cs <<'CS'
#:property PublishAot=false
#:package MessagePack@2.5.307
#:package MemoryPack@1.21.4
using System.Text.Json;
using MemoryPack;
using MessagePack;
using MessagePack.Resolvers;

var id = Guid.Parse("00112233-4455-6677-8899-aabbccddeeff");
var native = MessagePackSerializerOptions.Standard.WithResolver(
    CompositeResolver.Create(NativeGuidResolver.Instance, StandardResolver.Instance));
Console.WriteLine($"MessagePack {MessagePackSerializer.Serialize(id).Length}, native {MessagePackSerializer.Serialize(id, native).Length}");
Console.WriteLine($"JSON {JsonSerializer.SerializeToUtf8Bytes(id).Length}, MemoryPack {MemoryPackSerializer.Serialize(id).Length}");
CS
seen=$(dotnet run -c Release app.cs)
expected='MessagePack 38, native 18
JSON 38, MemoryPack 16'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
