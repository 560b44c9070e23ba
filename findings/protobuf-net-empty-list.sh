#!/bin/sh
# protobuf-net 3.4.40: an empty list comes back as null.
#
# Guess: an empty list is a value, like the empty text, which comes back.
# Seen: null, so that the loop over it throws; "" comes back as "". MessagePack and MemoryPack keep both. A parity test with
# filled models passes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >app.cs <<'CS'
#:property PublishAot=false
#:package protobuf-net@3.4.40
#:package MemoryPack@1.21.4
#:package MessagePack@2.5.307
using MemoryPack;
using MessagePack;
using ProtoBuf;

void Show(string name, Job job) => Console.WriteLine($"{name}: {job.Times?.Count.ToString() ?? "null"} [{job.Name ?? "null"}]");

var job = new Job { Times = [], Name = "" };
Show("protobuf-net", Serializer.DeepClone(job));
Show("MessagePack", MessagePackSerializer.Deserialize<Job>(MessagePackSerializer.Serialize(job)));
Show("MemoryPack", MemoryPackSerializer.Deserialize<Job>(MemoryPackSerializer.Serialize(job))!);

[ProtoContract, MessagePackObject, MemoryPackable]
public partial class Job
{
    [ProtoMember(1), Key(0)] public List<int>? Times { get; set; }
    [ProtoMember(2), Key(1)] public string? Name { get; set; }
}
CS
seen=$(dotnet run -c Release app.cs)
expected='protobuf-net: null []
MessagePack: 0 []
MemoryPack: 0 []'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
