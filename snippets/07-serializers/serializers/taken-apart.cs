// What do the libraries do that the serializers by hand don't? One thing after the other is taken away. By hand: dotnet run -c Release taken-apart.cs

#:property PublishAot=false
#:package MemoryPack
#:package MessagePack
#:project MemoryPackByHand
#:project MemoryPackLibrary
#:project MessagePackByHand
#:project MessagePackLibrary

using System.Buffers;
using MemoryPack;
using MessagePack;
using MessagePack.Formatters;
using Serializers;

const int Count = 1000;

var options = MessagePackSerializer.DefaultOptions;
var resolver = options.Resolver;
var whole = resolver.GetFormatterWithVerify<KeyedForecast?[]?>();
var one = resolver.GetFormatterWithVerify<KeyedForecast?>();
var (dates, texts) = (resolver.GetFormatterWithVerify<DateTime>(), resolver.GetFormatterWithVerify<string?>());
var (keyed, plain, packable) = (Forecasts.Make<KeyedForecast>(Count), Forecasts.Make<WeatherForecast>(Count), Forecasts.Make<PackableForecast>(Count));
var (bytes, packed) = (MessagePackSerializer.Serialize(keyed), MemoryPackSerializer.Serialize(packable));
var (messagePack, memoryPack) = (new MessagePackByHand(), new MemoryPackByHand());
var buffer = new ArrayBufferWriter<byte>(1 << 17);

Measure("MessagePack, read",
    ("the library", () => MessagePackSerializer.Deserialize<KeyedForecast?[]?>(bytes)),
    ("its formatter of the array", () => { var reader = new MessagePackReader(bytes); return whole.Deserialize(ref reader, options); }),
    ("our loop over its formatter of one", () => Read((ref MessagePackReader reader) => one.Deserialize(ref reader, options))),
    ("a formatter of ours in the form of its", () => Read((ref MessagePackReader reader) => Like(ref reader))),
    ("a line a field, each asks the resolver", () => Read((ref MessagePackReader reader) => ReadThree(ref reader) ?? new KeyedForecast
    {
        Date = resolver.GetFormatterWithVerify<DateTime>().Deserialize(ref reader, options),
        TemperatureC = reader.ReadInt32(),
        Summary = resolver.GetFormatterWithVerify<string?>().Deserialize(ref reader, options),
    })),
    ("formatters asked for once", () => Read((ref MessagePackReader reader) => ReadThree(ref reader) ?? new KeyedForecast
    {
        Date = dates.Deserialize(ref reader, options), TemperatureC = reader.ReadInt32(), Summary = texts.Deserialize(ref reader, options),
    })),
    ("no formatter, only its reader", () => Read((ref MessagePackReader reader) => ReadThree(ref reader) ?? new KeyedForecast
    {
        Date = reader.ReadDateTime(), TemperatureC = reader.ReadInt32(), Summary = reader.ReadString(),
    })),
    ("by hand: our reader", () => messagePack.Deserialize(bytes)));

Measure("MemoryPack, write",
    ("the library", () => MemoryPackSerializer.Serialize(packable)),
    ("into one buffer that stays", () => { buffer.ResetWrittenCount(); MemoryPackSerializer.Serialize(buffer, packable); return buffer.WrittenSpan.ToArray(); }),
    ("our loop over its formatter of one", () => Pack((ref MemoryPackWriter<ArrayBufferWriter<byte>> writer, PackableForecast each) => writer.WritePackable(each))),
    ("a line a field, only its writer", () => Pack((ref MemoryPackWriter<ArrayBufferWriter<byte>> writer, PackableForecast each) =>
    {
        writer.WriteUnmanagedWithObjectHeader(3, each.Date, each.TemperatureC);
        writer.WriteString(each.Summary);
    })),
    ("the same without the text", () => Pack((ref MemoryPackWriter<ArrayBufferWriter<byte>> writer, PackableForecast each) =>
    {
        writer.WriteUnmanagedWithObjectHeader(3, each.Date, each.TemperatureC);
    })),
    ("by hand: our writer", () => memoryPack.Serialize(plain)));

object Read(ReadOne read)
{
    var reader = new MessagePackReader(bytes);
    var all = new KeyedForecast?[reader.ReadArrayHeader()];
    for (var i = 0; i < all.Length; i++) all[i] = read(ref reader);
    return all;
}

KeyedForecast? ReadThree(ref MessagePackReader reader) => reader.ReadArrayHeader() == 3 ? null : throw new InvalidDataException();

KeyedForecast Like(ref MessagePackReader reader)
{
    if (reader.TryReadNil()) return null!;
    var like = new KeyedForecast();
    options.Security.DepthStep(ref reader);
    var count = reader.ReadArrayHeader();
    for (var key = 0; key < count; key++)
    {
        switch (key)
        {
            case 0: like.Date = options.Resolver.GetFormatterWithVerify<DateTime>().Deserialize(ref reader, options); break;
            case 1: like.TemperatureC = reader.ReadInt32(); break;
            case 2: like.Summary = options.Resolver.GetFormatterWithVerify<string?>().Deserialize(ref reader, options); break;
            default: reader.Skip(); break;
        }
    }

    reader.Depth--;
    return like;
}

object Pack(WriteOne write)
{
    buffer.ResetWrittenCount();
    using var state = MemoryPackWriterOptionalStatePool.Rent(MemoryPackSerializerOptions.Default);
    var writer = new MemoryPackWriter<ArrayBufferWriter<byte>>(ref buffer, state);
    writer.WriteCollectionHeader(packable.Length);
    foreach (var each in packable) write(ref writer, each);
    writer.Flush();
    return buffer.WrittenSpan.ToArray();
}

// CPU time a forecast: all ways in turns, in random order, each for about 2 ms; the median of 100 rounds.
static void Measure(string what, params (string Name, Func<object?> Do)[] ways)
{
    const int WarmUp = 80, Rounds = 180;
    var found = ways.Select(_ => new List<double>()).ToArray();
    var order = Enumerable.Range(0, ways.Length).ToArray();
    for (var round = 0; round < Rounds; round++)
    {
        Random.Shared.Shuffle(order);
        foreach (var i in order)
        {
            var (begun, calls) = (Environment.CpuUsage.TotalTime, 0);
            for (var end = Environment.TickCount64 + 2; Environment.TickCount64 < end; calls++) GC.KeepAlive(ways[i].Do());
            if (round >= WarmUp) found[i].Add((Environment.CpuUsage.TotalTime - begun).TotalNanoseconds / calls / Count);
        }
    }

    Console.WriteLine($"{what,-46}ns   less");
    var before = 0.0;
    for (var i = 0; i < ways.Length; i++)
    {
        var median = found[i].Order().ElementAt(found[i].Count / 2);
        Console.WriteLine($"    {ways[i].Name,-40}{median,4:0}{(i == 0 ? "" : $"{Math.Round(before - median) + 0.0,7:0}")}");
        before = median;
    }
}

delegate KeyedForecast? ReadOne(ref MessagePackReader reader);

delegate void WriteOne(ref MemoryPackWriter<ArrayBufferWriter<byte>> writer, PackableForecast each);
