using Serializers;

namespace Checks;

/// <summary>A serializer, whatever its own class of forecasts. Golden: the name of its bytes in golden.json, "" where there are none.</summary>
sealed record Format(
    string Name,
    string Golden,
    Func<IForecast?[]?, byte[]> Write,
    Func<byte[], IForecast?[]?> Read,
    bool KeepsKind = true,
    bool ByHand = false)
{
    public static readonly IReadOnlyList<Format> All =
    [
        Of("json", "jsonHex", new JsonReflection()),
        Of("json-source-generated", "jsonHex", new JsonSourceGenerated()),
        Of("messagepack-by-hand", "messagePackIntKeyHex", new MessagePackByHand()) with { KeepsKind = false, ByHand = true },
        Of("messagepack-names-by-hand", "messagePackStringKeyHex", new MessagePackByHand(names: true)) with { KeepsKind = false, ByHand = true },
        Of("memorypack-by-hand", "memoryPackHex", new MemoryPackByHand()) with { ByHand = true },
#if LIBRARIES
        Of("messagepack", "messagePackIntKeyHex", new MessagePackLibrary()) with { KeepsKind = false },
        Of("messagepack-names", "messagePackStringKeyHex", new MessagePackNamesLibrary()) with { KeepsKind = false },
        Of("memorypack", "memoryPackHex", new MemoryPackLibrary()),
        Of("protobuf", "", new ProtobufLibrary()) with { KeepsKind = false },
#endif
    ];

    static Format Of<T>(string name, string golden, ISerializer<T> serializer) where T : class, IForecast, new() =>
        new(name, golden, each => serializer.Serialize(Copy<T>(each)), serializer.Deserialize);

    static T?[]? Copy<T>(IForecast?[]? forecasts) where T : class, IForecast, new() =>
        forecasts?.Select(each => each is null
            ? null
            : new T { Date = each.Date, TemperatureC = each.TemperatureC, Summary = each.Summary }).ToArray();
}
