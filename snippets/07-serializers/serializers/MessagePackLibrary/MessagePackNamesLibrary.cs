using MessagePack;

namespace Serializers;

public sealed class MessagePackNamesLibrary : ISerializer<NamedForecast>
{
    public string MediaType => "application/x-msgpack";

    public byte[] Serialize(NamedForecast?[]? forecasts) => MessagePackSerializer.Serialize(forecasts);

    public NamedForecast?[]? Deserialize(byte[] data) => MessagePackSerializer.Deserialize<NamedForecast?[]?>(data);
}

[MessagePackObject(keyAsPropertyName: true)] // the forecast becomes a map, and every one carries the names
public sealed class NamedForecast : IForecast
{
    public DateTime Date { get; set; }

    public int TemperatureC { get; set; }

    public string? Summary { get; set; }
}
