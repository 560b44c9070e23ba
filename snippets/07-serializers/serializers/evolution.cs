// A class gets one more field: can new programs read what old ones wrote, and the other way round? By hand: dotnet run -c Release evolution.cs

#:property PublishAot=false
#:package MemoryPack
#:package MessagePack
#:project ProtobufLibrary

using System.Text.Json;
using Google.Protobuf;
using MemoryPack;
using MessagePack;
using Serializers;

var (old, @new) = (new Old { TemperatureC = 25, Summary = "Mild" }, new New { TemperatureC = 25, Summary = "Mild", Humidity = 60 });
var (oldTolerant, newTolerant) = (new OldTolerant { TemperatureC = 25, Summary = "Mild" }, new NewTolerant { TemperatureC = 25, Summary = "Mild", Humidity = 60 });
var (oldProto, newProto) = (new OldForecast { TemperatureC = 25, Summary = "Mild" }, new NewForecast { TemperatureC = 25, Summary = "Mild", Humidity = 60 });

Console.WriteLine($"{"",-33}{"bytes",-8}{"old data, new reader",-28}new data, old reader");
Show("System.Text.Json", JsonSerializer.SerializeToUtf8Bytes(old), JsonSerializer.SerializeToUtf8Bytes(@new),
    bytes => JsonSerializer.Deserialize<New>(bytes), bytes => JsonSerializer.Deserialize<Old>(bytes));
Show("MessagePack", MessagePackSerializer.Serialize(old), MessagePackSerializer.Serialize(@new),
    bytes => MessagePackSerializer.Deserialize<New>(bytes), bytes => MessagePackSerializer.Deserialize<Old>(bytes));
Show("MemoryPack", MemoryPackSerializer.Serialize(old), MemoryPackSerializer.Serialize(@new),
    bytes => MemoryPackSerializer.Deserialize<New>(bytes), bytes => MemoryPackSerializer.Deserialize<Old>(bytes));
Show("MemoryPack, version-tolerant", MemoryPackSerializer.Serialize(oldTolerant), MemoryPackSerializer.Serialize(newTolerant),
    bytes => MemoryPackSerializer.Deserialize<NewTolerant>(bytes), bytes => MemoryPackSerializer.Deserialize<OldTolerant>(bytes));
Show("Protobuf", oldProto.ToByteArray(), newProto.ToByteArray(), NewForecast.Parser.ParseFrom, OldForecast.Parser.ParseFrom);

static void Show(string format, byte[] old, byte[] @new, Func<byte[], object?> readNew, Func<byte[], object?> readOld) =>
    Console.WriteLine($"{format,-33}{$"{old.Length}, {@new.Length}",-8}{Outcome(() => readNew(old)),-28}{Outcome(() => readOld(@new))}");

static string Outcome(Func<object?> read)
{
    try
    {
        dynamic it = read()!;
        return it is New or NewTolerant or NewForecast
            ? $"{it.TemperatureC}, {it.Summary}, {it.Humidity}"
            : $"{it.TemperatureC}, {it.Summary}";
    }
    catch (Exception error)
    {
        return $"{error.GetType().Name}: {error.Message}";
    }
}

[MessagePackObject, MemoryPackable]
public partial class Old
{
    [Key(0)] public int TemperatureC { get; set; }

    [Key(1)] public string? Summary { get; set; }
}

[MessagePackObject, MemoryPackable]
public partial class New
{
    [Key(0)] public int TemperatureC { get; set; }

    [Key(1)] public string? Summary { get; set; }

    [Key(2)] public int Humidity { get; set; } // the new one, at the end
}

[MemoryPackable(GenerateType.VersionTolerant)] // writes the length of each member, too
public partial class OldTolerant
{
    [MemoryPackOrder(0)] public int TemperatureC { get; set; }

    [MemoryPackOrder(1)] public string? Summary { get; set; }
}

[MemoryPackable(GenerateType.VersionTolerant)]
public partial class NewTolerant
{
    [MemoryPackOrder(0)] public int TemperatureC { get; set; }

    [MemoryPackOrder(1)] public string? Summary { get; set; }

    [MemoryPackOrder(2)] public int Humidity { get; set; }
}
