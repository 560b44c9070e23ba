#!/bin/sh
# protobuf-net 3.4.40: a list that has initial items is longer each time it is written and read.
#
# Guess: what is read takes the place of the initial items, as with System.Text.Json.
# Seen: it is added to them: [1, 2] comes back as [1, 2, 1, 2], and then as six items; an array, too (option OverwriteList). A
# benchmark that reads what it wrote before measures a larger model each round.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >app.cs <<'CS'
#:property PublishAot=false
#:package protobuf-net@3.4.40
using System.Text.Json;
using ProtoBuf;

var job = new Job();
for (var round = 0; round < 3; round++)
{
    Console.WriteLine($"{string.Join(' ', job.Sizes)} | {string.Join(' ', job.Times)} | {string.Join(' ', job.Replaced)}");
    job = Serializer.DeepClone(job);
}
var json = JsonSerializer.Deserialize<Job>(JsonSerializer.Serialize(new Job()))!;
Console.WriteLine($"JSON {string.Join(' ', json.Sizes)}");

[ProtoContract]
public class Job
{
    [ProtoMember(1)] public List<int> Sizes { get; set; } = [1, 2];
    [ProtoMember(2)] public int[] Times { get; set; } = [3];
    [ProtoMember(3, OverwriteList = true)] public List<int> Replaced { get; set; } = [4];
}
CS
seen=$(dotnet run -c Release app.cs)
expected='1 2 | 3 | 4
1 2 1 2 | 3 3 | 4
1 2 1 2 1 2 | 3 3 3 | 4
JSON 1 2'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
