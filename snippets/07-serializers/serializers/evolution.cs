// A class gets one more field: can new programs read what old ones wrote, and the other way round? By hand: dotnet run -c Release evolution.cs

#:property PublishAot=false
#:package MemoryPack
#:package MessagePack
#:project ProtobufLibrary

using System.Text.Json;
using System.Text.Json.Serialization;
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

// A new member may have an initial value (= 50). What does a reader of old data, which lack the member, see?
Console.WriteLine();
Console.WriteLine($"{"new member in old data, = 50",-33}{"{ get; set; }",-15}{"{ get; init; }",-16}{{ get; }}");
var few = new Few { TemperatureC = 25 };
Initial("System.Text.Json", () => JsonSerializer.Deserialize<More>(JsonSerializer.SerializeToUtf8Bytes(few)));
Initial("System.Text.Json, generated", () => JsonSerializer.Deserialize(JsonSerializer.SerializeToUtf8Bytes(few, Generated.Default.Few), Generated.Default.More));
Initial("MessagePack", () => MessagePackSerializer.Deserialize<More>(MessagePackSerializer.Serialize(few)));
Initial("MemoryPack", () => MemoryPackSerializer.Deserialize<More>(MemoryPackSerializer.Serialize(few)));
Initial("MemoryPack, version-tolerant", () => MemoryPackSerializer.Deserialize<MoreTolerant>(MemoryPackSerializer.Serialize(new FewTolerant { TemperatureC = 25 })));
Console.WriteLine($"{"Protobuf",-33}{NewForecast.Parser.ParseFrom(oldProto.ToByteArray()).Humidity} (proto3 has no initial values)");

static void Initial(string format, Func<IMore?> read)
{
    var it = read()!;
    Console.WriteLine($"{format,-33}{it.Settable,-15}{it.Init,-16}{it.GetOnly}");
}

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

public interface IMore
{
    int Settable { get; }

    int Init { get; }

    int GetOnly { get; }
}

[MessagePackObject, MemoryPackable]
public partial class Few
{
    [Key(0)] public int TemperatureC { get; set; }
}

[MessagePackObject, MemoryPackable]
public partial class More : IMore
{
    [Key(0)] public int TemperatureC { get; set; }

    [Key(1)] public int Settable { get; set; } = 50;

    [Key(2)] public int Init { get; init; } = 50;

    [IgnoreMember] public int GetOnly { get; } = 50; // nobody can set it, so no reader does
}

[MemoryPackable(GenerateType.VersionTolerant)]
public partial class FewTolerant
{
    [MemoryPackOrder(0)] public int TemperatureC { get; set; }
}

[MemoryPackable(GenerateType.VersionTolerant)]
public partial class MoreTolerant : IMore
{
    [MemoryPackOrder(0)] public int TemperatureC { get; set; }

    [MemoryPackOrder(1)] public int Settable { get; set; } = 50;

    [MemoryPackOrder(2)] public int Init { get; init; } = 50;

    [MemoryPackIgnore] public int GetOnly { get; } = 50;
}

[JsonSerializable(typeof(Few)), JsonSerializable(typeof(More))]
public partial class Generated : JsonSerializerContext;
